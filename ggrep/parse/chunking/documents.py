"""Cuts documents by their headings: Markdown, reStructuredText, AsciiDoc."""

import re
from typing import Final

from ggrep.parse.chunking.sections import Fence, Heading, clean_title, sections_cutter
from ggrep.parse.chunking.spans import Cutter, Piece
from ggrep.parse.chunking.windows import cut, indentation_cost
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import BOM, LineTable
from ggrep.parse.languages.registry import MERMAID

_LINE_CHARACTERS: Final = 1000
_FRONT_MATTER_LINES: Final = 500


def markdown_cutter(table: LineTable) -> Cutter:
    """Return a function that cuts a Markdown file into its sections."""
    lines = _lines(table)
    headings, fences = scan(lines, front_matter_end(lines))
    return sections_cutter(table, headings, fences)


def _lines(table: LineTable) -> list[str]:
    text = table.data.removeprefix(BOM).decode("utf-8", "replace")
    return [line[:_LINE_CHARACTERS].rstrip() for line in text.split("\n")]


def front_matter_end(lines: list[str]) -> int:
    """Return the number of the first line after the front matter; 0 without front matter."""
    if lines[0] not in {"---", "+++"}:
        return 0
    for number in range(1, min(len(lines), _FRONT_MATTER_LINES)):
        if lines[number] == lines[0]:
            return number + 1
    return 0


def scan(lines: list[str], first: int) -> tuple[list[Heading], list[Fence]]:
    """Return headings and fences from line `first` on; an unclosed fence ends with the file."""
    headings: list[Heading] = []
    fences: list[Fence] = []
    opened: tuple[int, str] | None = None
    for number in range(first, len(lines)):
        line = lines[number]
        marker = _fence_marker(line)
        if opened is not None:
            if _closes(line, marker, opened[1]):
                fences.append(_fence(lines, opened[0], number))
                opened = None
        elif marker:
            opened = number, marker
        else:
            heading = _atx(line, number) or _setext(lines, number, first)
            if heading is not None:
                headings.append(heading)
    if opened is not None:
        fences.append(_fence(lines, opened[0], len(lines) - 1))
    return headings, fences


def _fence_marker(line: str) -> str:
    """Return the run of backticks or tildes at the start of a line, after `>` marks."""
    text = line.lstrip(" \t>")
    for mark in "`~":
        run = len(text) - len(text.lstrip(mark))
        if run >= 3 and not (mark == "`" and "`" in text[run:]):
            return mark * run
    return ""


def _closes(line: str, marker: str, opening: str) -> bool:
    return marker.startswith(opening) and not line.lstrip(" \t>")[len(marker) :].strip()


def _fence(lines: list[str], first: int, last: int) -> Fence:
    info = lines[first].lstrip(" \t>").lstrip("`~").strip().lower()
    language = info.lstrip("{.").split(maxsplit=1)[0].rstrip("}") if info.lstrip("{.") else ""
    return Fence(first, last, language)


def _atx(line: str, number: int) -> Heading | None:
    text = line.lstrip(" ")
    level = len(text) - len(text.lstrip("#"))
    if len(line) - len(text) > 3 or not 1 <= level <= 6 or text[level : level + 1] not in " \t":
        return None
    title = text[level:].strip()
    bare = title.rstrip("#")
    if bare != title and (not bare or bare[-1] in " \t"):
        title = bare
    title = clean_title(title)
    return Heading(number, level, title) if title else None


def _setext(lines: list[str], number: int, first: int) -> Heading | None:
    """Return the heading with its underline at `number`, if the paragraph above has one line."""
    line = lines[number].strip()
    if not line or (line.strip("=") and line.strip("-")) or number <= first:
        return None
    above = lines[number - 1]
    alone = number - 1 == first or not lines[number - 2]
    if not above.strip() or not alone or above.lstrip()[0] in "#>|-*+=`~<" or above[:4] == "    ":
        return None
    title = clean_title(above)
    return Heading(number - 1, 1 if line[0] == "=" else 2, title) if title else None


_DIRECTIVE: Final = re.compile(r"(?P<indent> *)\.\. (?P<name>[\w-]{1,40})::(?P<argument>.*)")
_CODE: Final = frozenset({"code", "code-block", "sourcecode", "literalinclude", "parsed-literal"})
_DRAWN: Final = frozenset({MERMAID, "uml", "graphviz", "graph", "digraph"})
_ATTRIBUTES: Final = re.compile(r"\[(?P<words>[^\]\[]{1,200})\]")
_DELIMITER: Final = re.compile(r"(?:-{4,}|\.{4,}|--|\+{4,}|/{4,})\Z")


