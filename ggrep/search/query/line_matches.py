"""Where a pattern matches in a file: line by line, to the byte.

A pattern is applied to each line without its end, which is LF or CR LF; a lone CR is text, and
nothing stands behind the last line end. Text and pattern are compared in NFC. A file's byte order
mark is no part of its first line. Columns are those of the file's own bytes.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from ggrep.base.clock import Deadline
from ggrep.model.response import HitLine
from ggrep.model.sanitise import sanitise
from ggrep.parse.languages.line_table import BOM
from ggrep.search.query.file_text import IndexedFile

MOST_LINE_BYTES: Final = 400
"""Bytes of a line that are shown; of a longer line it is the part around its first match."""
MOST_MATCHES: Final = 64
"""Matches of one line that are named."""
_LEAD_BYTES: Final = MOST_LINE_BYTES // 4

Span = tuple[int, int]


class Pattern(Protocol):
    """A text or regular expression to find."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Return texts that every match holds, letter case aside."""
        ...

    def first(self, text: bytes, start: int, deadline: Deadline) -> Span | None:
        """Return the first match at or behind `start` in text as `plain_text` returns it."""
        ...


def plain_text(data: bytes) -> bytes:
    """Return a file's text as patterns see it: LF as line end, NFC, without byte order mark."""
    plain = data.removeprefix(BOM)
    if b"\r\n" in plain:
        plain = plain.replace(b"\r\n", b"\n")
    if plain.isascii():
        return plain
    text = plain.decode("utf-8", "replace")
    if unicodedata.is_normalized("NFC", text):
        return plain
    return unicodedata.normalize("NFC", text).encode()


class MatchedLine(NamedTuple):
    """A line of a plain text that matches, as offsets in the text.

    Attributes:
        start: where the line begins.
        match: where its first match begins, which may hold line ends and begin on a line before.
        end: where that match ends.
    """

    start: int
    match: int
    end: int


def match_lines(text: bytes, pattern: Pattern, deadline: Deadline) -> Iterator[MatchedLine]:
    """Yield the lines of a plain text that match."""
    place, last = 0, -1
    while (span := pattern.first(text, place, deadline)) is not None:
        match, end = span
        if match == len(text) and (not text or text.endswith(b"\n")):
            return  # no line begins behind the last line end
        start = text.rfind(b"\n", 0, match) + 1
        while start <= max(end - 1, match):
            if start != last:
                yield MatchedLine(start, match, end)
                last = start
            place = text.find(b"\n", start) + 1
            if not place:
                return
            start = place


class MatchedFile:
    """A file and the lines of it that match; not thread-safe.

    Args:
        file: the file.
        pattern: what to find.
        deadline: checked between matches.
    """

    def __init__(self, file: IndexedFile, pattern: Pattern, deadline: Deadline) -> None:
        self._file = file
        self._pattern = pattern
        self._deadline = deadline
        self._text = plain_text(file.data)
        self._starts = _plain_starts(file, self._text)

    def lines(self) -> Iterator[tuple[int, MatchedLine]]:
        """Yield the matching lines, each with its row; the row is -1 where a file has none.

        A line belongs to the chunk in which its first match begins; blanks between two chunks
        belong to the first of them, and those of a file without chunks to its header chunk.
        """
        for line in match_lines(self._text, self._pattern, self._deadline):
            yield self._row_at(line.match), line

    def shown(
        self, wanted: Sequence[MatchedLine], before: int = 0, after: int = 0
    ) -> tuple[HitLine, ...]:
        """Return matching lines, and lines around each, as they are shown.

        Args:
            wanted: matching lines, ascending.
            before: lines of context in front of each.
            after: lines of context behind each.
        """
        lines = self._file.data.removeprefix(BOM).split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        matching: dict[int, MatchedLine] = {}
        place, number = 0, 1
        for line in wanted:
            number += self._text.count(b"\n", place, line.start)
            place = line.start
            matching[number] = line
        shown: dict[int, None] = {}
        for number in matching:
            first, last = max(number - before, 1), min(number + after, len(lines))
            shown.update(dict.fromkeys(range(first, last + 1)))
        return tuple(
            self._shown(number, lines[number - 1].removesuffix(b"\r"), matching.get(number))
            for number in sorted(shown)
        )

    def _shown(self, number: int, data: bytes, line: MatchedLine | None) -> HitLine:
        return hit_line(number, data, () if line is None else self._spans(line, data))

    def _row_at(self, offset: int) -> int:
        file = self._file
        if not file.rows:
            return -1 if file.header is None else file.header
        return file.rows[max(bisect_right(self._starts, offset) - 1, 0)]

    def _spans(self, line: MatchedLine, data: bytes) -> Sequence[Span]:
        """Return the matches of a line as offsets in the file's own bytes."""
        start, text = line.start, self._text
        stop = text.find(b"\n", start)
        stop = len(text) if stop < 0 else stop
        spans: list[Span] = []
        match: Span | None = (max(line.match, start), line.end)
        while match is not None and match[0] <= stop and len(spans) < MOST_MATCHES:
            first, end = match[0] - start, min(match[1], stop) - start
            # No empty match stands directly behind another one.
            if first < end or not spans or first != spans[-1][1]:
                spans.append((first, end))
            place = match[1] if match[0] < match[1] else _behind(text, match[1])
            match = self._pattern.first(text, place, self._deadline) if place <= stop else None
        plain = text[start:stop]
        return spans if plain == data else _own_offsets(data, plain, spans)


