"""Cuts a file by a structure that is found without a parser: keys, headings, cells, statements."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from ggrep.parse.chunking.data_keys import json_keys, yaml_keys
from ggrep.parse.chunking.diagrams import mermaid_edges
from ggrep.parse.chunking.documents import (
    asciidoc_cutter,
    markdown_cutter,
    rst_cutter,
    window_pieces,
)
from ggrep.parse.chunking.keyed import Key, keyed_cutter
from ggrep.parse.chunking.line_keys import (
    block_keys,
    dockerfile_keys,
    ini_keys,
    make_keys,
    rule_keys,
    toml_keys,
)
from ggrep.parse.chunking.markup import html_keys, xml_keys
from ggrep.parse.chunking.notebook import notebook_cutter
from ggrep.parse.chunking.spans import Cutter, Piece
from ggrep.parse.chunking.sql import sql_cutter
from ggrep.parse.languages.by_content import is_notebook
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.registry import MERMAID

Scanner = Callable[[LineTable], list[Key]]

_HASH: Final = (b"#",)
_SLASHES: Final = (b"//", b"/*", b"* ", b"*/")
_MARKUP: Final = (b"<!--",)


def _xml(table: LineTable) -> list[Key]:
    return xml_keys(table.data)


def _html(table: LineTable) -> list[Key]:
    return html_keys(table.data)


def _json(table: LineTable) -> list[Key]:
    return json_keys(table.data)


def _settings(table: LineTable) -> list[Key]:
    """Return the keys of a settings file, which is read as INI, or else as blocks in braces."""
    keys = ini_keys(table)
    blocks = b"{\n" in table.data or b"{\r\n" in table.data
    return block_keys(table) if blocks and not any(key.level == 2 for key in keys) else keys


_SCANNERS: Final[dict[str, tuple[Scanner, tuple[bytes, ...]]]] = {
    "avro": (_json, _SLASHES),
    "css": (rule_keys, _SLASHES),
    "desktop": (ini_keys, _HASH),
    "dockerfile": (dockerfile_keys, _HASH),
    "graphql": (block_keys, _HASH),
    "hcl": (block_keys, (*_HASH, *_SLASHES)),
    "html": (_html, _MARKUP),
    "ini": (_settings, (*_HASH, b";")),
    "json": (_json, _SLASHES),
    "jupyter": (_json, ()),
    "less": (rule_keys, _SLASHES),
    "lock": (toml_keys, _HASH),
    "make": (make_keys, _HASH),
    "plist": (_xml, _MARKUP),
    "prisma": (block_keys, _SLASHES),
    "scss": (rule_keys, _SLASHES),
    "svelte": (_html, _MARKUP),
    "toml": (toml_keys, _HASH),
    "vue": (_html, _MARKUP),
    "xml": (_xml, _MARKUP),
    "yaml": (yaml_keys, _HASH),
}


def structure_cutters(table: LineTable, language: str) -> Iterator[tuple[str, Cutter]]:
    """Yield the names and functions of the methods that can cut the file by its structure."""
    if is_notebook(table.data):
        yield "notebook", notebook_cutter(table)
    if language in _SCANNERS:
        scanner, comments = _SCANNERS[language]
        keyed = keyed_cutter(table, scanner(table), comments)
        if keyed is not None:
            yield "structure", keyed


_DOCUMENTS: Final = {
    "asciidoc": ("structure", asciidoc_cutter),
    "markdown": ("markdown", markdown_cutter),
    "rst": ("structure", rst_cutter),
    "sql": ("structure", sql_cutter),
}


class Reading:
    """The structure of one file; it is found without a parser, when it is first needed."""

    def __init__(self, table: LineTable, language: str) -> None:
        self.table = table
        self.language = language

    def structured(self, limits: ChunkLimits) -> tuple[str, list[Piece]] | None:
        """Return the method's name and the pieces; None if the file has no known structure.

        If there are more pieces than a file can have, the last pieces are left out.
        """
        for method, cutter in self._cutters:
            pieces = cutter(limits)
            if pieces is not None:
                return method, pieces
        return None

    def windows(self, limits: ChunkLimits) -> list[Piece]:
        """Return windows of lines; if there are too many, the last windows are left out."""
        return window_pieces(self.table, limits)

    @cached_property
    def _cutters(self) -> list[tuple[str, Cutter]]:
        if self.language == MERMAID:
            return [("diagram", self._diagram)]
        if self.language in _DOCUMENTS:
            method, cutter = _DOCUMENTS[self.language]
            return [(method, cutter(self.table))]
        return list(structure_cutters(self.table, self.language))

    def _diagram(self, limits: ChunkLimits) -> list[Piece]:
        pieces = [replace(piece, chunk_type="diagram") for piece in self.windows(limits)]
        if pieces:
            edges = mermaid_edges(self.table.data.decode("utf-8", "replace"))
            pieces[0] = replace(pieces[0], extra=edges)
        return pieces