def rst_fences(lines: list[str]) -> list[Fence]:
    """Return the directives with code or a diagram, including the indented lines below."""
    fences: list[Fence] = []
    number = 0
    while number < len(lines):
        directive = _DIRECTIVE.match(lines[number])
        name = directive["name"].lower() if directive is not None else ""
        if directive is None or name not in _DRAWN | _CODE:
            number += 1
            continue
        last = _last_indented(lines, number, len(directive["indent"]))
        language = directive["argument"].strip() if name in _CODE else name
        fences.append(Fence(number, last, language.lower(), _opening(lines, number, last)))
        number = last + 1
    return fences


def _last_indented(lines: list[str], first: int, indent: int) -> int:
    last = first
    for number in range(first + 1, len(lines)):
        line = lines[number]
        if line and len(line) - len(line.lstrip()) <= indent:
            break
        last = number if line else last
    return last


def _opening(lines: list[str], first: int, last: int) -> int:
    """Return the number of lines of the directive and its options."""
    count = 1
    while first + count <= last and lines[first + count].lstrip().startswith(":"):
        count += 1
    return count


def asciidoc_fences(lines: list[str]) -> list[Fence]:
    """Return delimited blocks with the attributes above; an unclosed block ends with the file."""
    fences: list[Fence] = []
    first, opened, language = 0, "", ""
    for number, line in enumerate(lines):
        if opened:
            if line == opened:
                fences.append(Fence(first, number, language, 2))
                opened = ""
        elif _DELIMITER.match(line):
            above = _ATTRIBUTES.fullmatch(lines[number - 1]) if number else None
            language = _language(above["words"]) if above is not None else ""
            first, opened = number - (above is not None), line
    if opened and opened != "--":
        fences.append(Fence(first, len(lines) - 1, language, 2))
    return fences


def _language(words: str) -> str:
    parts = [part.strip().lower() for part in words.split(",")]
    named = parts[1] if parts[0] in {"source", "listing"} and len(parts) > 1 else parts[0]
    return named.partition("%")[0].partition("#")[0]


_ADORNMENTS: Final = frozenset("=-~^\"'`#*+.:_<>")


def window_pieces(table: LineTable, limits: ChunkLimits) -> list[Piece]:
    """Cut a file into windows that begin, if possible, at unindented lines after blank lines."""
    ranges = cut(table, 0, len(table.data), limits, indentation_cost(table))
    return [Piece(start, end, "block") for start, end in ranges]


def rst_cutter(table: LineTable) -> Cutter:
    """Return a function that cuts a reStructuredText file into its sections."""
    lines = _lines(table)
    fences = rst_fences(lines)
    return sections_cutter(table, _outside(_rst_headings(lines), fences), fences)


def asciidoc_cutter(table: LineTable) -> Cutter:
    """Return a function that cuts an AsciiDoc file into its sections."""
    headings: list[Heading] = []
    lines = _lines(table)
    for number, line in enumerate(lines):
        level = len(line) - len(line.lstrip("="))
        title = clean_title(line[level:])
        if 1 <= level <= 6 and line[level : level + 1] == " " and title:
            headings.append(Heading(number, level, title))
    fences = asciidoc_fences(lines)
    return sections_cutter(table, _outside(headings, fences), fences)


def _outside(headings: list[Heading], fences: list[Fence]) -> list[Heading]:
    fenced = {line for fence in fences for line in range(fence.first, fence.last + 1)}
    return [heading for heading in headings if heading.line not in fenced]


def _rst_headings(lines: list[str]) -> list[Heading]:
    """Return titles underlined with punctuation; levels are in the order of first occurrence."""
    levels: dict[tuple[str, bool], int] = {}
    headings: list[Heading] = []
    for number in range(1, len(lines)):
        title, under = lines[number - 1], lines[number]
        if not _is_adornment(under) or len(under) < len(title) or not title.strip():
            continue
        over = number >= 2 and lines[number - 2] == under
        if _is_adornment(title) or (not over and (title[0] == " " or not _alone(lines, number))):
            continue
        level = levels.setdefault((under[0], over), len(levels) + 1)
        headings.append(Heading(number - 2 if over else number - 1, level, clean_title(title)))
    return [heading for heading in headings if heading.title]


def _alone(lines: list[str], number: int) -> bool:
    """Return whether the line above `number` begins a paragraph."""
    return number == 1 or not lines[number - 2]


def _is_adornment(line: str) -> bool:
    return len(line) >= 2 and line[0] in _ADORNMENTS and not line.strip(line[0])
