"""The offsets of a file's lines; only line feeds end a line."""

import re
from array import array
from bisect import bisect_right
from itertools import accumulate, count
from operator import add
from typing import Final

BLANK: Final = b" \t\r\n\f\v"
"""Bytes that do not count as content at either end of a chunk."""

_BLANKS: Final = re.compile(rb"[ \t\r\n\f\v]*")

_MARK: Final = re.compile(rb"[A-Z_][A-Z0-9_]{2}|__|\[\[")
"""First bytes of marks that are blanked before parsing."""
_BRACKET: Final = re.compile(rb"[:;]\Z|BEGIN|END|NAMESPACE")
"""Marks that end a statement, or open or close a block or a section."""

MAX_INDENT: Final = 1_000
"""Maximum bytes of a line that are read; lines of minified files have thousands of definitions."""

BOM: Final = b"\xef\xbb\xbf"


class LineTable:
    """A file's bytes with the offsets of its lines; line numbers here are 0-based."""

    __slots__ = ("_filled", "data", "marked", "shown", "starts")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.marked = data
        """The file without marks that its grammar cannot read, of equal length (`syntax.tree`)."""
        self.shown = data
        """The text that a parser reads, of the same length, partly blank (`syntax.tree`)."""
        before = accumulate(map(len, data.split(b"\n")), initial=0)
        # The number of line feeds. An array, because a file can have ten million empty lines.
        self.starts: array[int] = array("q", map(add, before, count()))
        del self.starts[-1]
        self._filled: int | None = None

    @property
    def filled_lines(self) -> int:
        """Return the number of lines that are not blank; counted at the first call."""
        if self._filled is None:
            self._filled = sum(map(bool, map(bytes.strip, self.data.split(b"\n"))))
        return self._filled

    def line_of(self, offset: int) -> int:
        """Return the line of the byte at `offset`."""
        return bisect_right(self.starts, offset) - 1

    def line_end(self, line: int) -> int:
        """Return the offset after a line, including its line feed."""
        return self.starts[line + 1] if line + 1 < len(self.starts) else len(self.data)

    def is_blank(self, line: int) -> bool:
        """Return whether a line has no visible text."""
        return not self.data[self.starts[line] : self.line_end(line)].strip(BLANK)

    def begins_line(self, offset: int) -> bool:
        """Return whether only blanks precede `offset` on its line."""
        start = self.starts[bisect_right(self.starts, offset) - 1]
        return offset - start <= MAX_INDENT and not self.data[start:offset].strip(BLANK)

    def adjacent(self, end: int, start: int) -> bool:
        """Return whether `start` is in the line of the text before `end`, or in the next line."""
        before = 1 if end > 0 and self.data[end - 1] == 0x0A else 0
        return self.data.count(b"\n", end, start) + before <= 1

    def with_marks(self, start: int) -> int:
        """Return the start of the marks before `start` that were blanked before parsing.

        A mark is a macro in the same line, or alone in a line directly above.
        """
        if self.marked is self.data:
            return start
        line = self.line_of(start)
        first = self.starts[line]
        if start - first > MAX_INDENT:
            return start
        end = start
        if not self.data[first:start].strip():
            line, end = line - 1, first
        while line >= 0 and self._hides(self.starts[line], end):
            start = end = self.starts[line]
            line -= 1
        return start

    def _hides(self, start: int, end: int) -> bool:
        """Return whether the text between two offsets consists only of blanked marks."""
        marks = self.data[start:end].strip()
        hidden = marks and not self.marked[start:end].strip()
        return bool(hidden) and _MARK.match(marks) is not None and not _BRACKET.search(marks)

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """Return the range without blanks at its ends, except the indentation of its first line.

        If the range is blank, both returned offsets are equal. A byte order mark counts as blank.
        """
        data = self.data
        if start == 0 and data.startswith(BOM):
            start = len(BOM)
        if start < end and data[start] not in BLANK and data[end - 1] not in BLANK:
            return start, end
        blanks = _BLANKS.match(data, start, end)
        first = start if blanks is None else blanks.end()
        if first >= end:
            return start, start
        while data[end - 1] in BLANK:
            low = max(first, end - 64)
            end = low + len(data[low:end].rstrip(BLANK))
        # Faster than `line_of`: the blank text before the first word is short, the table is long.
        return max(start, data.rfind(b"\n", start, first) + 1), end
