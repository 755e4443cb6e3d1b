"""What the answers of one command have shown so far, so that none of it is shown again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Range: TypeAlias = tuple[int, int]


@dataclass(slots=True)
class Above:
    """What the answers so far have shown.

    Attributes:
        lines: by path, the ranges of lines.
        places: of names and mentions, each as path and line.
    """

    lines: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    places: set[tuple[str, int]] = field(default_factory=set)

    def covers(self, path: str, first: int, last: int) -> bool:
        """Return whether these lines stand above; if not, they do from now on."""
        held = self.lines.setdefault(path, [])
        if any(low <= first and last <= high for low, high in held):
            return True
        held.append((first, last))
        return False

    def split(self, path: str, first: int, last: int) -> tuple[list[Range], list[Range]]:
        """Return the ranges of lines that do not stand above, and those that do.

        From now on all of them do.
        """
        held = self.lines.setdefault(path, [])
        unseen, seen = list[Range](), list[Range]()
        for number in range(first, last + 1):
            ranges = seen if any(low <= number <= high for low, high in held) else unseen
            if ranges and ranges[-1][1] == number - 1:
                ranges[-1] = (ranges[-1][0], number)
            else:
                ranges.append((number, number))
        held.append((first, last))
        return unseen, seen

    def repeated(self, places: Sequence[tuple[str, int]]) -> set[tuple[str, int]]:
        """Return which places stand above; from now on all of them do."""
        held = self.places & set(places)
        self.places.update(places)
        return held
