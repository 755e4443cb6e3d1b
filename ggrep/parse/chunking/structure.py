"""The structure scanner of each language."""

from collections.abc import Callable, Iterator
from typing import Final

from ggrep.parse.chunking.braces import block_keys, rule_keys
from ggrep.parse.chunking.buildfiles import dockerfile_keys, make_keys
from ggrep.parse.chunking.json_keys import json_keys
from ggrep.parse.chunking.key_sections import ini_keys, toml_keys
from ggrep.parse.chunking.keyed import keyed_cutter
from ggrep.parse.chunking.keys import Key
from ggrep.parse.chunking.markup import html_keys, xml_keys
from ggrep.parse.chunking.notebook import notebook_cutter
from ggrep.parse.chunking.spans import Cutter
from ggrep.parse.chunking.yaml_keys import yaml_keys
from ggrep.parse.languages.by_content import is_notebook
from ggrep.parse.line_table import LineTable

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


def structure_cutters(table: LineTable, language: str) -> Iterator[tuple[str, Cutter]]:
    """Yield the methods that follow the file's structure, best first; none when it has none."""
    if is_notebook(table.data):
        yield "notebook", notebook_cutter(table)
    if language in _SCANNERS:
        scanner, comments = _SCANNERS[language]
        keyed = keyed_cutter(table, scanner(table), comments)
        if keyed is not None:
            yield "structure", keyed
