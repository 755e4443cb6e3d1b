"""Cells of notebooks. The text stays the file's own; what a cell says is searched unescaped."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from ggrep.chunking.json_keys import MAX_TOKENS, TOKEN
from ggrep.chunking.keyed import keyed_cutter
from ggrep.chunking.keys import MAX_KEYS, Key
from ggrep.chunking.limits import ChunkLimits
from ggrep.chunking.line_table import LineTable
from ggrep.chunking.spans import Cutter, Piece

_CODE_LEVEL: Final = 7
_PART_LEVEL: Final = 8
_HEADING: Final = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_DEFINITION: Final = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_NAMES: Final = 16

Source = tuple[int, int]
"""Where one string of a cell's source lies, without its quotes."""


def notebook_cutter(table: LineTable) -> Cutter | None:
    """Return what cuts the file into cells, each with its unescaped source as `extra`.

    None when there are no cells.
    """
    scan = _Scan(table.data)
    keyed = keyed_cutter(table, scan.keys) if scan.cells else None
    if keyed is None:
        return None

    def pieces(limits: ChunkLimits) -> list[Piece] | None:
        cells = keyed(limits)
        return None if cells is None else _with_sources(table, scan, cells)

    return pieces


def _with_sources(table: LineTable, scan: "_Scan", pieces: list[Piece]) -> list[Piece]:
    placed: list[Piece] = []
    first = 0
    for piece in pieces:
        words: list[str] = []
        while first < len(scan.sources) and scan.sources[first][0] < piece.end:
            start, end = scan.sources[first]
            words.append(unescaped(table.data[max(start, piece.start) : min(end, piece.end)]))
            if end > piece.end:
                break
            first += 1
        placed.append(replace(piece, extra=_joined(words)))
    return placed


def _joined(words: list[str]) -> str:
    """Return the lines of all strings; the last of a cell does not end its line."""
    return "".join(word if word.endswith("\n") else f"{word}\n" for word in words).strip()


def unescaped(raw: bytes) -> str:
    """Return what the inside of a JSON string says; a cut escape stays as it is."""
    return _ESCAPE.sub(_letter, raw.decode("utf-8", "replace"))


def _letter(match: re.Match[str]) -> str:
    if match[1] is None:
        return _LETTERS.get(match[2], match[2])
    code = int(match[1], 16)
    # Half of a pair has no character of its own and could not be written again.
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)


class _Scan:
    """Finds cells; `sources` are the strings of their sources, `keys` what they are called."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._depth = 0
        self._path = [b"", b""]
        self._cell: tuple[int, int, bytes] | None = None
        self._inner: list[Key] = []
        self.cells = 0
        self.sources: list[Source] = []
        self.keys: list[Key] = []
        for token in islice(TOKEN.finditer(data), MAX_TOKENS):
            if len(self.keys) > MAX_KEYS:
                break
            if token["bracket"] is not None:
                self._bracket(token["bracket"], token.start())
            elif token["string"] is not None:
                self._string(token)

    def _bracket(self, bracket: bytes, start: int) -> None:
        if bracket in b"{[":
            self._depth += 1
            if self._depth == 3 and bracket == b"{" and self._path[0] == b"cells":
                self._cell = start, len(self.sources), b""
                self._inner = []
            return
        self._depth = max(0, self._depth - 1)
        if self._depth == 2 and self._cell is not None:
            self._close(*self._cell)
            self._cell = None

    def _string(self, token: re.Match[bytes]) -> None:
        text = token["string"]
        if token["colon"] is not None and self._depth == 1:
            self._path = [text.strip(b'"'), b""]
            if self.cells:
                self.keys.append(Key(token.start(), 0))
        elif self._cell is None:
            return
        elif token["colon"] is not None and self._depth == 3:
            self._path[1] = text.strip(b'"')
            self._inner.append(Key(token.start(), _PART_LEVEL))
        elif self._path[1] == b"cell_type" and self._depth == 3:
            self._cell = *self._cell[:2], text.strip(b'"')
        elif self._path[1] == b"source" and self._depth in {3, 4}:
            closed = len(text) > 1 and text.endswith(b'"')
            self.sources.append((token.start() + 1, token.start() + len(text) - closed))

    def _close(self, start: int, first: int, kind: bytes) -> None:
        source = "".join(unescaped(self._data[low:high]) for low, high in self.sources[first:])
        self.cells += 1
        level, names = _CODE_LEVEL, list(_named(_DEFINITION, source, 1))
        if kind == b"markdown":
            names = list(_named(_HEADING, source, 2))
            top = _HEADING.search(source)
            level = len(top[1]) if top is not None else _CODE_LEVEL
        own = names[:1] if kind == b"markdown" else []
        more = tuple(names[len(own) : _NAMES])
        self.keys.append(Key(start, level, own[0] if own else "", (), more))
        self.keys += [key for key in self._inner if key.start > start]


def _named(pattern: re.Pattern[str], source: str, group: int) -> Iterator[str]:
    for match in pattern.finditer(source):
        yield " ".join(match[group].split())[:120]
