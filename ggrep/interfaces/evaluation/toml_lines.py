"""Finds the lines of a TOML text's tables and keys, which the standard parser drops."""

import re
from dataclasses import dataclass, field
from typing import TypeAlias

Place: TypeAlias = tuple[str, int]
"""A table: its name, and which of the array it is, 0-based; the top of the file is `("", 0)`."""

_TABLE = re.compile(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]")
_KEY = re.compile(r"\s*(\"[^\"]*\"|'[^']*'|[\w\-]+)\s*[=.]")
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]|\n',
    re.DOTALL,
)


@dataclass(slots=True)
class TomlLines:
    """Lines of a file, 1-based.

    Attributes:
        tables: the line of each table's header.
        keys: the line of each key, by its table.
    """

    tables: dict[Place, int] = field(default_factory=dict)
    keys: dict[tuple[Place, str], int] = field(default_factory=dict)

    def line_of(self, place: Place, key: str = "") -> int:
        """Return the line of a key, else of its table, else the first."""
        return self.keys.get((place, key), self.tables.get(place, 1))


def toml_lines(text: str) -> TomlLines:
    """Return the lines of a text that the parser takes."""
    found = TomlLines()
    counts: dict[str, int] = {}
    place: Place = ("", 0)
    for line, statement in _statements(text):
        table = _TABLE.match(statement)
        key = _KEY.match(statement)
        if table is not None:
            name = table[2]
            place = (name, counts.get(name, 0))
            counts[name] = place[1] + 1
            found.tables[place] = line
        elif key is not None:
            found.keys.setdefault((place, key[1].strip("\"'")), line)
    return found


def _statements(text: str) -> list[tuple[int, str]]:
    """Return each line outside of strings and brackets with its number."""
    statements = []
    line = begun = 1
    start = depth = 0
    for token in _TOKEN.finditer(text + "\n"):
        piece = token.group()
        if piece in ("[", "{"):
            depth += 1
        elif piece in ("]", "}"):
            depth -= 1
        elif piece == "\n":
            line += 1
            if depth <= 0:
                statements.append((begun, text[start : token.start()]))
                start, begun = token.end(), line
        else:
            line += piece.count("\n")
    return statements
