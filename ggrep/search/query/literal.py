"""Which chunks have lines that hold an exact text, or match a regular expression.

Postings know words in one letter case. A match holds the words in its middle whole and those at
its ends as parts of longer ones, so the files that may hold it are known without reading any; those
are read and looked into. What holds no word at all is looked for in every file.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.commands import quoted_whole
from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.index.lexical.layout import BODY
from ggrep.index.lexical.postings import Postings, Rows
from ggrep.index.lexical.tokens import contained_terms
from ggrep.index.store.view import SnapshotView
from ggrep.model.limits import LimitHit
from ggrep.model.request import Find, SearchRequest
from ggrep.model.response import HitLine
from ggrep.search.query.eligible import Mask
from ggrep.search.query.line_matches import (
    CHECKED_BYTES,
    MatchedLine,
    MatchedRun,
    Pattern,
    matched_rows,
)
from ggrep.search.query.regex import compile_phrase, compile_regex, compile_text
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.query.text_runs import chunk_rows, read_runs, shared_lines

MAX_SCANNED_ROWS: Final = 200_000
"""Most chunks of a snapshot whose text one search reads."""
MOST_SHOWN_LINES: Final = 100
"""Matching lines of a hit that it carries; how many there are it says."""
_HEAD_BYTES: Final = 64
"""Of words as long as this the index may have the head alone, so what they end with is unknown."""
_BODY: Final = range(BODY, BODY + 1)


class Literal(Struct, frozen=True):
    """A text that is found by its bytes; in NFC, with LF as line end.

    Attributes:
        needs: the text itself.
        wanted: its UTF-8.
    """

    needs: tuple[str, ...]
    wanted: bytes

    @property
    def by_line(self) -> bool:
        """Return whether the text lies within one line."""
        return b"\n" not in self.wanted

    def first(self, text: bytes, start: int, deadline: Deadline) -> tuple[int, int] | None:
        """Return where the text first stands at or behind `start`, and ends."""
        return next(self.firsts(text, start, deadline), None)

    def firsts(self, text: bytes, start: int, deadline: Deadline) -> Iterator[tuple[int, int]]:
        """Yield the first match at or behind `start`, and of each line behind it."""
        wanted, size = self.wanted, len(self.wanted)
        unchecked = start
        while (place := text.find(wanted, start)) >= 0:
            if place >= unchecked:
                deadline.check("matching")
                unchecked = place + CHECKED_BYTES
            yield place, place + size
            if not (start := text.find(b"\n", place) + 1):
                return


def literal(text: str, *, ignore_case: bool = False, whole_words: bool = False) -> Pattern:
    """Return what finds a text as it stands; see `compile_regex` for the options.

    Raises:
        InvalidRequest: the text is empty.
    """
    if not text:
        raise InvalidRequest("the query is empty; give at least one character")
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
    if ignore_case or whole_words:
        return compile_text(text, ignore_case=ignore_case, whole_words=whole_words)
    return Literal((text,), text.encode())


def pattern_of(request: SearchRequest) -> Pattern | None:
    """Return the text or expression that the lines of every hit match; None for other requests.

    Raises:
        InvalidRequest: it is empty, or no expression.
    """
    options = {"ignore_case": request.ignore_case, "whole_words": request.whole_words}
    match request.find:
        case Find.EXACT_TEXT:
            return literal(request.query, **options)
        case Find.REGEX:
            return compile_regex(request.query, **options)
        case Find.AUTO if text := quoted_whole(request.query):
            return compile_phrase(text)
        case _:
            return None


class Matches(Struct, frozen=True):
    """Rows of one segment that match.

    Attributes:
        rows: ascending.
        lines: how many lines of each row match; 0 where rows match as a whole.
        factors: of each row, what its score is multiplied by.
    """

    rows: npt.NDArray[np.int64]
    lines: npt.NDArray[np.int64]
    factors: npt.NDArray[np.float64]

    def within(self, mask: Mask) -> "Matches":
        """Return those of some rows."""
        kept = mask[self.rows]
        return Matches(self.rows[kept], self.lines[kept], self.factors[kept])

    def lines_of(self, row: int) -> int:
        """Return how many lines of a row match; 0 for other rows."""
        place = int(np.searchsorted(self.rows, row))
        is_match = place < len(self.rows) and int(self.rows[place]) == row
        return int(self.lines[place]) if is_match else 0


def matching_rows(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    pattern: Pattern,
    eligible: Sequence[Mask],
    deadline: Deadline,
) -> tuple[list[Matches], tuple[LimitHit, ...]]:
    """Return the eligible rows with lines that match, per segment; and the cut, if any was made.

    Raises:
        DeadlineExceeded: time ran out.
        Incompatible: a member of a joint view has more chunks to read than one search may.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    files, words = [], []
    for segment, mask in zip(segments, eligible, strict=True):
        deadline.check("matching")
        words.append(list(_rows_of_words(segment, pattern.needs)))
        files.append(_files_with(segment, words[-1], mask))
    files, limits = _bounded(segments, files)
    matches = []
    for segment, mask, numbers, held in zip(segments, eligible, files, words, strict=True):
        rows = _rows_with(segment, held if pattern.by_line else (), numbers)
        lines = [
            matched_rows(runs, pattern, deadline)
            for runs in read_runs(view, segment, rows, deadline)
        ]
        found, counts = np.unique(np.concatenate(lines or [rows[:0]]), return_counts=True)
        kept = mask[found]
        matches.append(Matches(found[kept], counts[kept], np.ones(int(kept.sum()))))
    return matches, limits


