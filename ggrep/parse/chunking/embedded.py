"""Cuts files that contain scripts in another language, such as HTML pages."""

from collections.abc import Iterable, Sequence
from functools import cache, partial

from msgspec.structs import replace
from tree_sitter import Node

from ggrep.parse.chunking.arrange import Arrangement
from ggrep.parse.chunking.outline import Outline, statement_depths
from ggrep.parse.chunking.spans import Piece
from ggrep.parse.chunking.windows import CutCost, fits, syntax_cost
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.embedded_scripts import Script
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.syntax import rules_for, script_tree


class Scripts:
    """The scripts inside one file, parsed once.

    Attributes:
        imports: the imports of all scripts.
        names: the names that the scripts define at top level.
    """

    def __init__(self, table: LineTable, scripts: Iterable[Script], limits: ChunkLimits) -> None:
        self._table = table
        self._parsed = [(script, script_tree(table, script)) for script in scripts]
        self._outlines = [
            Outline(root, table, rules_for(script.language, root, table.data), limits)
            for script, root in self._parsed
        ]
        self.imports = [name for outline in self._outlines for name in outline.imports]
        self.names = [
            name
            for outline in self._outlines
            for item in outline.definitions
            for name in item.outer_names()
        ]

    def among(self, around: Sequence[Piece], limits: ChunkLimits) -> list[Piece]:
        """Return the scripts' pieces, and the pieces `around` them without the scripts' text."""
        table = self._table
        every: list[Piece] = []
        for (script, root), outline in zip(self._parsed, self._outlines, strict=True):
            arrangement = Arrangement(table, limits, cache(partial(_cost, table, root, limits)))
            whole = (script.outer_start, script.outer_end)
            pieces = arrangement.place_part(*whole, outline.definitions)
            every += _with_tag(table, script, pieces, limits)
        holes = [(script.outer_start, script.outer_end) for script, _ in self._parsed]
        every += (part for piece in around for part in _outside(table, piece, holes))
        return sorted(every, key=lambda piece: piece.start)


def _cost(table: LineTable, root: Node, limits: ChunkLimits) -> CutCost:
    return syntax_cost(table, statement_depths(root, table, limits))


def _with_tag(
    table: LineTable, script: Script, pieces: list[Piece], limits: ChunkLimits
) -> list[Piece]:
    """Return the pieces; a piece that contains only the opening tag is joined to the next piece."""
    if len(pieces) > 1 and pieces[0].end <= script.start:
        tag, first = pieces[:2]
        if fits(table, tag.start, first.end, limits):
            return [replace(first, start=tag.start), *pieces[2:]]
    return pieces


def _outside(table: LineTable, piece: Piece, holes: Sequence[tuple[int, int]]) -> list[Piece]:
    """Return what remains of a piece without the ranges `holes`, each part with its names."""
    parts: list[tuple[int, int]] = []
    cursor = piece.start
    for start, end in holes:
        if cursor < end and start < piece.end:
            parts.append((cursor, max(cursor, start)))
            cursor = end
    if not parts:
        return [piece]
    parts.append((cursor, max(cursor, piece.end)))
    trimmed = (table.trim(low, high) for low, high in parts)
    return [_part(table, piece, low, high) for low, high in trimmed if low < high]


def _part(table: LineTable, piece: Piece, start: int, end: int) -> Piece:
    text = table.data[start:end].decode("utf-8", "replace")
    names = tuple(name for name in piece.names if name in text)
    return replace(
        piece, start=start, end=end, name=piece.name if piece.name in text else "", names=names
    )
