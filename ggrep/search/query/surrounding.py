"""The code around a place of a file: its chunks, and how far each boundary reaches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ggrep.model.navigation import Boundary

BOUNDARIES: Final[tuple[Boundary, ...]] = ("chunk", "definition", "container", "file")
"""From the narrowest to the widest."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One chunk of a file.

    Attributes:
        first_line: 1-based, as `last_line`.
        name: of the definition that begins in it; empty where none does.
        breadcrumb: what encloses it, outermost first.
    """

    row_id: str
    first_line: int
    last_line: int
    chunk_type: str
    name: str
    breadcrumb: tuple[str, ...]
    signature: str

    @property
    def trail(self) -> tuple[str, ...]:
        """Return the definitions that enclose it, including its own."""
        return (*self.breadcrumb, self.name) if self.name else self.breadcrumb


@dataclass(frozen=True, slots=True)
class Reach:
    """The extent of a boundary.

    Attributes:
        first_line: 1-based, as `last_line`.
        trail: the definitions around all of it.
    """

    boundary: Boundary
    first_line: int
    last_line: int
    trail: tuple[str, ...]


def reaches_of(pieces: Sequence[Piece], first: int, last: int, lines: int) -> list[Reach]:
    """Return the extent of each boundary around some chunks, the narrowest first.

    None of them is narrower than the one before. In place of a definition, where there is none
    around the chunks, stand the chunks themselves, and in place of a container the file.

    Args:
        pieces: all chunks of the file, in source order; not empty.
        first: place of the first of the chunks in question.
        last: that of the last of them.
        lines: of the file.
    """
    trail = pieces[first].trail
    for piece in pieces[first + 1 : last + 1]:
        trail = _common(trail, piece.trail)
    own = (first, last)
    definition = _widened(pieces, own, trail) if trail else own
    container = _widened(pieces, definition, trail[:-1]) if len(trail) > 1 else None
    whole = Reach("file", 1, max(lines, pieces[-1].last_line), ())
    outer = whole if container is None else _reach("container", pieces, container, trail[:-1])
    return [
        _reach("chunk", pieces, own, trail),
        _reach("definition" if trail else "chunk", pieces, definition, trail),
        outer,
        whole,
    ]


def _reach(
    boundary: Boundary, pieces: Sequence[Piece], span: tuple[int, int], trail: tuple[str, ...]
) -> Reach:
    last = max(piece.last_line for piece in pieces[span[0] : span[1] + 1])
    return Reach(boundary, pieces[span[0]].first_line, last, trail)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


def _widened(
    pieces: Sequence[Piece], span: tuple[int, int], trail: tuple[str, ...]
) -> tuple[int, int]:
    """Return the chunks around `span` that are of the definition with that trail.

    One chunk in which a definition of that trail begins is its first: two of one name may stand
    behind each other.
    """
    first, last = span
    while first > 0 and not _begins(pieces[first], trail) and _within(pieces[first - 1], trail):
        first -= 1
    while (
        last + 1 < len(pieces)
        and _within(pieces[last + 1], trail)
        and not _begins(pieces[last + 1], trail)
    ):
        last += 1
    return first, last


def _within(piece: Piece, trail: tuple[str, ...]) -> bool:
    return piece.trail[: len(trail)] == trail


def _begins(piece: Piece, trail: tuple[str, ...]) -> bool:
    return bool(piece.name) and piece.trail == trail
