"""Structure of text without a grammar: headings of reStructuredText and AsciiDoc, else lines."""

from typing import Final

from ggrep.parse.chunk_limits import ChunkLimits
from ggrep.parse.chunking.listings import asciidoc_fences, rst_fences
from ggrep.parse.chunking.sections import Fence, Heading, clean_title, sections_cutter
from ggrep.parse.chunking.spans import Cutter, Piece
from ggrep.parse.chunking.windows import cut, indentation_cost
from ggrep.parse.line_table import BOM, LineTable

_ADORNMENTS: Final = frozenset("=-~^\"'`#*+.:_<>")
_LINE_CHARACTERS: Final = 1000


def window_pieces(table: LineTable, limits: ChunkLimits) -> list[Piece]:
    """Return windows of whole lines where possible, begun at outer lines and paragraphs."""
    ranges = cut(table, 0, len(table.data), limits, indentation_cost(table))
    return [Piece(start, end, "block") for start, end in ranges]


def rst_cutter(table: LineTable) -> Cutter:
    """Return what cuts a reStructuredText file into its sections."""
    lines = _lines(table)
    fences = rst_fences(lines)
    return sections_cutter(table, _outside(_rst_headings(lines), fences), fences)


def asciidoc_cutter(table: LineTable) -> Cutter:
    """Return what cuts an AsciiDoc file into its sections."""
    found: list[Heading] = []
    lines = _lines(table)
    for number, line in enumerate(lines):
        level = len(line) - len(line.lstrip("="))
        title = clean_title(line[level:])
        if 1 <= level <= 6 and line[level : level + 1] == " " and title:
            found.append(Heading(number, level, title))
    fences = asciidoc_fences(lines)
    return sections_cutter(table, _outside(found, fences), fences)


def _outside(headings: list[Heading], fences: list[Fence]) -> list[Heading]:
    """Return the headings that no fence holds."""
    fenced = {line for fence in fences for line in range(fence.first, fence.last + 1)}
    return [heading for heading in headings if heading.line not in fenced]


def _lines(table: LineTable) -> list[str]:
    text = table.data.removeprefix(BOM).decode("utf-8", "replace")
    return [line[:_LINE_CHARACTERS].rstrip() for line in text.split("\n")]


def _rst_headings(lines: list[str]) -> list[Heading]:
    """Return titles with a line of punctuation below them; levels go by first appearance."""
    levels: dict[tuple[str, bool], int] = {}
    found: list[Heading] = []
    for number in range(1, len(lines)):
        title, under = lines[number - 1], lines[number]
        if not _is_adornment(under) or len(under) < len(title) or not title.strip():
            continue
        over = number >= 2 and lines[number - 2] == under
        if _is_adornment(title) or (not over and (title[0] == " " or not _alone(lines, number))):
            continue
        level = levels.setdefault((under[0], over), len(levels) + 1)
        found.append(Heading(number - 2 if over else number - 1, level, clean_title(title)))
    return [heading for heading in found if heading.title]


def _alone(lines: list[str], number: int) -> bool:
    """Say whether the line above `number` begins a paragraph."""
    return number == 1 or not lines[number - 2]


def _is_adornment(line: str) -> bool:
    return len(line) >= 2 and line[0] in _ADORNMENTS and not line.strip(line[0])
