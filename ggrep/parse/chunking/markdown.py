"""Headings and fences of Markdown, found in one pass over the lines."""

from typing import Final

from ggrep.parse.chunking.sections import Fence, Heading, clean_title, sections_cutter
from ggrep.parse.chunking.spans import Cutter
from ggrep.parse.line_table import BOM, LineTable

_LINE_CHARACTERS: Final = 1000
_FRONT_MATTER_LINES: Final = 500


def markdown_cutter(table: LineTable) -> Cutter:
    """Return what cuts a Markdown file into its sections."""
    lines = _lines(table)
    headings, fences = scan(lines, front_matter_end(lines))
    return sections_cutter(table, headings, fences)


def _lines(table: LineTable) -> list[str]:
    text = table.data.removeprefix(BOM).decode("utf-8", "replace")
    return [line[:_LINE_CHARACTERS].rstrip() for line in text.split("\n")]


def front_matter_end(lines: list[str]) -> int:
    """Return the number of the first line behind the front matter; 0 without one."""
    if lines[0] not in {"---", "+++"}:
        return 0
    for number in range(1, min(len(lines), _FRONT_MATTER_LINES)):
        if lines[number] == lines[0]:
            return number + 1
    return 0


def scan(lines: list[str], first: int) -> tuple[list[Heading], list[Fence]]:
    """Return headings and fences from line `first` on; an open fence ends with the file."""
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
    """Return the run of backticks or tildes that a line begins with, behind quote marks."""
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
    """Return the heading whose underline is at `number`: a paragraph of one line above it."""
    line = lines[number].strip()
    if not line or (line.strip("=") and line.strip("-")) or number <= first:
        return None
    above = lines[number - 1]
    alone = number - 1 == first or not lines[number - 2]
    if not above.strip() or not alone or above.lstrip()[0] in "#>|-*+=`~<" or above[:4] == "    ":
        return None
    title = clean_title(above)
    return Heading(number - 1, 1 if line[0] == "=" else 2, title) if title else None
