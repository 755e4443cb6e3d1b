"""Lines of a file with their numbers; at most two blank lines of a run count."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_MOST_BLANK: Final = 2
"""Blank lines that people leave between two parts of a file."""


def collapsed_blanks(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield numbered lines; of a long run of blank lines only the first."""
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
    """Return the end of a window of `most` lines; blank lines beyond two of a run do not count."""
    blank = 0
    for at in range(start, len(lines)):
        blank = 0 if lines[at].strip() else blank + 1
        if blank <= _MOST_BLANK:
            if not most:
                return at
            most -= 1
    return len(lines)


_STEP: Final = 5
"""Lines between numbers: on each line they are an eighth of what an agent reads."""


def with_numbers(lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Yield lines behind their numbers, or behind the tab alone where one can be counted.

    The first line, one behind a gap, and every fifth of a file have theirs.
    """
    expected = 0
    for number, line in lines:
        shown = str(number) if number != expected or number % _STEP == 0 else ""
        yield f"{shown}\t{line}" if shown or line else ""
        expected = number + 1


def line_range(first: int, last: int = 0) -> str:
    """Return lines as `3-7`, one line as `3`."""
    return f"{first}-{last}" if last > first else str(first)
