"""Cuts a range of text into windows within size limits, at the lines with the lowest cost.

Windows do not overlap and contain all text except blanks.
"""

import re
from collections.abc import Callable
from typing import Final

from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.line_table import LineTable

CutCost = Callable[[int], int]
"""Cost of a window that begins at a 0-based line, at least 0; the lowest cost is chosen."""

_OPENING: Final = re.compile(rb"([ \t]*+)([)}\]]|end\b|else\b|elif\b|except\b|finally\b|catch\b)?")
_OPENING_BYTES: Final = 200
_MOST_INDENT: Final = 80
_CLOSING_COST: Final = 500


def fits(table: LineTable, start: int, end: int, limits: ChunkLimits) -> bool:
    """Return whether a range is small enough for one chunk."""
    if end - start > limits.max_bytes:
        return False
    beyond = table.line_of(start) + limits.max_lines
    return beyond >= len(table.starts) or end <= table.starts[beyond]


def indentation_cost(table: LineTable) -> CutCost:
    """Return a cost function for window starts: unindented lines after blank lines cost least."""
    data, starts, match = table.data, table.starts, _OPENING.match

    def cost(line: int) -> int:
        start = starts[line]
        opening = match(data, start, start + _OPENING_BYTES)
        if opening is None:  # never happens: the expression also matches an empty text
            return 0
        inner = min(opening.end(1) - start, _MOST_INDENT) * 2
        if line > 0 and data[starts[line - 1] : start].strip():
            inner += 1
        return inner if opening[2] is None else inner + _CLOSING_COST

    return cost


def cut(
    table: LineTable, start: int, end: int, limits: ChunkLimits, cost: CutCost
) -> list[tuple[int, int]]:
    """Return trimmed, non-empty ranges that cover all text of a range except blanks.

    Stop once the number of ranges exceeds the maximum number of chunks of a file.
    """
    ranges: list[tuple[int, int]] = []
    while len(ranges) <= limits.max_chunks_per_file:
        start, last = table.trim(start, end)
        if start >= last:
            break
        stop = last if fits(table, start, last, limits) else _stop(table, start, limits, cost)
        low, high = table.trim(start, stop)
        if low < high:  # a window can consist of blanks only
            ranges.append((low, high))
        start = stop
    return ranges


def surely_more(table: LineTable, limits: ChunkLimits, most: int) -> bool:
    """Return whether the whole file certainly has more than `most` pieces; False if unknown."""
    return table.filled_lines > most * limits.max_lines + 1  # + 1: a byte order mark


def _stop(table: LineTable, start: int, limits: ChunkLimits, cost: CutCost) -> int:
    """Return the end of the window that begins at `start`."""
    first = table.line_of(start)
    highest = min(table.line_of(start + limits.max_bytes), first + limits.max_lines)
    if highest <= first:
        return _character_start(table.data, start + limits.max_bytes, start)
    lowest = first + max(1, (highest - first) // 3)
    best, least = highest, cost(highest)
    for line in range(highest - 1, lowest - 1, -1):
        if not least:
            break
        bad = cost(line)
        if bad < least:
            best, least = line, bad
    return table.starts[best]


def _character_start(data: bytes, offset: int, floor: int) -> int:
    """Return the last offset, up to `offset`, at which a UTF-8 character begins."""
    for back in range(4):
        if offset - back > floor and data[offset - back] & 0xC0 != 0x80:
            return offset - back
    return offset


def syntax_cost(table: LineTable, depths: dict[int, int]) -> CutCost:
    """Return a cost function for window starts: the starts of outer statements cost least."""
    by_indentation = indentation_cost(table)

    def cost(line: int) -> int:
        depth = depths.get(line)
        if depth is None:
            return 1_000_000 + by_indentation(line)
        return 2 * depth + (line > 0 and not table.is_blank(line - 1))

    return cost
