"""Groups the cells of notebooks, which `source/notebooks.py` converted to scripts, into pieces.

Headings in text cells enclose the cells below. Cells under one heading share a piece while they
fit. Definitions become separate pieces, as in other files.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.parse.chunking.spans import Cutter, Piece
from ggrep.parse.chunking.windows import CutCost, indentation_cost
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable

if TYPE_CHECKING:
    from ggrep.parse.chunking.outline import Definition

_MARK: Final = re.compile(rb"^(?://|--|[#;%]) %% (\[\w+\] )?\d+$", re.MULTILINE)
_ADDED: Final = re.compile(
    rb"^(?://|--|[#;%]) (?:%% (?:\[\w+\] )?\d+|Jupyter notebook in \S+)$", re.MULTILINE
)
_HEADING: Final = re.compile(rb"^(?://|--|[#;%]) (#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_NAME_CHARACTERS: Final = 120


def notebook_cutter(table: LineTable) -> Cutter:
    """Return a function that cuts a notebook by cells and ignores the structure of their code."""

    def pieces(limits: ChunkLimits) -> list[Piece]:
        return place_cells(table, limits, (), lambda: indentation_cost(table))

    return pieces


def place_cells(
    table: LineTable,
    limits: ChunkLimits,
    definitions: "Sequence[Definition]",
    cost: Callable[[], CutCost],
) -> list[Piece]:
    """Return the pieces of a notebook that contains these definitions."""
    from ggrep.parse.chunking.arrange import Arrangement, join_loose

    placed: list[Piece] = []
    after = 0
    for cell in _cells(table.data):
        before = after
        while after < len(definitions) and definitions[after].start < cell.end:
            after += 1
        arrangement = Arrangement(table, limits, cost)
        parts = arrangement.place_part(cell.start, cell.end, definitions[before:after])
        if len(parts) > 1 and _says_nothing(table.data[parts[0].start : parts[0].end]):
            parts[:2] = [replace(parts[1], start=parts[0].start)]
        placed += [_under(part, cell) for part in parts]
    joined = join_loose(table, placed, limits)
    return [_outside_itself(piece) for piece in joined]


class _Cell(Struct, frozen=True):
    """A cell; `headings` are inside the cell, `crumb` are the headings that enclose its end."""

    start: int
    end: int
    crumb: tuple[str, ...]
    headings: tuple[str, ...]


def _cells(data: bytes) -> list[_Cell]:
    """Return the cells; the first cell begins at the start of the file."""
    marks = list(_MARK.finditer(data))
    starts = [0, *(mark.start() for mark in marks[1:]), len(data)]
    above: list[tuple[int, str]] = []
    cells: list[_Cell] = []
    for number, (start, end) in enumerate(pairwise(starts)):
        headings: list[str] = []
        if number < len(marks) and marks[number][1] is not None:
            for heading in _HEADING.finditer(data, start, end):
                level = len(heading[1])
                name = " ".join(heading[2].decode("utf-8", "replace").split())[:_NAME_CHARACTERS]
                above = [*(outer for outer in above if outer[0] < level), (level, name)]
                headings.append(name)
        cells.append(_Cell(start, end, tuple(name for _, name in above), tuple(headings)))
    return cells


def _says_nothing(text: bytes) -> bool:
    """Return whether a text consists only of cell titles."""
    return not _ADDED.sub(b"", text).strip()


def _under(piece: Piece, cell: _Cell) -> Piece:
    """Return a piece of a cell with the cell's headings; definitions are unchanged."""
    if not piece.loose or piece.breadcrumb or piece.name:
        return piece
    name, *_ = cell.headings or ("",)
    kind = "section" if name else piece.chunk_type
    names = (*cell.headings, *piece.names)
    return replace(piece, chunk_type=kind, name=name, names=names, breadcrumb=cell.crumb)


def _outside_itself(piece: Piece) -> Piece:
    """Return a piece; its own heading is removed from the headings that enclose it."""
    last = piece.breadcrumb[-1:]
    return replace(piece, breadcrumb=piece.breadcrumb[:-1]) if last == (piece.name,) else piece
