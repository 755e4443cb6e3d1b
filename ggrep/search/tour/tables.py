"""Reads what manifests say: tables of TOML and INI, and the line that a key stands in. Pure."""

import re
import tomllib
from collections.abc import Mapping
from configparser import ConfigParser, Error
from typing import Any


def toml_table(text: str, *keys: str) -> Mapping[str, Any]:
    """Return a table of a TOML document; empty where there is none, or no document."""
    try:
        found: Any = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def section_keys(text: str, section: str) -> Mapping[str, str]:
    """Return the keys of a section of an INI file; empty where there is none."""
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except Error:
        return {}
    return dict(parser[section]) if parser.has_section(section) else {}


def line_with(text: str, words: str, *, after: str = "") -> int:
    """Return the first line, 1-based, that holds words as a whole; 0 where none does.

    Args:
        text: of a file.
        words: as they are spelled there.
        after: look behind the first place of these only.
    """
    start = text.find(after) if after else 0
    whole = re.compile(rf"(?<![\w-]){re.escape(words)}(?![\w-])")
    match = whole.search(text, max(start, 0))
    return 0 if match is None else text.count("\n", 0, match.start()) + 1
