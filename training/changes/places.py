"""Lines that answer: functions that a commit changes, and functions that a comment describes.

Functions are named by what encloses them, so that one that a commit changed is known in an earlier
revision of its file.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.parse.chunking.file_outline import is_outlined, outline_file
from training.changes.histories import text_of, zero_context_diff

MOST_FUNCTIONS: Final = 8
"""A commit that changes more has no answer that one place gives."""

_FUNCTIONS: Final = frozenset({"function", "method"})
_HUNK: Final = re.compile(rb"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


class Function(Struct, frozen=True):
    """A definition with its lines, 1-based, the last included.

    Attributes:
        name: of what encloses it and its own, with dots between them.
    """

    name: str
    kind: str
    start: int
    end: int


def definitions_of(path: str, data: bytes) -> list[Function]:
    """Return the definitions of a file in source order; none where no grammar reads it."""
    enclosing: list[str] = []
    definitions = []
    for each in outline_file(path, data) if is_outlined(path, data) else ():
        del enclosing[each.depth :]
        enclosing.append(each.name)
        definitions.append(Function(".".join(enclosing), each.kind, each.start_line, each.end_line))
    return definitions


def function_around(definitions: Sequence[Function], first: int, last: int) -> Function | None:
    """Return the smallest definition around some lines; None where that is no function."""
    around = [each for each in definitions if each.start <= first and last <= each.end]
    least = min(around, key=lambda each: each.end - each.start, default=None)
    return least if least is not None and least.kind in _FUNCTIONS else None


def described_function(path: str, data: bytes, first: int, last: int) -> Function | None:
    """Return the function that a cut comment described: the next one, or the one around it.

    Args:
        path: of the file.
        data: the file without the comment.
        first: line of the file at which the comment began.
        last: line at which it ended.
    """
    definitions, lines = definitions_of(path, data), data.split(b"\n")
    while last < len(lines) and not lines[last - 1].strip():
        last += 1
    for each in definitions:
        if each.kind in _FUNCTIONS and last - 1 <= each.start <= last + 1:
            return each
    return function_around(definitions, first, last)


def changed_functions(repo: Path, commit_id: str, path: str, base: bytes) -> list[Function]:
    """Return the functions of a file that a commit changes, as they are in a revision before.

    Args:
        repo: the git directory.
        commit_id: of a commit with one parent.
        path: of the file.
        base: the file in the revision before.
    """
    parent = definitions_of(path, text_of(repo, f"{commit_id}^", path))
    names = {
        around.name
        for first, last in _changed_lines(zero_context_diff(repo, commit_id, path))
        if (around := function_around(parent, first, last)) is not None
    }
    return [each for each in definitions_of(path, base) if each.name in names]


def _changed_lines(diff: bytes) -> Iterator[tuple[int, int]]:
    """Yield lines of the parent that change; where lines are put in, those around them."""
    for hunk in _HUNK.finditer(diff):
        start, number = int(hunk[1]), int(hunk[2] or 1)
        if hunk[2] == b"0":
            yield start, start + 1
        yield from ((line, line) for line in range(start, start + number))