def _behind(text: bytes, place: int) -> int:
    """Return where the character behind the one at `place` begins."""
    place += 1
    while place < len(text) and text[place] & 0xC0 == 0x80:
        place += 1
    return place


def _plain_starts(file: IndexedFile, text: bytes) -> Sequence[int]:
    """Return where each chunk begins in the plain text."""
    if len(text) == len(file.data):
        return file.starts
    starts: list[int] = []
    size, before = 0, 0
    for start in file.starts:
        part = file.data[before:start]
        size += len(plain_text(b"\n" * bool(before) + part)) - bool(before)
        starts.append(size)
        before = start
    return starts


def _own_offsets(line: bytes, plain: bytes, spans: Sequence[Span]) -> Sequence[Span]:
    """Return offsets in the NFC of a line as offsets in the line itself."""
    text = line.decode()
    bounds: list[Span] = []  # of each group of characters that compose: offsets in both
    group, own, composed = "", 0, 0
    for character in text:
        whole = unicodedata.normalize("NFC", group + character)
        if group and whole == unicodedata.normalize("NFC", group) + character:
            bounds.append((composed, own))
            composed += len(unicodedata.normalize("NFC", group).encode())
            own += len(group.encode())
            group = character
        else:
            group += character
    bounds += [(composed, own), (len(plain), len(line))]
    places = [place for place, _ in bounds]

    def offset(place: int) -> int:
        known, real = bounds[bisect_right(places, place) - 1]
        return min(real + place - known, len(line))

    return [(offset(start), offset(end)) for start, end in spans]


def hit_line(number: int, line: bytes, spans: Sequence[Span]) -> HitLine:
    """Return a line cut to its most telling part, without control characters."""
    low = 0
    if len(line) > MOST_LINE_BYTES:
        first = spans[0][0] if spans else 0
        low = min(max(first - _LEAD_BYTES, 0), len(line) - MOST_LINE_BYTES)
    high = low + MOST_LINE_BYTES
    text, marks, place = "", [], low
    for start, end in spans:
        first, last = (min(max(offset, place), high) for offset in (start, end))
        text += _clean(line[place:first])
        mark = len(text)
        text += _clean(line[first:last])
        marks.append((mark, len(text)))
        place = last
    text += _clean(line[place:high])
    columns = tuple((start + 1, end + 1) for start, end in spans)
    return HitLine(number, text, columns, tuple(marks), cut=len(line) > MOST_LINE_BYTES)


def _clean(part: bytes) -> str:
    return sanitise(part.decode("utf-8", "ignore"))
