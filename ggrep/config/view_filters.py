"""Filters of a profile's view, and gitignore patterns translated into filters.

A filter `path:` is a directory or file where it has no wildcards, else a glob whose `*` passes
over slashes. Not every gitignore pattern can be said so; one that cannot is refused, for it would
hide more than its author meant.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from ggrep.base.errors import InvalidRequest
from ggrep.model.filters import Filter

_INNER: Final = re.compile(r"[*?\[\\]")


def exclusions(patterns: Iterable[str], where: str) -> tuple[Filter, ...]:
    """Return filters that hide what gitignore patterns name; case does not count.

    Args:
        patterns: none is negated.
        where: file and key, for the message.

    Raises:
        InvalidRequest: filters cannot say it.
    """
    values = dict.fromkeys(value for text in patterns for value in _values(text, where))
    return tuple(Filter("path", value, negated=True) for value in values)


def _values(pattern: str, where: str) -> Sequence[str]:
    """Return the values of `path:` that together stand for a pattern."""
    text = pattern.rstrip("/").removesuffix("/**")
    by_name = "/" not in text and pattern.rstrip("/") == text
    core = text.lstrip("/")
    if core.startswith("**/") and not _INNER.search(core[3:]):
        by_name, core = True, core[3:]
    if by_name:
        # Below a directory of that name, or a file of it, at the top or further down.
        inner = core.strip("*")
        if not inner or _INNER.search(inner) or "**" in core:
            raise _unsaid(pattern, where)
        starred = core != inner
        top = (core, f"{core}/*") if starred else (core,)
        return (*top, f"*/{core}", f"*/{core}/*")
    if not core or _INNER.search(core):
        raise _unsaid(pattern, where)
    return (core,)


def _unsaid(pattern: str, where: str) -> InvalidRequest:
    return InvalidRequest(
        f"{where}: {pattern!r} cannot narrow an answer; name directories (`a/b/`), files, or names"
        " with stars at their ends (`*.csv`)"
    )