def matching_lines(
    view: SnapshotView,
    segment: SearchableSegment,
    request: SearchRequest,
    rows: Collection[int],
    deadline: Deadline,
) -> dict[int, tuple[HitLine, ...]]:
    """Return the first matching lines of some rows, with the requested context.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    pattern = pattern_of(request)
    if pattern is None:
        return {}
    shown: dict[int, tuple[HitLine, ...]] = {}
    around = _rows_around(segment, pattern, rows, request.lines_before, request.lines_after)
    for runs in read_runs(view, segment, around, deadline):
        for run in runs:
            matched = MatchedRun(run, pattern, deadline)
            by_row: dict[int, list[MatchedLine]] = {}
            for row, line in matched.lines():
                if row in rows and len(lines := by_row.setdefault(row, [])) < MOST_SHOWN_LINES:
                    lines.append(line)
            for row, lines in by_row.items():
                shown[row] = matched.shown(lines, request.lines_before, request.lines_after)
    return shown


def _files_with(
    segment: SearchableSegment, words: Sequence[Rows], mask: Mask
) -> npt.NDArray[np.int64]:
    """Return the files with eligible rows that may contain all words, ascending."""
    image = segment.image
    shown = np.zeros(image.files, dtype=np.bool_)
    shown[image.row_files[mask]] = True
    held = shown.copy()
    for rows in words:
        own = np.zeros(image.files, dtype=np.bool_)
        own[image.row_files[rows]] = True
        held &= own
    return np.flatnonzero(held | (shown & shared_lines(segment)))


def _rows_with(
    segment: SearchableSegment, words: Sequence[Rows], files: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the rows of some files that may hold lines with all words, ascending.

    A line lies within one row and the blanks before it, unless two chunks share one.
    """
    image = segment.image
    wanted = np.zeros(image.files, dtype=np.bool_)
    wanted[files] = True
    rows = wanted[image.row_files] & chunk_rows(segment)
    if words:
        held = np.ones(image.rows, dtype=np.bool_)
        for each in words:
            own = np.zeros(image.rows, dtype=np.bool_)
            own[each] = True
            held &= own
        rows &= held | shared_lines(segment)[image.row_files]
    return np.flatnonzero(rows)


def _rows_around(
    segment: SearchableSegment, pattern: Pattern, rows: Collection[int], before: int, after: int
) -> npt.NDArray[np.int64]:
    """Return the rows that hold the lines of some rows and so many lines around them."""
    image, shared = segment.image, shared_lines(segment)
    wanted = np.zeros(image.rows, dtype=np.bool_)
    for row in rows:
        file = int(image.row_files[row])
        span = segment.rows_of(file)
        if pattern.by_line and not shared[file] and not image.row_anchors[row]:
            starts, _ = image.row_lines(span.start, span.stop)
            starts = starts[bool(image.row_anchors[span.start]) :]
            base, place = span.stop - len(starts), row - span.stop + len(starts)
            # A match that begins in the blanks behind a row ends in the next one.
            last = starts[min(place + 1, len(starts) - 1)] + after
            low = int(np.searchsorted(starts, starts[place] - min(before, starts[place]), "right"))
            span = range(base + max(low - 1, 0), base + int(np.searchsorted(starts, last, "right")))
        wanted[span.start : span.stop] = True
    return np.flatnonzero(wanted & chunk_rows(segment))


