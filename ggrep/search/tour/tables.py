"""Parses the text of manifests: tables of TOML and INI files, and the line of a key."""

import re
import tomllib
from collections.abc import Mapping
from configparser import ConfigParser, Error
from typing import Any


def toml_table(text: str, *keys: str) -> Mapping[str, Any]:
    """Return a table of a TOML document; empty if it is missing or the document is invalid."""
    try:
        table: Any = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    for key in keys:
        table = table.get(key) if isinstance(table, Mapping) else None
    return table if isinstance(table, Mapping) else {}


def section_keys(text: str, section: str) -> Mapping[str, str]:
    """Return the keys of a section of an INI file; empty if it is missing."""
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except Error:
        return {}
    return dict(parser[section]) if parser.has_section(section) else {}


def line_with(text: str, words: str, *, after: str = "") -> int:
    """Return the first line, 1-based, that contains the words as a whole; 0 if there is none.

    Args:
        text: the file's text.
        words: the words as they are spelled in the file.
        after: text after whose first occurrence the search begins.
    """
    start = text.find(after) if after else 0
    whole = re.compile(rf"(?<![\w-]){re.escape(words)}(?![\w-])")
    match = whole.search(text, max(start, 0))
    return 0 if match is None else text.count("\n", 0, match.start()) + 1
