"""Finds the matches of a pattern in a file, line by line, to the byte.

A pattern is applied to each line without its end. A line ends with LF or CR LF; a lone CR is text.
No line begins after the last line end. Text and pattern are compared in NFC. A file's byte order
mark is not part of its first line. Columns count the bytes of the file.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ggrep.base.clock import Deadline
from ggrep.model.response import HitLine
from ggrep.model.sanitise import sanitise
from ggrep.parse.languages.line_table import BOM
from ggrep.search.query.text_runs import TextRun, plain_run

MOST_LINE_BYTES: Final = 400
"""Maximum bytes of a shown line; a longer line is cut to the part around its first match."""
CHECKED_BYTES: Final = 1 << 14
"""Bytes searched between two checks of the deadline, extended to the end of a line."""
LONGEST_LINE: Final = 1 << 18
"""A longer line is searched in pieces of this many bytes, because some expressions are slow."""
MOST_MATCHES: Final = 64
"""Maximum number of reported matches of one line."""
_LEAD_BYTES: Final = MOST_LINE_BYTES // 4

Span = tuple[int, int]


class Pattern(Protocol):
    """A text or regular expression to find."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the texts that every match contains, in any letter case."""
        ...

    @property
    def by_line(self) -> bool:
        """Return whether the matches in a line depend on that line only."""
        ...

    def firsts(self, text: bytes, start: int, deadline: Deadline) -> Iterator[Span]:
        """Yield the first match in the line that begins at `start`, and in each line after it."""
        ...

    def first(self, text: bytes, start: int, deadline: Deadline) -> Span | None:
        """Return the first match at or after `start` in a text that `plain_text` returned."""
        ...


class MatchedLine(NamedTuple):
    """A matching line of a plain text, as offsets in the text.

    Attributes:
        start: beginning of the line.
        match: beginning of the first match in the line; a match that spans lines can begin in an
            earlier line.
        end: end of the match.
    """

    start: int
    match: int
    end: int


def match_lines(text: bytes, pattern: Pattern, deadline: Deadline) -> Iterator[MatchedLine]:
    """Yield the matching lines of a plain text."""
    lines = _apart if pattern.by_line else _over_line_ends
    last = len(text) if not text or text.endswith(b"\n") else -1
    for line in lines(text, pattern, deadline):
        if line.match == last:
            return  # no line begins after the last line end
        yield line


def _apart(text: bytes, pattern: Pattern, deadline: Deadline) -> Iterator[MatchedLine]:
    for match, end in pattern.firsts(text, 0, deadline):
        yield MatchedLine(text.rfind(b"\n", 0, match) + 1, match, end)


def _over_line_ends(text: bytes, pattern: Pattern, deadline: Deadline) -> Iterator[MatchedLine]:
    place, last = 0, -1
    while (span := pattern.first(text, place, deadline)) is not None:
        match, end = span
        start = text.rfind(b"\n", 0, match) + 1
        while start <= max(end - 1, match):
            if start != last:
                yield MatchedLine(start, match, end)
                last = start
            place = text.find(b"\n", start) + 1
            if not place:
                return
            start = place


def matched_rows(
    runs: Iterable[TextRun], pattern: Pattern, deadline: Deadline
) -> npt.NDArray[np.int64]:
    """Return (lines,): for each matching line, the row in which its first match begins.

    Blanks between two chunks belong to the first of the two. For a pattern that matches line by
    line, runs are joined into one text; runs that can contain very long lines are searched alone.
    """
    rows_of_lines = [np.empty(0, dtype=np.int64)]
    joined: list[tuple[bytes, Sequence[int], Sequence[int]]] = []
    for run in runs:
        text, starts = plain_run(run)
        if pattern.by_line and len(text) <= LONGEST_LINE - CHECKED_BYTES:
            end = b"\n" if text and not text.endswith(b"\n") else b""
            joined.append((text + end, run.rows, starts))
        else:
            rows_of_lines.append(_rows_in([(text, run.rows, starts)], pattern, deadline))
    rows_of_lines.append(_rows_in(joined, pattern, deadline))
    return np.concatenate(rows_of_lines)


