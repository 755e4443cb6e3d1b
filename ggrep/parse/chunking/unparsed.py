"""The structure of a file's text alone, scanned once and cut under any limits."""

from dataclasses import replace
from functools import cached_property
from typing import Final

from ggrep.parse.chunk_limits import ChunkLimits
from ggrep.parse.chunking.diagrams import diagram_edges
from ggrep.parse.chunking.markdown import markdown_cutter
from ggrep.parse.chunking.plain_text import asciidoc_cutter, rst_cutter, window_pieces
from ggrep.parse.chunking.spans import Cutter, Piece
from ggrep.parse.chunking.sql import sql_cutter
from ggrep.parse.chunking.structure import structure_cutters
from ggrep.parse.languages.registry import DIAGRAMS
from ggrep.parse.line_table import LineTable

_DOCUMENTS: Final = {
    "asciidoc": ("structure", asciidoc_cutter),
    "markdown": ("markdown", markdown_cutter),
    "rst": ("structure", rst_cutter),
    "sql": ("structure", sql_cutter),
}


class Reading:
    """One file as it reads without a parser; nothing is read before it is asked for."""

    def __init__(self, table: LineTable, language: str) -> None:
        self.table = table
        self.language = language

    def structured(self, limits: ChunkLimits) -> tuple[str, list[Piece]] | None:
        """Return the method and the pieces; None when there is no structure to follow.

        There may be more pieces than a file may have; the last of them are left out then.
        """
        for method, cutter in self._cutters:
            pieces = cutter(limits)
            if pieces is not None:
                return method, pieces
        return None

    def windows(self, limits: ChunkLimits) -> list[Piece]:
        """Return windows of lines, which suit any text; left out as in `structured`."""
        return window_pieces(self.table, limits)

    @cached_property
    def _cutters(self) -> list[tuple[str, Cutter]]:
        if self.language in DIAGRAMS:
            return [("diagram", self._diagram)]
        if self.language in _DOCUMENTS:
            method, cutter = _DOCUMENTS[self.language]
            return [(method, cutter(self.table))]
        return list(structure_cutters(self.table, self.language))

    def _diagram(self, limits: ChunkLimits) -> list[Piece]:
        pieces = [replace(piece, chunk_type="diagram") for piece in self.windows(limits)]
        if pieces:
            edges = diagram_edges(self.language, self.table.data.decode("utf-8", "replace"))
            pieces[0] = replace(pieces[0], extra=edges)
        return pieces
