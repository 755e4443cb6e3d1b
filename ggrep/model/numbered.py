"""Lines of a file under numbers that can be counted on, and ranges of them."""

from collections.abc import Iterable, Iterator
from typing import Final

_STEP: Final = 5
"""Lines between numbers: on each line they are an eighth of what an agent reads."""


def numbered(lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    """Yield lines behind their numbers, or behind the tab alone where one can be counted.

    The first line, one behind a gap, and every fifth of a file have theirs.
    """
    expected = 0
    for number, line in lines:
        shown = str(number) if number != expected or number % _STEP == 0 else ""
        yield f"{shown}\t{line}" if shown or line else ""
        expected = number + 1


def range_of(first: int, last: int) -> str:
    """Return lines as `3-7`, one line as `3`."""
    return f"{first}-{last}" if last != first else str(first)
