"""What the answers of one command have shown so far, so that none of it is shown again."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct, field

Range: TypeAlias = tuple[int, int]


class Above(Struct):
    """What the answers so far have shown.

    Attributes:
        lines: by path, the ranges of lines.
        left_out: by path, lines that were left out of those.
        places: of names and mentions, each as path and line.
    """

    lines: dict[str, list[Range]] = field(default_factory=dict)
    left_out: dict[str, set[int]] = field(default_factory=dict)
    places: set[tuple[str, int]] = field(default_factory=set)

    def covers(self, path: str, first: int, last: int) -> bool:
        """Return whether these lines stand above; if not, they do from now on."""
        held = self.lines.setdefault(path, [])
        if any(low <= first and last <= high for low, high in held):
            return True
        held.append((first, last))
        return False

    def add(self, path: str, shown: Iterable[int], left_out: Iterable[int]) -> None:
        """Take in which lines of a file were shown, and which were left out beside them."""
        self.lines.setdefault(path, []).extend(_ranges(shown))
        self.left_out.setdefault(path, set()).update(left_out)

    def split(self, path: str, first: int, last: int) -> tuple[list[Range], list[Range]]:
        """Return the ranges of lines that are to be shown, and those that stand above.

        What was left out above is to be shown where nothing else is asked for.
        """
        held, every = self.lines.get(path, ()), range(first, last + 1)
        seen = [n for n in every if any(low <= n <= high for low, high in held)]
        known = set(seen) | (self.left_out.get(path, set()) if seen else set())
        return _ranges(n for n in every if n not in known), _ranges(seen)

    def repeated(self, places: Sequence[tuple[str, int]]) -> set[tuple[str, int]]:
        """Return which places stand above; from now on all of them do."""
        held = self.places & set(places)
        self.places.update(places)
        return held


def _ranges(numbers: Iterable[int]) -> list[Range]:
    """Return ascending numbers as ranges, each with its last."""
    found: list[Range] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
