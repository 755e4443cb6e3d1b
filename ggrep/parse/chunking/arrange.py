"""Divides a file at its definitions into pieces (ranges of chunks) within size limits."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from ggrep.parse.chunking.outline import Definition
from ggrep.parse.chunking.spans import NO_SPAN, Piece
from ggrep.parse.chunking.windows import CutCost, cut, fits
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable

MAX_NAMES: Final = 256
"""Maximum number of names in one piece."""

_STANDS_ALONE_LINES: Final = 8
"""Minimum number of lines with which a loose definition becomes a separate chunk."""
_LINE_REST_BYTES: Final = 120
"""Maximum bytes after a definition's end, on the same line, that belong to the definition."""
_TRIVIAL_BYTES: Final = 60

_WORD: Final = re.compile(rb"[0-9A-Za-z_\x80-\xff]")


class Arrangement:
    """Divides one file into pieces.

    Attributes:
        pieces: the pieces so far, in source order.
    """

    def __init__(self, table: LineTable, limits: ChunkLimits, cost: Callable[[], CutCost]) -> None:
        self._table = table
        self._limits = limits
        self._cost = cost
        self.pieces: list[Piece] = []

    def place_file(self, definitions: Sequence[Definition]) -> list[Piece]:
        """Return the pieces of the whole file."""
        return self.place_part(0, len(self._table.data), definitions)

    def place_part(self, start: int, end: int, definitions: Sequence[Definition]) -> list[Piece]:
        """Return the pieces of a part of the file that contains exactly these definitions."""
        self._region(start, end, (), definitions, None)
        return join_loose(self._table, self.pieces, self._limits)

    def _region(
        self,
        start: int,
        end: int,
        crumb: tuple[str, ...],
        definitions: Sequence[Definition],
        head: Definition | None,
    ) -> None:
        cursor = start
        borne = self._borne(start, definitions, head)
        fields = tuple(name for field in definitions[:borne] for name in field.all_names())
        definitions = definitions[borne:]
        for index, definition in enumerate(definitions):
            following = definitions[index + 1].start if index + 1 < len(definitions) else end
            low, high = self._range(definition, cursor, min(following, end))
            self._between(cursor, low, crumb, head, fields)
            head = None
            self._definition(definition, low, high, crumb)
            cursor = high
        self._between(cursor, end, crumb, head, fields)

    def _borne(self, start: int, definitions: Sequence[Definition], head: Definition | None) -> int:
        """Return how many of a class's first fields fit into one piece with the class's head."""
        if head is None or head.construct.thin:
            return 0
        for index, field in enumerate(definitions):
            if field.chunk_type != "field" or not fits(self._table, start, field.end, self._limits):
                return index
        return len(definitions)

    def _range(self, definition: Definition, floor: int, ceiling: int) -> tuple[int, int]:
        """Return a definition's range, extended to whole lines that no other definition shares."""
        table = self._table
        start, end = definition.start, definition.end
        line_start = table.starts[table.line_of(start)]
        if line_start >= floor and table.begins_line(start):
            start = line_start
        rest = table.line_end(table.line_of(max(start, end - 1)))
        if rest <= ceiling and rest - end <= _LINE_REST_BYTES:
            end = rest
        return max(floor, start), max(floor, min(end, ceiling))

    def _between(
        self,
        start: int,
        end: int,
        crumb: tuple[str, ...],
        head: Definition | None,
        fields: tuple[str, ...],
    ) -> None:
        start, end = self._table.trim(start, end)
        if start >= end:  # the usual case: nothing but blanks is between two definitions
            return
        if head is None:
            self._windows(Piece(start, end, "block", breadcrumb=crumb, loose=True), crumb)
        elif head.construct.thin:
            names = (head.construct.name,)
            thin = Piece(start, end, "block", names=names, breadcrumb=crumb, loose=True)
            self._windows(thin, crumb)
        else:
            all_names = (head.construct.name, *head.construct.more_names, *fields)[:MAX_NAMES]
            piece = Piece(
                *(start, end, head.chunk_type, all_names[0], all_names, crumb[:-1]),
                signature=head.signature,
                doc=head.doc,
            )
            self._windows(piece, crumb)

    def _definition(
        self, definition: Definition, start: int, end: int, crumb: tuple[str, ...]
    ) -> None:
        described = definition.construct
        outer = crumb + described.owners
        inner = (*outer, described.name)
        low, high = self._table.trim(start, end)
        if low >= high:
            return
        small = fits(self._table, low, high, self._limits)
        opened = described.always_open or not small
        if opened and definition.members:
            self._region(start, end, inner, definition.members, definition)
            return
        names = definition.all_names()[:MAX_NAMES]
        field = definition.chunk_type == "field"
        loose = (described.loose or field) and self._lines(low, high) < _STANDS_ALONE_LINES
        chunk_type = definition.chunk_type if not field else "block" if loose else "constant"
        piece = Piece(
            *(low, high, chunk_type, "" if field and loose else described.name, names, outer),
            signature=definition.signature,
            doc=definition.doc,
            loose=loose,
        )
        if small:
            self.pieces.append(piece)
        else:
            self._windows(piece, inner)

    def _lines(self, start: int, end: int) -> int:
        return self._table.line_of(end - 1) - self._table.line_of(start) + 1

    def _windows(self, piece: Piece, inner: tuple[str, ...]) -> None:
        """Add a piece; if it is cut, only the part with the definition's head has its names."""
        start, end = piece.start, piece.end
        if fits(self._table, start, end, self._limits):
            self.pieces.append(piece)
            return
        ranges = cut(self._table, start, end, self._limits, self._cost())
        rest = replace(piece, name="", names=(), breadcrumb=inner, signature=NO_SPAN, doc=NO_SPAN)
        head = piece.signature[0] if piece.signature != NO_SPAN else start
        for low, high in ranges:
            bearer = piece if low <= head < high else rest
            self.pieces.append(replace(bearer, start=low, end=high))


