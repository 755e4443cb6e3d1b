"""Cuts SQL at `CREATE` statements, in linear time, because dialects differ too much to parse."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.parse.chunking.spans import NO_SPAN, Cutter, Piece
from ggrep.parse.chunking.windows import cut, fits, indentation_cost
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable

MAX_COLUMNS: Final = 255
"""Maximum number of columns of one table whose names are recorded."""

_KINDS: Final = {
    b"aggregate": "function",
    b"database": "module",
    b"domain": "typealias",
    b"event": "function",
    b"extension": "constant",
    b"function": "function",
    b"index": "constant",
    b"keyspace": "module",
    b"macro": "function",
    b"package": "module",
    b"policy": "constant",
    b"proc": "function",
    b"procedure": "function",
    b"role": "constant",
    b"rule": "constant",
    b"schema": "module",
    b"sequence": "constant",
    b"synonym": "constant",
    b"table": "class",
    b"trigger": "function",
    b"type": "typealias",
    b"user": "constant",
    b"view": "class",
}
_LOOSE: Final = frozenset({"constant", "module", "typealias"})
_BODIES: Final = frozenset({"function", "module"})
_HEAD: Final = re.compile(
    rb"[ \t]*create[ \t]+"
    rb"(?:(?:or|replace|alter|unique|temp|temporary|materialized|recursive|unlogged|global|local"
    rb"|external|foreign|virtual|constraint|clustered|nonclustered|fulltext|spatial|editionable"
    rb"|trusted|dictionary|definer[ \t]*=[ \t]*[^ \t\n]{1,200})[ \t]+){0,6}"
    rb"(" + b"|".join(sorted(_KINDS, reverse=True)) + rb")\s{1,200}"
    rb"(?:body\s{1,20})?(?:concurrently\s{1,20})?(?:if\s{1,20}not\s{1,20}exists\s{1,200})?"
    rb"((?:[\w\x80-\xff$#@.-]|\[[^\]\n]{1,200}\]|\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`){1,400})",
    re.IGNORECASE,
)
_COLUMN: Final = re.compile(
    rb"[ \t,(]*[\"`\[]?([A-Za-z_\x80-\xff][\w\x80-\xff$#]{0,127})[\"`\]]?[ \t]"
)
_NO_COLUMN: Final = frozenset(
    b"as check clustered comment constraint create exclude foreign fulltext index key like on "
    b"partition period primary references select spatial unique with".split()
)
_ENDS: Final = re.compile(rb"(?:go|/|\$\$|//|end\b.{0,200})[ \t;/$]*$", re.IGNORECASE)
_DOLLARS: Final = re.compile(rb"\$[A-Za-z_]{0,60}\$")
_DELIMITER: Final = re.compile(rb"^[ \t]*delimiter\b", re.IGNORECASE | re.MULTILINE)
_BEGIN: Final = re.compile(
    rb"\b(?:begin|declare)[ \t]*$|\bas[ \t]{1,20}begin\b|^[ \t]*is[ \t]*$", re.IGNORECASE
)
_LINE_COMMENT: Final = re.compile(rb"--.*|'[^'\n]*'|/\*.*?\*/")
_SHORT_BYTES: Final = 60
_LINE_BYTES: Final = 2000


class _Statement(Struct):
    """A `CREATE` statement: lines `first` to `last`, 0-based; comments precede line `head`."""

    first: int
    head: int
    last: int
    chunk_type: str
    name: str
    columns: list[str]


def sql_cutter(table: LineTable) -> Cutter:
    """Return a function that cuts an SQL file: a piece per `CREATE`, with the comments above."""
    ranges = list(_ranges(table))
    return lambda limits: _pieces(table, ranges, limits)


def _pieces(table: LineTable, ranges: Iterable[Piece], limits: ChunkLimits) -> list[Piece]:
    cost = indentation_cost(table)
    pieces: list[Piece] = []
    for piece in ranges:
        if len(pieces) > limits.max_chunks_per_file:
            break
        start, end = table.trim(piece.start, piece.end)
        if start >= end:
            continue
        whole = replace(piece, start=start, end=end)
        if fits(table, start, end, limits):
            _append(table, pieces, whole, limits)
            continue
        rest = Piece(start, end, piece.chunk_type, breadcrumb=(piece.name,) if piece.name else ())
        for index, (low, high) in enumerate(cut(table, start, end, limits, cost)):
            pieces.append(replace(rest if index else whole, start=low, end=high))
    return pieces


def _append(table: LineTable, pieces: list[Piece], piece: Piece, limits: ChunkLimits) -> None:
    """Add a piece, or join it to the last piece if both are small."""
    last = pieces[-1] if pieces else None
    if last is None or not fits(table, last.start, piece.end, limits):
        pieces.append(piece)
    elif last.loose and piece.loose:
        names = tuple(dict.fromkeys(last.names + piece.names))
        pieces[-1] = replace(
            last, end=piece.end, chunk_type="block", name="", names=names, signature=NO_SPAN
        )
    elif not piece.names and piece.end - piece.start <= _SHORT_BYTES:
        pieces[-1] = replace(last, end=piece.end)
    else:
        pieces.append(piece)


def _ranges(table: LineTable) -> Iterator[Piece]:
    """Yield all text of the file as pieces: statements, and the text between statements."""
    cursor = 0
    for item in _statements(table):
        start, end = table.starts[item.first], table.line_end(item.last)
        if cursor < start:
            yield Piece(cursor, start, "block", loose=True)
        names = (item.name, *dict.fromkeys(item.columns))
        loose = item.chunk_type in _LOOSE
        head = table.starts[item.head]
        yield Piece(
            *(start, end, item.chunk_type, item.name, names),
            signature=(head, table.line_end(item.head)),
            doc=(start, head),
            loose=loose,
        )
        cursor = end
    yield Piece(cursor, len(table.data), "block", loose=True)


def _statements(table: LineTable) -> list[_Statement]:
    return _Reader(table).read()


class _Reader:
    def __init__(self, table: LineTable) -> None:
        self._dollars = _DELIMITER.search(table.data) is None
        self._lines = [line[:_LINE_BYTES].rstrip() for line in table.data.split(b"\n")]
        self._statements: list[_Statement] = []
        self._open: _Statement | None = None
        self._body = False
        self._quote = b""
        self._comment = False
        self._lead = 0

    def read(self) -> list[_Statement]:
        """Return the statements in source order."""
        for number, whole in enumerate(self._lines):
            line = self._visible(whole)
            if line is None:
                self._follow(number, whole, opaque=True)
                continue
            inner = self._open is not None and self._body and line[:1] in {b" ", b"\t"}
            head = None if inner else _HEAD.match(line)
            if head is not None:
                self._begin(number, head)
            self._follow(number, line, opaque=self._leaves_open(line))
            only_comment = not line.strip() and whole.strip()
            if not only_comment and not whole.lstrip().startswith((b"--", b"/*")):
                self._lead = number + 1
        return self._statements

    def _visible(self, line: bytes) -> bytes | None:
        """Return the line without block comments and quoted bodies; None if nothing remains."""
        closing = b"*/" if self._comment else self._quote
        if not closing:
            return line
        before, closed, behind = line.partition(closing)
        if not closed:
            return None
        self._comment, self._quote = False, b""
        return b" " * len(before) + behind

    def _leaves_open(self, line: bytes) -> bool:
        """Record a comment or quotation that the line leaves open; return whether there is one."""
        bare = _LINE_COMMENT.sub(b"", line)
        self._comment = b"/*" in bare
        marks = _DOLLARS.findall(bare) if self._dollars else []
        opened = b""
        for mark in marks:
            if not opened:
                opened = mark
            elif mark == opened:
                opened = b""
        self._quote = opened
        return bool(opened) or self._comment

    def _begin(self, number: int, head: re.Match[bytes]) -> None:
        kind = _KINDS[head[1].lower()]
        first = min(number, self._lead)
        floor = self._statements[-1].last + 1 if self._statements else 0
        name = _bare(head[2])
        if not name:
            return
        self._open = _Statement(max(first, floor), number, number, kind, name, [])
        self._body = False
        self._statements.append(self._open)

    def _follow(self, number: int, line: bytes, *, opaque: bool) -> None:
        """Add a line to the open statement, or end the statement."""
        item = self._open
        if item is None:
            return
        item.last = number
        if opaque:
            return
        if item.chunk_type in _BODIES and _BEGIN.search(line):
            self._body = True
        if item.chunk_type == "class" and number > item.first and len(item.columns) < MAX_COLUMNS:
            column = _COLUMN.match(line)
            if column is not None and column[1].lower() not in _NO_COLUMN:
                item.columns.append(column[1].decode("utf-8", "replace"))
        ended = _ENDS.match(line) is not None
        if ended or (line.endswith(b";") and not self._body):
            self._open = None


def _bare(name: bytes) -> str:
    """Return the last part of a dotted name, without quotes."""
    parts = re.findall(rb"[^.\"`\[\]]+", name)
    return parts[-1].decode("utf-8", "replace") if parts else ""
