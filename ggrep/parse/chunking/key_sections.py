"""Sections and keys of TOML and of INI files and their relatives, by lines."""

import re
from typing import Final

from ggrep.parse.chunking.keys import MAX_KEYS, Key, key_name
from ggrep.parse.line_table import LineTable

_LINE_BYTES: Final = 4000
_TABLE: Final = re.compile(rb"[ \t]*\[\[?[ \t]*([^\]\n]{1,300})\]")
_TOML_KEY: Final = re.compile(
    rb"""[ \t]*((?:[\w-]++|"[^"\n]{0,200}"|'[^'\n]{0,200}')"""
    rb"""(?:[ \t]*+\.[ \t]*+(?:[\w-]++|"[^"\n]{0,200}"|'[^'\n]{0,200}')){0,9})[ \t]*+="""
)
_TOML_PART: Final = re.compile(rb"""[\w-]++|"([^"]*+)"|'([^']*+)'""")
_TOML_TOKEN: Final = re.compile(
    rb"""\"\"\"|'''|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'|\#[^\n]*+|[\[\]{}]"""
)
_INI_SECTION: Final = re.compile(rb"[ \t]*\[([^\]\n]{1,300})\]")
_INI_KEY: Final = re.compile(rb"(?:export[ \t]+)?([^\s=:#;\[][^=:\n]{0,200}?)[ \t]*+[=:]")


def toml_keys(table: LineTable) -> list[Key]:
    """Return tables and keys; an element of a list of tables is named by its `name`."""
    found: list[Key] = []
    values = _Values()
    level, array = 1, -1
    for start in table.starts:
        if len(found) > MAX_KEYS:
            break
        line = table.data[start : start + _LINE_BYTES].split(b"\n", 1)[0]
        header = None if values.inside else _TABLE.match(line)
        key = None if values.inside or header else _TOML_KEY.match(line)
        if header is not None:
            found.append(_dotted(start, 1, header[1]))
            level = 2
            array = len(found) - 1 if line.lstrip().startswith(b"[[") else -1
        elif key is not None:
            found.append(_dotted(start, level, key[1]))
            if array >= 0 and key[1] == b"name":
                found[array] = _titled(found[array], line[key.end() :])
        if header is None:
            values.read(line if key is None else line[key.end() :])
    return found


class _Values:
    """Tells whether the next line still belongs to a value begun above."""

    def __init__(self) -> None:
        self._quotes = b""
        self._depth = 0

    @property
    def inside(self) -> bool:
        return bool(self._quotes) or self._depth > 0

    def read(self, line: bytes) -> None:
        """Take in a line, or what follows `=` on it."""
        position = 0
        while True:
            if self._quotes:
                position = line.find(self._quotes, position)
                if position < 0:
                    return
                position += 3
                self._quotes = b""
            token = _TOML_TOKEN.search(line, position)
            if token is None:
                return
            position = token.end()
            if token[0] in {b'"""', b"'''"}:
                self._quotes = token[0]
            elif token[0] in b"[{":
                self._depth += 1
            elif token[0] in b"]}":
                self._depth = max(0, self._depth - 1)


def _dotted(start: int, level: int, raw: bytes) -> Key:
    parts = [key_name(m[1] or m[2] or m[0]) for m in _TOML_PART.finditer(raw)]
    return Key(start, level, parts[-1] if parts else "", tuple(parts[:-1]))


def _titled(key: Key, value: bytes) -> Key:
    title = key_name(value.split(b" #", 1)[0].strip().strip(b"\"'"))
    return Key(key.start, key.level, title, (*key.owners, key.name)) if title else key


def ini_keys(table: LineTable) -> list[Key]:
    """Return sections and keys; an indented line continues the one above it."""
    found: list[Key] = []
    level = 1
    for start in table.starts:
        if len(found) > MAX_KEYS:
            break
        line = table.data[start : start + _LINE_BYTES].split(b"\n", 1)[0]
        section = _INI_SECTION.match(line)
        if section is not None:
            level = 2
            found.append(Key(start, 1, key_name(section[1])))
            continue
        indented = line[:1] in {b" ", b"\t"}
        key = _INI_KEY.match(line.lstrip(b" \t")) if level == 2 or not indented else None
        if key is not None:
            found.append(Key(start, level + indented, key_name(key[1])))
    return found
