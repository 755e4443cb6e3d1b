"""Runs of blank lines, as between the cells of a notebook: at most two of each run count."""

from collections.abc import Iterator, Sequence
from typing import Final

_MOST_BLANK: Final = 2
"""As many as people leave between two parts of a file."""


def numbered(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, which tell of a long gap; one blank line stands for it."""
    blank: list[tuple[int, str]] = []
    for number, line in enumerate((*lines, None), start=first):
        if line is not None and not line.strip():
            blank.append((number, line))
            continue
        yield from blank if len(blank) <= _MOST_BLANK else blank[:1]
        blank.clear()
        if line is not None:
            yield number, line


def window_end(lines: Sequence[str], start: int, most: int) -> int:
    """Return where a window of `most` lines ends; what is long of a gap does not count."""
    blank = 0
    for at in range(start, len(lines)):
        blank = 0 if lines[at].strip() else blank + 1
        if blank <= _MOST_BLANK:
            if not most:
                return at
            most -= 1
    return len(lines)
