"""Splits a document by headings; sections that are too large are cut between paragraphs."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.parse.chunking.diagrams import mermaid_edges
from ggrep.parse.chunking.spans import Cutter, Piece
from ggrep.parse.chunking.windows import CutCost, cut, fits
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.registry import MERMAID

MAX_TITLE_CHARACTERS: Final = 200


class Heading(Struct, frozen=True):
    """A heading; `line` is its first line, 0-based; `level` 1 is the outermost level."""

    line: int
    level: int
    title: str


class Fence(Struct, frozen=True):
    """A fenced block; lines are 0-based, and include the lines of the markers.

    Attributes:
        opening: the number of lines of the opening marker.
    """

    first: int
    last: int
    language: str
    opening: int = 1


def clean_title(text: str) -> str:
    """Return a heading's words without emphasis, code marks and explicit ids."""
    words = text.split("{#", 1)[0].translate({ord("`"): None, ord("*"): None})
    return " ".join(words.split())[:MAX_TITLE_CHARACTERS]


def sections_cutter(
    table: LineTable, headings: Sequence[Heading], fences: Sequence[Fence]
) -> Cutter:
    """Return a function that cuts the document by headings."""
    return lambda limits: sections(table, headings, fences, limits)


def sections(
    table: LineTable, headings: Sequence[Heading], fences: Sequence[Fence], limits: ChunkLimits
) -> list[Piece]:
    """Return pieces that together contain all text of the document once, in order.

    Stop once there are certainly more pieces than a file can have.
    """
    layout = _Layout(table, fences, limits)
    bounds = [table.starts[heading.line] for heading in headings]
    ends = [*bounds, len(table.data)]
    layout.section(0, ends[0], "", ())
    above: list[Heading] = []
    # Later text can change joined pieces only within as many lines as a chunk can have.
    most = limits.max_chunks_per_file + limits.max_lines
    next_look = most
    for heading, start, end in zip(headings, bounds, ends[1:], strict=True):
        while above and above[-1].level >= heading.level:
            above.pop()
        layout.section(start, end, heading.title, tuple(item.title for item in above))
        above.append(heading)
        if len(layout.pieces) > next_look:
            next_look *= 2
            joined = _join_bare_headings(table, layout.pieces, limits)
            if len(joined) > most:
                return joined
    return _join_bare_headings(table, layout.pieces, limits)


class _Layout:
    def __init__(self, table: LineTable, fences: Sequence[Fence], limits: ChunkLimits) -> None:
        self._table = table
        self._limits = limits
        self._diagrams = [fence for fence in fences if fence.language == MERMAID]
        self._next_diagram = 0
        self._cost = _paragraph_cost(table, fences)
        self.pieces: list[Piece] = []

    def section(self, start: int, end: int, title: str, crumb: tuple[str, ...]) -> None:
        """Divide the text of one section; diagrams become separate pieces."""
        first = len(self.pieces)
        inner = (*crumb, title) if title else crumb
        blank = Piece(0, 0, "section" if title else "block", breadcrumb=inner)
        cursor = start
        while self._next_diagram < len(self._diagrams):
            fence = self._diagrams[self._next_diagram]
            low = self._table.starts[fence.first]
            if low >= end:
                break
            self._next_diagram += 1
            high = self._table.line_end(fence.last)
            self._place(blank, cursor, low)
            picture = replace(blank, chunk_type="diagram")
            self._place(picture, low, high, self._edges(fence, high))
            cursor = high
        self._place(blank, cursor, end)
        if title and len(self.pieces) > first:
            named = replace(self.pieces[first], name=title, names=(title,), breadcrumb=crumb)
            self.pieces[first] = named

    def _edges(self, fence: Fence, high: int) -> str:
        first = min(fence.first + fence.opening, fence.last)
        text = self._table.data[self._table.starts[first] : high].decode("utf-8", "replace")
        return mermaid_edges(text)

    def _place(self, like: Piece, start: int, end: int, extra: str = "") -> None:
        for low, high in cut(self._table, start, end, self._limits, self._cost):
            self.pieces.append(replace(like, start=low, end=high, extra=extra))
            extra = ""


def _paragraph_cost(table: LineTable, fences: Sequence[Fence]) -> CutCost:
    fenced = {line for fence in fences for line in range(fence.first + 1, fence.last + 1)}

    def cost(line: int) -> int:
        inside_paragraph = line > 0 and not table.is_blank(line - 1)
        return inside_paragraph + 10 * (line in fenced)

    return cost


def _join_bare_headings(
    table: LineTable, pieces: Sequence[Piece], limits: ChunkLimits
) -> list[Piece]:
    """Return the pieces; a heading without text is joined to the first section that it encloses."""
    joined: list[Piece] = []
    for piece in reversed(pieces):
        below = joined[-1] if joined else None
        if (
            below is not None
            and _is_bare(table, piece)
            and below.name
            and below.breadcrumb == (*piece.breadcrumb, piece.name)
            and fits(table, piece.start, below.end, limits)
        ):
            joined[-1] = replace(below, start=piece.start, names=(*below.names, *piece.names))
        else:
            joined.append(piece)
    return joined[::-1]


def _is_bare(table: LineTable, piece: Piece) -> bool:
    if not piece.name or piece.chunk_type != "section":
        return False
    lines = table.data[piece.start : piece.end].split(b"\n")
    underlined = len(lines) == 2 and not lines[1].strip(b"=-~ \r")
    return len(lines) == 1 or underlined
