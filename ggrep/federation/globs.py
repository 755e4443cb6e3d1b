"""Globs over repository names; globs that could take exponential time are refused.

`*` stays within a path part, `**` crosses, case is ignored, dotfiles are seen, `{a,b}` and `@(a|b)`
are either, `?(a|b)` is either or nothing, `+(a|b)` repeats them, and a leading `!` is all the rest.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from math import comb
from typing import Final

from msgspec import Struct
from wcmatch import glob

from ggrep.base.errors import Issue, WorkspaceError

MAX_ALTERNATIVES: Final = 64
"""Most plain globs that the braces of one pattern stand for."""

MAX_GLOB_STEPS: Final = 5_000_000
"""Most characters that the `**` of all patterns may walk over in all names: some 250 ms of work."""

_GROUP: Final = re.compile(r"(?<!\\)([@?+*!])\(([^()]*)\)")
_FIXED: Final = re.compile(r"(?:\[[^\[\]/]+\]|[^\[\]{}\\*])+")
"""Text of one length: no `*`, and no braces."""

_LITERAL: Final = re.compile(r"[^\[\]{}\\*?]+")
_MOST_GROUPS: Final = 4
_SHOWN = 80
_FLAGS: Final = (
    glob.IGNORECASE
    | glob.DOTGLOB
    | glob.GLOBSTAR
    | glob.BRACE
    | glob.EXTMATCH
    | glob.NEGATE
    | glob.NEGATEALL
    | glob.FORCEUNIX
)


class Glob(Struct, frozen=True):
    """One pattern, ready to match.

    Attributes:
        text: as it was given.
        matcher: of the library.
    """

    text: str
    matcher: glob.WcMatcher[str]

    def matches(self, names: Sequence[str]) -> bool:
        """Tell whether any name matches; an empty one matches nothing, not even `**`."""
        return any(self.matcher.match(name) for name in names if name)


def compile_globs(patterns: Sequence[str], names: Sequence[str]) -> tuple[Glob, ...]:
    """Return the globs that `patterns` spell.

    Args:
        patterns: without blanks around them.
        names: everything they will be matched with.

    Raises:
        WorkspaceError: one cannot be read, or matching them could take too long.
    """
    steps = 0
    compiled = []
    for pattern in patterns:
        steps += MAX_ALTERNATIVES ** ("{" in pattern) * _steps(pattern.count("**"), names)
        if steps > MAX_GLOB_STEPS:
            raise _refused(pattern, "its `**` could match in too many ways")
        _check_groups(pattern)
        compiled.append(_compiled(pattern))
    return tuple(compiled)


def _check_groups(pattern: str) -> None:
    """Check that each group matches a name in one way only.

    Raises:
        WorkspaceError: a group could take exponential time.
    """
    groups = _GROUP.findall(pattern)
    if _GROUP.search(_GROUP.sub("x", pattern)):
        raise _refused(pattern, "groups such as `+(a|b)` cannot hold others")
    if len(groups) > _MOST_GROUPS:
        raise _refused(pattern, f"it has {len(groups)} groups, at most {_MOST_GROUPS} are read")
    for sign, body in groups:
        if sign in "+*" and not _repeats_in_one_way(body.casefold().split("|")):
            why = f"{sign}({body}) could match in too many ways; use texts of which none begins"
            raise _refused(pattern, f"{why} another, or one of fixed length")


def _repeats_in_one_way(alternatives: Sequence[str]) -> bool:
    """Return whether a text is cut into alternatives in at most one way."""
    if len(alternatives) == 1:
        return bool(_FIXED.fullmatch(alternatives[0]))
    ordered = sorted(alternatives)
    joined = any(after.startswith(before) for before, after in pairwise(ordered))
    return all(map(_LITERAL.fullmatch, ordered)) and not joined


def _steps(crossings: int, names: Sequence[str]) -> int:
    """Return the ways in which as many `**` share the parts of a name, times a part's length."""
    total = 0
    for name in names:
        parts = name.count("/") + 1
        total += comb(parts + crossings, crossings) * (1 + len(name) // parts)
    return total


def _compiled(pattern: str) -> Glob:
    try:
        return Glob(pattern, glob.compile(pattern, flags=_FLAGS, limit=MAX_ALTERNATIVES))
    # The library has exceptions of its own for too many alternatives, and recurses into braces.
    except Exception as error:
        raise _refused(pattern, str(error) or "too deep") from error


def _refused(pattern: str, why: str) -> WorkspaceError:
    shown = pattern if len(pattern) <= _SHOWN else pattern[:_SHOWN] + "..."
    message = f"repo filter {shown!r} cannot be used: {why}"
    hint = "name repositories with --only, or use fewer braces and `**`"
    code, field = "ERR_FEDERATED_INVALID_REPO_FILTER", "$.select.repoFilter"
    return WorkspaceError((Issue(code, message, field=field, reason="glob", hint=hint),))