def _rows_in(
    texts: Sequence[tuple[bytes, Sequence[int], Sequence[int]]],
    pattern: Pattern,
    deadline: Deadline,
) -> npt.NDArray[np.int64]:
    """Return (lines,): the row of each matching line; `texts` has the rows and their starts."""
    whole = b"".join([text for text, _, _ in texts])
    lines = [line.match for line in match_lines(whole, pattern, deadline)]
    rows: list[int] = []
    starts: list[int] = []
    size = 0
    for text, its_rows, its_starts in texts if lines else ():
        rows += its_rows
        starts += [size + start for start in its_starts] if size else its_starts
        size += len(text)
    places = np.searchsorted(np.array(starts), np.array(lines), side="right") - 1
    return np.array(rows, dtype=np.int64)[places]


class MatchedRun:
    """A text and its matching lines; not thread-safe.

    Args:
        run: the text.
        pattern: the pattern to find.
        deadline: checked between matches.
    """

    def __init__(self, run: TextRun, pattern: Pattern, deadline: Deadline) -> None:
        self._run = run
        self._pattern = pattern
        self._deadline = deadline
        self._text, self._starts = plain_run(run)

    def lines(self) -> Iterator[tuple[int, MatchedLine]]:
        """Yield the matching lines, each with the row that `matched_rows` returns for it."""
        for line in match_lines(self._text, self._pattern, self._deadline):
            yield self._run.rows[bisect_right(self._starts, line.match) - 1], line

    def shown(
        self, wanted: Sequence[MatchedLine], before: int = 0, after: int = 0
    ) -> tuple[HitLine, ...]:
        """Return some matching lines with their context, as hits show them.

        Args:
            wanted: matching lines, ascending.
            before: lines of context before each.
            after: lines of context after each.
        """
        base = self._run.first_line
        data = self._run.data
        lines = (data.removeprefix(BOM) if base == 1 else data).split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        matching: dict[int, MatchedLine] = {}
        place, number = 0, base
        for line in wanted:
            number += self._text.count(b"\n", place, line.start)
            place = line.start
            matching[number] = line
        shown: dict[int, None] = {}
        for number in matching:
            first, last = max(number - before, base), min(number + after, base + len(lines) - 1)
            shown.update(dict.fromkeys(range(first, last + 1)))
        return tuple(
            self._shown(number, lines[number - base].removesuffix(b"\r"), matching.get(number))
            for number in sorted(shown)
        )

    def _shown(self, number: int, data: bytes, line: MatchedLine | None) -> HitLine:
        return hit_line(number, data, () if line is None else self._spans(line, data))

    def _spans(self, line: MatchedLine, data: bytes) -> Sequence[Span]:
        """Return the matches of a line as offsets in the file's bytes."""
        start, text = line.start, self._text
        stop = text.find(b"\n", start)
        stop = len(text) if stop < 0 else stop
        spans: list[Span] = []
        match: Span | None = (max(line.match, start), line.end)
        while match is not None and match[0] <= stop and len(spans) < MOST_MATCHES:
            first, end = match[0] - start, min(match[1], stop) - start
            # An empty match directly after another match does not count.
            if first < end or not spans or first != spans[-1][1]:
                spans.append((first, end))
            place = match[1] if match[0] < match[1] else _behind(text, match[1])
            match = self._pattern.first(text, place, self._deadline) if place <= stop else None
        plain = text[start:stop]
        return spans if plain == data else _file_offsets(data, plain, spans)


def _behind(text: bytes, place: int) -> int:
    """Return the position of the character after the character at `place`."""
    place += 1
    while place < len(text) and text[place] & 0xC0 == 0x80:
        place += 1
    return place


def _file_offsets(line: bytes, plain: bytes, spans: Sequence[Span]) -> Sequence[Span]:
    """Convert offsets in the NFC form of a line to offsets in the line."""
    text = line.decode()
    bounds: list[Span] = []  # offsets in NFC and in the line, of each composing group
    group, in_file, composed = "", 0, 0
    for character in text:
        whole = unicodedata.normalize("NFC", group + character)
        if group and whole == unicodedata.normalize("NFC", group) + character:
            bounds.append((composed, in_file))
            composed += len(unicodedata.normalize("NFC", group).encode())
            in_file += len(group.encode())
            group = character
        else:
            group += character
    bounds += [(composed, in_file), (len(plain), len(line))]
    places = [place for place, _ in bounds]

    def offset(place: int) -> int:
        known, real = bounds[bisect_right(places, place) - 1]
        return min(real + place - known, len(line))

    return [(offset(start), offset(end)) for start, end in spans]


def hit_line(number: int, line: bytes, spans: Sequence[Span]) -> HitLine:
    """Return a line without control characters, cut to the part around its first match."""
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
