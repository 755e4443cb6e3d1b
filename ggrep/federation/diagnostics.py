"""Diagnostics about repositories that failed or contributed only a part of their results."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from ggrep.model.sanitise import ABSOLUTE_PATH, sanitise_line
from ggrep.model.workspace_state import Diagnostic

__all__ = ["REDACTED", "Diagnostic", "redact", "redactor", "sorted_diagnostics"]

REDACTED = "<redacted>"


def sorted_diagnostics(items: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return distinct diagnostics in the order of repository, corpus, code, message and file."""
    return tuple(
        sorted(
            set(items),
            key=lambda item: (
                item.repo_id or "",
                item.mode or "",
                item.code,
                item.message,
                item.file or "",
            ),
        )
    )


def redact(text: str) -> str:
    """Return `text` on one line, without absolute paths."""
    return ABSOLUTE_PATH.sub(REDACTED, sanitise_line(text))


def redactor(known: Callable[[], Sequence[str]]) -> Callable[[str], str]:
    """Return a function that redacts the messages of one answer and caches each result.

    `known` returns paths that are removed even if they contain spaces. `known` is slow for many
    repositories, so it is only called if a message contains a path.
    """

    @cache
    def paths() -> re.Pattern[str] | None:
        longest_first = sorted(known(), key=lambda path: (-len(path), path))
        every = "|".join(map(re.escape, longest_first))
        return re.compile(rf"(?:{every})(?![\w-])") if longest_first else None

    @cache
    def clean(text: str) -> str:
        line = sanitise_line(text)
        if "/" not in line and "\\" not in line:
            return line
        pattern = paths()
        return ABSOLUTE_PATH.sub(REDACTED, pattern.sub(REDACTED, line) if pattern else line)

    return clean
