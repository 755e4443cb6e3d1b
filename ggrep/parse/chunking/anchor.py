"""The anchor, the first chunk of every file: its opening, its imports and its definitions."""

import re
from collections.abc import Iterable
from typing import Final

from ggrep.model.chunk import ANCHOR
from ggrep.parse.chunk_limits import ChunkLimits
from ggrep.parse.chunking.spans import Piece
from ggrep.parse.chunking.windows import cut
from ggrep.parse.line_table import LineTable

ANCHOR_LINES: Final = 15
ANCHOR_BYTES: Final = 1200
MAX_IMPORTS: Final = 40
MAX_NAMES: Final = 60

_SCANNED_LINES: Final = 200
_IMPORT_LINE: Final = re.compile(
    r"[ \t]*(?:import|using|use|require|require_relative|include|#include|from|open|library)"
    r"[ \t(]+([^;\r\n]{1,120})"
)


def anchor(table: LineTable, path_key: str, imports: Iterable[str], names: Iterable[str]) -> Piece:
    """Return the anchor; its text is the file's opening lines and may be empty."""
    limits = ChunkLimits(max_lines=ANCHOR_LINES, max_bytes=ANCHOR_BYTES)
    start, end = table.trim(0, len(table.data))
    opening = cut(table, start, _reach(table, start, end), limits, _latest)
    first = opening[0] if opening else (start, start)
    return Piece(first[0], first[1], ANCHOR, extra=_extra(path_key, imports, names))


def _reach(table: LineTable, start: int, end: int) -> int:
    """Return an end near `start`, so that a large file is not cut to its last line."""
    line = table.line_of(start) + ANCHOR_LINES + 1
    return min(end, table.starts[line]) if line < len(table.starts) else end


def _latest(_line: int) -> int:
    return 0


def _extra(path_key: str, imports: Iterable[str], names: Iterable[str]) -> str:
    lines = [f"File: {path_key}"]
    brought = _bounded(imports, MAX_IMPORTS)
    defined = _bounded(names, MAX_NAMES)
    if brought:
        lines.append(f"Imports: {brought}")
    if defined:
        lines.append(f"Defines: {defined}")
    return "\n".join(lines)


def _bounded(words: Iterable[str], most: int) -> str:
    return ", ".join([word for word in dict.fromkeys(words) if word][:most])


def guessed_imports(table: LineTable) -> list[str]:
    """Return what import-like lines near the top of an unparsed source file name."""
    found: list[str] = []
    for line in range(min(_SCANNED_LINES, len(table.starts))):
        start = table.starts[line]
        text = table.data[start : min(start + 200, table.line_end(line))].decode("utf-8", "ignore")
        match = _IMPORT_LINE.match(text)
        if match:
            found.append(match[1].strip(" \t\"'()<>{"))
    return found