def join_loose(table: LineTable, pieces: Sequence[Piece], limits: ChunkLimits) -> list[Piece]:
    """Join adjacent pieces that fit into one chunk, if both are `loose` or one is trivial."""
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        both = None
        # Most pieces are definitions with separate chunks, which are never joined.
        if last is not None and (last.loose or piece.loose):
            both = _join(table, last, piece, limits)
        if both is None:
            joined.append(piece)
        else:
            joined[-1] = both
    return joined


def _join(table: LineTable, last: Piece, piece: Piece, limits: ChunkLimits) -> Piece | None:
    if not fits(table, last.start, piece.end, limits):
        return None
    if last.loose and piece.loose and last.breadcrumb == piece.breadcrumb:
        names = tuple(dict.fromkeys(last.names + piece.names))
        return replace(
            last,
            end=piece.end,
            chunk_type="block",
            name="",
            names=names,
            signature=NO_SPAN,
            doc=last.doc if last.doc != NO_SPAN else piece.doc,
        )
    if _is_trivial(table, piece) and not _is_opening(table, piece):
        return replace(last, end=piece.end, names=(*last.names, *piece.names))
    if _is_trivial(table, last) and _is_opening(table, last):
        names = tuple(dict.fromkeys(piece.names + last.names))
        return replace(piece, start=last.start, names=names)
    return None


def _is_trivial(table: LineTable, piece: Piece) -> bool:
    """Return whether a piece defines nothing, and is one short line or has no words."""
    if not piece.loose or piece.name:
        return False
    text = table.data[piece.start : piece.end]
    if not _WORD.search(text):
        return True
    return len(text) <= _TRIVIAL_BYTES and b"\n" not in text


def _is_opening(table: LineTable, piece: Piece) -> bool:
    """Return whether a trivial piece introduces the next piece: `namespace a {`, `public:`."""
    return table.data[piece.start : piece.end].rstrip().endswith((b"{", b":", b"("))
