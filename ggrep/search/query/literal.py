"""Finds chunks with lines that contain an exact text, or match a regular expression.

Postings list words in lower case. The inner words of a match are whole words of the file; its first
and last word can be parts of longer words. Therefore only files whose postings contain these words
are read and searched. A pattern without words is searched for in every file.
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
"""Maximum number of chunks of a snapshot that one search reads."""
MOST_SHOWN_LINES: Final = 100
"""Maximum number of matching lines in a hit; the hit also has the total number."""
_HEAD_BYTES: Final = 64
"""The index can contain only the first bytes of words of at least this length."""
_BODY: Final = range(BODY, BODY + 1)


class Literal(Struct, frozen=True):
    """A text, in NFC with LF as line end, that is found by its bytes.

    Attributes:
        needs: the text.
        wanted: the text encoded as UTF-8.
    """

    needs: tuple[str, ...]
    wanted: bytes

    @property
    def by_line(self) -> bool:
        """Return whether the text lies within one line."""
        return b"\n" not in self.wanted

    def first(self, text: bytes, start: int, deadline: Deadline) -> tuple[int, int] | None:
        """Return the first occurrence of the text at or after `start`."""
        return next(self.firsts(text, start, deadline), None)

    def firsts(self, text: bytes, start: int, deadline: Deadline) -> Iterator[tuple[int, int]]:
        """Yield the first occurrence at or after `start`, and the first in each later line."""
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
    """Return a pattern that finds a text literally; see `compile_regex` for the options.

    Raises:
        InvalidRequest: the text is empty.
    """
    if not text:
        raise InvalidRequest("the query is empty; enter at least one character")
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
    if ignore_case or whole_words:
        return compile_text(text, ignore_case=ignore_case, whole_words=whole_words)
    return Literal((text,), text.encode())


def pattern_of(request: SearchRequest) -> Pattern | None:
    """Return the pattern that every hit must match; None for requests without one.

    Raises:
        InvalidRequest: the query is empty or not a regular expression.
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
        lines: number of matching lines of each row; 0 if rows match as a whole.
        factors: factors by which the rows' scores are multiplied.
    """

    rows: npt.NDArray[np.int64]
    lines: npt.NDArray[np.int64]
    factors: npt.NDArray[np.float64]

    def within(self, mask: Mask) -> "Matches":
        """Return the matches in the rows that a mask selects."""
        kept = mask[self.rows]
        return Matches(self.rows[kept], self.lines[kept], self.factors[kept])

    def lines_of(self, row: int) -> int:
        """Return the number of matching lines of a row; 0 for rows that do not match."""
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
    """Return the eligible rows with matching lines, per segment, and the limits hit.

    Raises:
        DeadlineExceeded: time ran out.
        Incompatible: a repository of a joint view has more chunks to read than one search may read.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    files, words = [], []
    for segment, mask in zip(segments, eligible, strict=True):
        deadline.check("matching")
        words.append(list(_rows_of_words(segment, pattern.needs)))
        files.append(_files_with(segment, words[-1], mask))
    files, limits = _bounded(segments, files)
    matches = []
    for segment, mask, numbers, word_rows in zip(segments, eligible, files, words, strict=True):
        rows = _rows_with(segment, word_rows if pattern.by_line else (), numbers)
        lines = [
            matched_rows(runs, pattern, deadline)
            for runs in read_runs(view, segment, rows, deadline)
        ]
        matching, counts = np.unique(np.concatenate(lines or [rows[:0]]), return_counts=True)
        kept = mask[matching]
        matches.append(Matches(matching[kept], counts[kept], np.ones(int(kept.sum()))))
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
    with_words = shown.copy()
    for rows in words:
        with_word = np.zeros(image.files, dtype=np.bool_)
        with_word[image.row_files[rows]] = True
        with_words &= with_word
    return np.flatnonzero(with_words | (shown & shared_lines(segment)))


