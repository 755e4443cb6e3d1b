"""What the answers of one command have shown so far, so that none of it is shown again."""

from collections.abc import Sequence
from dataclasses import dataclass, field


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

    def repeated(self, places: Sequence[tuple[str, int]]) -> set[tuple[str, int]]:
        """Return which places stand above; from now on all of them do."""
        held = self.places & set(places)
        self.places.update(places)
        return held
