"""Finds the keys of JSON and YAML files."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from ggrep.parse.chunking.keyed import MAX_KEYS, Key, key_name
from ggrep.parse.languages.line_table import LineTable

TOKEN: Final = re.compile(
    rb"""
    (?P<string> "(?:[^"\\\n]|\\.)*+"?+ | '(?:[^'\\\n]|\\.)*+'?+ )(?P<colon> \s*+:)?+
    | (?P<bare> (?<![\w$.]) [A-Za-z_$][\w$]*+ (?=\s*+:) )
    | (?P<comment> //[^\n]*+ | /\*(?:[^*]|\*(?!/))*+ )
    | (?P<bracket> [{}\[\]] )
    """,
    re.VERBOSE | re.DOTALL,
)
"""Tokens of a scan; each alternative takes linear time even if its end is missing."""

TITLES: Final = (b"name", b"id", b"title", b"key", b"label", b"uses", b"path")
"""Keys whose value names the object that contains them, the best first."""

MAX_TOKENS: Final = 1_000_000
"""Maximum number of tokens read from a file; the rest of the file belongs to the last key."""

_MAX_SCANNED_NAMES: Final = 400
_DEEPEST: Final = 24


def json_keys(data: bytes) -> list[Key]:
    """Return the keys, and those elements of lists that are objects or lists."""
    scan = _JsonScan()
    for match in islice(TOKEN.finditer(data), MAX_TOKENS):
        if scan.count > MAX_KEYS + 1:  # a single outermost value is not a key, see `keys`
            break
        if match["bracket"] is not None:
            scan.bracket(match["bracket"], match.start())
        elif match["bare"] is not None:
            scan.key(match["bare"], match.start())
        elif match["string"] is not None:
            text = match["string"][:_MAX_SCANNED_NAMES].strip(b"\"'")
            if match["colon"] is not None and scan.in_object():
                scan.key(text, match.start())
            else:
                scan.value(text)
    return list(scan.keys())


class _JsonScan:
    """The state of a scan; `_elements` has for each open bracket its index in `_marks`, or -1."""

    def __init__(self) -> None:
        self._marks: list[tuple[int, int]] = []
        self._names: list[bytes] = []
        self._ranks: dict[int, int] = {}
        self._open = bytearray()
        self._elements: list[int] = []
        self._pending = b""
        self._after_key = False

    @property
    def count(self) -> int:
        return len(self._marks)

    def in_object(self) -> bool:
        return self._open[-1:] == b"{"

    def bracket(self, bracket: bytes, start: int) -> None:
        if bracket in b"]}":
            if self._open:
                self._open.pop()
                self._elements.pop()
        else:
            element = -1
            if not self._after_key and not self.in_object():
                element = self._mark(start, b"")
            self._open += bracket
            self._elements.append(element)
        self._after_key, self._pending = False, b""

    def key(self, name: bytes, start: int) -> None:
        self._mark(start, name)
        self._after_key, self._pending = True, name

    def value(self, text: bytes) -> None:
        """If the key of a value is like `"name"`, use the value as the name of the list element."""
        element = self._elements[-1] if self._elements else -1
        if element >= 0 and self._pending in TITLES:
            rank = TITLES.index(self._pending)
            if rank < self._ranks.get(element, len(TITLES)):
                self._ranks[element] = rank
                self._names[element] = text
        self._after_key, self._pending = False, b""

    def _mark(self, start: int, name: bytes) -> int:
        if len(self._open) > _DEEPEST:
            return -1
        self._marks.append((start, len(self._open)))
        self._names.append(name)
        return len(self._marks) - 1

    def keys(self) -> Iterator[Key]:
        """Yield the keys; if the file consists of a single value, this value is not a key."""
        lonely = sum(level == 0 for _, level in self._marks) <= 1
        for (start, level), name in zip(self._marks, self._names, strict=True):
            if level or not lonely:
                yield Key(start, level, key_name(name))


_LINE_BYTES: Final = 1000
_DASHES: Final = re.compile(rb" *+((?:-(?: ++|\r?$))*+)")
_KEY: Final = re.compile(
    rb"""(?:"([^"\\\n]{1,200}+)"|'([^'\n]{1,200}+)'|([^\s#?:,\[\]{}&*!|>'"%@`-][^#\n]{0,200}?|"""
    rb"""-[^\s#][^#\n]{0,200}?))[ \t]*+:(?=[ \t\r]|$)"""
)
_BLOCK_SCALAR: Final = re.compile(
    rb"[ \t]*(?:[!&][^ ]{1,80}[ \t]+)?[|>][-+0-9]{0,3}[ \t\r]*(?:#.*)?$"
)


def yaml_keys(table: LineTable) -> list[Key]:
    """Return the keys. A list item is named by its `name` or `id`, a document by its kind."""
    scan = _YamlScan()
    ceiling = -1
    for start in table.starts:
        line = table.data[start : start + _LINE_BYTES].split(b"\n", 1)[0]
        text = line.lstrip(b" ")
        column = len(line) - len(text)
        if not text.strip() or (ceiling >= 0 and column > ceiling):
            continue
        ceiling = -1
        if column == 0 and text.startswith((b"---", b"...")):
            scan.document(start)
        elif not text.startswith(b"#"):
            ceiling = scan.line(start, line, column)
        if scan.count > MAX_KEYS:
            break
    return scan.keys()


class _YamlScan:
    """The state while a YAML file is scanned.

    The level of a key in column n is 2n. The level of a dash in column n is 2n + 1, so that a list
    is inside of a key in the same column.
    """

    def __init__(self) -> None:
        self._marks: list[tuple[int, int]] = [(0, -1)]
        self._names: list[str] = [""]
        self._item: tuple[int, int, int] | None = None
        self._document = 0
        self._kind = ""
        self._parent = b""

    @property
    def count(self) -> int:
        return len(self._marks)

    def document(self, start: int) -> None:
        if len(self._marks) == 1:
            return
        self._marks.append((start, -1))
        self._names.append("")
        self._document, self._kind, self._parent = len(self._marks) - 1, "", b""
        self._item = None

    def line(self, start: int, line: bytes, column: int) -> int:
        """Read one line; if a block scalar begins, return its column, else -1."""
        dashes = _DASHES.match(line)
        inner = column
        if dashes is not None and dashes[1]:
            inner = dashes.end()
            for offset in range(column, inner):
                if line[offset : offset + 1] == b"-":
                    self._mark(start + (0 if offset == column else offset), 2 * offset + 1, "")
            self._item = len(self._marks) - 1, inner, len(TITLES)
            if _BLOCK_SCALAR.match(line, inner):
                return column
        key = _KEY.match(line, inner)
        if key is None:
            return -1
        self._key(start + inner, inner, key[1] or key[2] or key[3], line[key.end() :])
        return inner if _BLOCK_SCALAR.match(line, key.end()) else -1

    def _mark(self, start: int, level: int, name: str) -> None:
        self._marks.append((start, level))
        self._names.append(name)

    def _key(self, start: int, column: int, name: bytes, rest: bytes) -> None:
        if self._item is not None and column < self._item[1]:
            self._item = None
        self._mark(start, 2 * column, key_name(name))
        if self._item is not None and column == self._item[1] and name in TITLES:
            number, _, rank = self._item
            if TITLES.index(name) < rank and _scalar(rest):
                self._item = number, column, TITLES.index(name)
                self._names[number] = _scalar(rest)
        self._title_document(column, name, rest)

    def _title_document(self, column: int, name: bytes, rest: bytes) -> None:
        if column == 0:
            self._parent = name
            if name == b"kind":
                self._kind = self._names[self._document] = _scalar(rest)
        elif name == b"name" and self._parent == b"metadata" and self._kind:
            self._names[self._document] = f"{self._kind} {_scalar(rest)}".strip()
            self._parent = b""

    def keys(self) -> list[Key]:
        """Return the keys, and the documents if the file contains several documents."""
        single = sum(level < 0 for _, level in self._marks) == 1
        rows = zip(self._marks, self._names, strict=True)
        return [
            Key(start, level, name) for (start, level), name in rows if level >= 0 or not single
        ]


def _scalar(rest: bytes) -> str:
    """Return a plain or quoted value; empty for lists, mappings, anchors and block scalars."""
    text = rest.split(b" #", 1)[0].strip()
    return (
        ""
        if text[:1] in {b"[", b"{", b"|", b">", b"&", b"*", b"!"}
        else key_name(text.strip(b"\"'"))
    )