def _rows_with(
    segment: SearchableSegment, words: Sequence[Rows], files: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the rows of some files that can have lines with all words, ascending.

    A line lies within one row and the blanks before it, unless two chunks share the line.
    """
    image = segment.image
    wanted = np.zeros(image.files, dtype=np.bool_)
    wanted[files] = True
    rows = wanted[image.row_files] & chunk_rows(segment)
    if words:
        with_words = np.ones(image.rows, dtype=np.bool_)
        for each in words:
            with_word = np.zeros(image.rows, dtype=np.bool_)
            with_word[each] = True
            with_words &= with_word
        rows &= with_words | shared_lines(segment)[image.row_files]
    return np.flatnonzero(rows)


def _rows_around(
    segment: SearchableSegment, pattern: Pattern, rows: Collection[int], before: int, after: int
) -> npt.NDArray[np.int64]:
    """Return the rows with the lines of `rows`, and with the given context before and after."""
    image, shared = segment.image, shared_lines(segment)
    wanted = np.zeros(image.rows, dtype=np.bool_)
    for row in rows:
        file = int(image.row_files[row])
        span = segment.rows_of(file)
        if pattern.by_line and not shared[file] and not image.row_anchors[row]:
            starts, _ = image.row_lines(span.start, span.stop)
            starts = starts[bool(image.row_anchors[span.start]) :]
            base, place = span.stop - len(starts), row - span.stop + len(starts)
            # A match that begins in the blanks after a row ends in the next row.
            last = starts[min(place + 1, len(starts) - 1)] + after
            low = int(np.searchsorted(starts, starts[place] - min(before, starts[place]), "right"))
            span = range(base + max(low - 1, 0), base + int(np.searchsorted(starts, last, "right")))
        wanted[span.start : span.stop] = True
    return np.flatnonzero(wanted & chunk_rows(segment))


def _rows_of_words(segment: SearchableSegment, needs: Sequence[str]) -> Iterator[Rows]:
    """Yield, for each word that every match contains, the rows that can contain the word."""
    postings = segment.row_postings
    for text in needs:
        for term, is_whole in contained_terms(text):
            if is_whole:
                yield postings.rows_with(term, _BODY)
            else:
                yield _rows_with_part(postings, term)


def _rows_with_part(postings: Postings, part: str) -> Rows:
    blob, offsets = postings.term_bytes, postings.term_offsets
    wanted = part.encode()
    places = np.flatnonzero(blob[: max(len(blob) - len(wanted) + 1, 0)] == wanted[0])
    for number, byte in enumerate(wanted[1:], start=1):
        places = places[blob[places + number] == byte]
    terms = np.searchsorted(offsets, places.astype(offsets.dtype), side="right") - 1
    inside = places + len(wanted) <= offsets[terms + 1]  # within a term
    heads = np.flatnonzero(np.diff(offsets.astype(np.int64)) >= _HEAD_BYTES)
    return _rows_of_terms(postings, np.unique(np.concatenate([terms[inside], heads])))


def _rows_of_terms(postings: Postings, terms: npt.NDArray[np.int64]) -> Rows:
    """Return the rows, ascending and distinct, whose body contains any of some terms."""
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
    """Return the files to read; if there are too many, the first by path."""
    starts = [segment.image.file_rows.astype(np.int64) for segment in segments]
    sizes = [(each[1:] - each[:-1])[numbers] for each, numbers in zip(starts, files, strict=True)]
    total = sum(int(size.sum()) for size in sizes)
    if total <= MAX_SCANNED_ROWS:
        return files, ()
    if any(segment.owners is not None for segment in segments):
        _require_bounded(segments, files, sizes)
        return files, ()
    every = sorted(
        (segment.image.path_bytes(file), place, file, size)
        for place, (segment, numbers, counts) in enumerate(zip(segments, files, sizes, strict=True))
        for file, size in zip(numbers.tolist(), counts.tolist(), strict=True)
    )
    kept: list[list[int]] = [[] for _ in segments]
    left = MAX_SCANNED_ROWS
    for _, place, file, size in every:
        left -= size
        if left < 0:
            break
        kept[place].append(file)
    bounded = [np.array(sorted(numbers), dtype=np.int64) for numbers in kept]
    return bounded, (LimitHit("max_scanned_rows", MAX_SCANNED_ROWS, total),)


def _require_bounded(
    segments: Sequence[SearchableSegment],
    files: Sequence[npt.NDArray[np.int64]],
    sizes: Sequence[npt.NDArray[np.int64]],
) -> None:
    """Raise if the files of one repository have too many chunks.

    A search of that repository alone reads its first files and reports the limit.
    """
    totals: Counter[int] = Counter()
    for segment, numbers, counts in zip(segments, files, sizes, strict=True):
        for file, size in zip(numbers.tolist(), counts.tolist(), strict=True):
            totals[segment.owner_of(file)] += size
    if max(totals.values()) > MAX_SCANNED_ROWS:
        raise Incompatible("a repository has too many chunks for a joint search; query it alone")
