"""Lines of a file with line numbers; longer runs of blank lines are shortened."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_MOST_BLANK: Final = 2
"""Longest run of blank lines that is shown unchanged."""


def collapsed_blanks(lines: Sequence[str], first: int) -> Iterator[tuple[int, str]]:
    """Yield numbered lines; yield only the first line of a long run of blank lines."""
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
    """Return the end of a window of `most` lines; a run of blank lines counts as two at most."""
    blank = 0
    for at in range(start, len(lines)):
        blank = 0 if lines[at].strip() else blank + 1
        if blank <= _MOST_BLANK:
            if not most:
                return at
            most -= 1
    return len(lines)


_STEP: Final = 5
"""Interval of shown line numbers: numbers on all lines would be an eighth of an agent's text."""


def with_numbers(lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Yield lines with a number and a tab; most lines have only the tab.

    A number is shown on the first line, after a gap, and on lines with a multiple of five.
    """
    expected = 0
    for number, line in lines:
        shown = str(number) if number != expected or number % _STEP == 0 else ""
        yield f"{shown}\t{line}" if shown or line else ""
        expected = number + 1


def line_range(first: int, last: int = 0) -> str:
    """Return a range of lines as `3-7`, a single line as `3`."""
    return f"{first}-{last}" if last > first else str(first)
