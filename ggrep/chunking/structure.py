"""Which scanner finds the structure of which language."""

from collections.abc import Callable
from typing import Final

from ggrep.chunking.braces import block_keys, rule_keys
from ggrep.chunking.buildfiles import dockerfile_keys, make_keys
from ggrep.chunking.json_keys import json_keys
from ggrep.chunking.keyed import keyed_pieces
from ggrep.chunking.keys import Key
from ggrep.chunking.limits import ChunkLimits
from ggrep.chunking.line_table import LineTable
from ggrep.chunking.markup import html_keys, xml_keys
from ggrep.chunking.notebook import notebook_pieces
from ggrep.chunking.spans import Piece
from ggrep.chunking.tables import ini_keys, toml_keys
from ggrep.chunking.yaml_keys import yaml_keys

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
    """Return the keys of a file that may be an INI file or blocks in braces."""
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


def structured_pieces(
    table: LineTable, language: str, limits: ChunkLimits
) -> tuple[str, list[Piece]] | None:
    """Return the method and the pieces; None when there is no structure to follow."""
    if language == "jupyter":
        pieces = notebook_pieces(table, limits)
        if pieces:
            return "notebook", pieces
    if language not in _SCANNERS:
        return None
    scanner, comments = _SCANNERS[language]
    keys = scanner(table)
    pieces = keyed_pieces(table, keys, limits, comments) if keys else []
    return ("structure", pieces) if pieces else None