def _rows_of_words(segment: SearchableSegment, needs: Sequence[str]) -> Iterator[Rows]:
    """Yield, for each word that a match must hold, the rows that may hold it."""
    postings = segment.row_postings
    for text in needs:
        for term, is_whole in contained_terms(text):
            if is_whole:
                yield postings.rows_with(term, _BODY)
            else:
                yield _rows_with_part(postings, term)


def _rows_with_part(postings: Postings, part: str) -> Rows:
    """Return the rows that contain a word with the part `part`."""
    blob, offsets = postings.term_bytes, postings.term_offsets
    wanted = part.encode()
    places = np.flatnonzero(blob[: max(len(blob) - len(wanted) + 1, 0)] == wanted[0])
    for number, byte in enumerate(wanted[1:], start=1):
        places = places[blob[places + number] == byte]
    terms = np.searchsorted(offsets, places.astype(offsets.dtype), side="right") - 1
    inside = places + len(wanted) <= offsets[terms + 1]  # not over the end of a term
    heads = np.flatnonzero(np.diff(offsets.astype(np.int64)) >= _HEAD_BYTES)
    return _rows_of_terms(postings, np.unique(np.concatenate([terms[inside], heads])))


def _rows_of_terms(postings: Postings, terms: npt.NDArray[np.int64]) -> Rows:
    """Return the rows, ascending and once each, whose own text holds any of some terms."""
    body = postings.fields[BODY]
    offsets = body.offsets.astype(np.int64)
    sizes = offsets[terms + 1] - offsets[terms]
    places = np.arange(int(sizes.sum())) + np.repeat(
        offsets[terms] - np.cumsum(sizes) + sizes, sizes
    )
    rows = body.rows[places]
    marked = np.zeros(int(rows.max()) + 1 if len(rows) else 0, dtype=np.bool_)
    marked[rows] = True
    return np.flatnonzero(marked).astype(np.uint32)


def _bounded(
    segments: Sequence[SearchableSegment], files: list[npt.NDArray[np.int64]]
) -> tuple[list[npt.NDArray[np.int64]], tuple[LimitHit, ...]]:
    """Return the files to read, the first by path if there are too many."""
    starts = [segment.image.file_rows.astype(np.int64) for segment in segments]
    sizes = [(each[1:] - each[:-1])[own] for each, own in zip(starts, files, strict=True)]
    total = sum(int(size.sum()) for size in sizes)
    if total <= MAX_SCANNED_ROWS:
        return files, ()
    if any(segment.owners is not None for segment in segments):
        _require_bounded(segments, files, sizes)
        return files, ()
    every = sorted(
        (segment.image.path_bytes(file), place, file, size)
        for place, (segment, own, counts) in enumerate(zip(segments, files, sizes, strict=True))
        for file, size in zip(own.tolist(), counts.tolist(), strict=True)
    )
    kept: list[list[int]] = [[] for _ in segments]
    left = MAX_SCANNED_ROWS
    for _, place, file, size in every:
        left -= size
        if left < 0:
            break
        kept[place].append(file)
    bounded = [np.array(sorted(own), dtype=np.int64) for own in kept]
    return bounded, (LimitHit("max_scanned_rows", MAX_SCANNED_ROWS, total),)


def _require_bounded(
    segments: Sequence[SearchableSegment],
    files: Sequence[npt.NDArray[np.int64]],
    sizes: Sequence[npt.NDArray[np.int64]],
) -> None:
    """Raise if one member's files have too many chunks: it cuts, and says so, asked by itself.

    Raises:
        Incompatible: one does.
    """
    totals: Counter[int] = Counter()
    for segment, own, counts in zip(segments, files, sizes, strict=True):
        for file, size in zip(own.tolist(), counts.tolist(), strict=True):
            totals[segment.owner_of(file)] += size
    if max(totals.values()) > MAX_SCANNED_ROWS:
        raise Incompatible("a repository has too many chunks to read; ask it by itself")
