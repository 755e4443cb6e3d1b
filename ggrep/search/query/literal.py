"""Which chunks contain an exact text, or match a regular expression.

Postings know words in one letter case. A match holds the words in its middle whole and those at
its ends as parts of longer ones, so the files that may hold it are known without reading any; those
are read and looked into. What holds no word at all is looked for in every file.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from ggrep.base.deadline import Deadline
from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.index.lexical.layout import BODY
from ggrep.index.lexical.postings import Postings, Rows, union
from ggrep.index.lexical.tokens import contained_terms
from ggrep.index.store.view import SnapshotView
from ggrep.model.limits import LimitHit
from ggrep.search.query.eligible import Mask
from ggrep.search.query.file_text import FileBytes, Part, read_files
from ggrep.search.query.segments import SearchableSegment

MAX_SCANNED_ROWS: Final = 200_000
"""Most chunks of a snapshot whose text one search reads."""
_HEAD_BYTES: Final = 64
"""Of words as long as this the index may have the head alone, so what they end with is unknown."""
_BODY: Final = range(BODY, BODY + 1)


class Pattern(Protocol):
    """A text or regular expression to find.

    Attributes:
        needs: texts that every match holds, letter case aside.
    """

    @property
    def needs(self) -> tuple[str, ...]:
        """Return texts that every match holds, letter case aside."""
        ...

    def first(self, data: bytes, start: int, deadline: Deadline) -> tuple[int, int] | None:
        """Return where the first match at or behind `start` begins and ends."""
        ...


@dataclass(frozen=True, slots=True)
class Literal:
    """An exact text."""

    text: str

    def __post_init__(self) -> None:
        """Raise on an empty text.

        Raises:
            InvalidRequest: the text is empty.
        """
        if not self.text:
            raise InvalidRequest("query: nothing to search for; give at least one character")

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the text itself."""
        return (self.text,)

    def first(self, data: bytes, start: int, deadline: Deadline) -> tuple[int, int] | None:
        """Return where the text first stands at or behind `start`, and ends."""
        deadline.check("matching")
        wanted = self.text.encode()
        place = data.find(wanted, start)
        return None if place < 0 else (place, place + len(wanted))


@dataclass(frozen=True, slots=True)
class Matches:
    """Rows of one segment that match.

    Attributes:
        rows: ascending.
        lines: of each row, the line in the file that its first match begins in, 1-based.
        factors: of each row, what its score is multiplied by.
    """

    rows: npt.NDArray[np.int64]
    lines: npt.NDArray[np.int64]
    factors: npt.NDArray[np.float64]

    def within(self, mask: Mask) -> "Matches":
        """Return those of some rows."""
        kept = mask[self.rows]
        return Matches(self.rows[kept], self.lines[kept], self.factors[kept])

    def line_of(self, row: int) -> int:
        """Return the line of a matching row; 0 for other rows."""
        place = int(np.searchsorted(self.rows, row))
        held = place < len(self.rows) and int(self.rows[place]) == row
        return int(self.lines[place]) if held else 0


def matches_of(found: Sequence[tuple[int, int]]) -> Matches:
    """Return rows with their lines, in any order and once each, as matches that count whole."""
    pairs = np.array(sorted(found), dtype=np.int64).reshape(-1, 2)
    return Matches(pairs[:, 0], pairs[:, 1], np.ones(len(pairs)))


def matching_rows(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    pattern: Pattern,
    eligible: Sequence[Mask],
    deadline: Deadline,
) -> tuple[list[Matches], tuple[LimitHit, ...]]:
    """Return the eligible rows in which a match begins, per segment; and the cut, if any was made.

    A match that runs over several chunks belongs to the first of them. A header chunk must hold
    its matches whole.

    Raises:
        DeadlineExceeded: time ran out.
        Incompatible: a member of a joint view has more chunks to read than one search may.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    files = []
    for segment, mask in zip(segments, eligible, strict=True):
        deadline.check("matching")
        files.append(_files_with(segment, pattern.needs, mask))
    files, limits = _bounded(segments, files)
    found = []
    for segment, mask, own in zip(segments, eligible, files, strict=True):
        held: list[tuple[int, int]] = []
        for file in read_files(view, segment, own.tolist(), deadline):
            held += _matches_in(file, pattern, mask, deadline)
        found.append(matches_of(held))
    return found, limits


def _matches_in(
    file: FileBytes, pattern: Pattern, mask: Mask, deadline: Deadline
) -> Iterator[tuple[int, int]]:
    """Yield the eligible rows of a file in which a match begins, with its line."""
    ends = [*(part.start for part in file.parts[1:]), len(file.data) + 1]
    begin, match = 0, pattern.first(file.data, 0, deadline)
    for part, end in zip(file.parts, ends, strict=False):  # of a blank file there is none
        if match is not None and match[0] < begin:
            match = pattern.first(file.data, begin, deadline)
        if match is None:
            break
        # What stands in front of the first chunk, blank as it is, belongs to it.
        if match[0] < end and mask[part.row]:
            yield part.row, _line(file.data, part, match[0])
        begin = end
    for part in file.anchors:
        if mask[part.row]:
            found = pattern.first(file.data[: part.end], part.start, deadline)
            if found is not None:
                yield part.row, _line(file.data, part, found[0])


def _line(data: bytes, part: Part, place: int) -> int:
    """Return the line of a place; of blanks around a chunk the chunk's line that is nearest."""
    return min(part.first_line + data.count(b"\n", part.start, place), part.last_line)


def _files_with(
    segment: SearchableSegment, needs: Sequence[str], mask: Mask
) -> npt.NDArray[np.int64]:
    """Return the files with eligible rows that may contain all of `needs`, ascending."""
    image = segment.image
    shown = np.zeros(image.files, dtype=np.bool_)
    shown[image.row_files[mask]] = True
    held = shown.copy()
    for rows in _rows_of_words(segment, needs):
        own = np.zeros(image.files, dtype=np.bool_)
        own[image.row_files[rows]] = True
        held &= own
    return np.flatnonzero(held | (shown & _split_lines(segment)))


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
    blob, offsets = postings.term_bytes.tobytes(), postings.term_offsets
    places = np.fromiter(
        (match.start() for match in re.finditer(re.escape(part.encode()), blob)), np.int64
    )
    terms = np.searchsorted(offsets, places, side="right") - 1
    inside = places + len(part.encode()) <= offsets[terms + 1]  # not over the end of a term
    heads = np.flatnonzero(np.diff(offsets.astype(np.int64)) >= _HEAD_BYTES)
    wanted = np.unique(np.concatenate([terms[inside], heads]))
    found = [rows for term in wanted.tolist() if len(rows := postings.rows_of(term, BODY))]
    return union(found) if found else np.empty(0, dtype=np.uint32)


def _split_lines(segment: SearchableSegment) -> Mask:
    """Return the files of which chunks share a line: a word may be cut in two where they meet."""
    image = segment.image
    first, last = image.row_lines(0, image.rows)
    files, anchors = image.row_files, image.row_anchors
    split = (first[1:] <= last[:-1]) & (files[1:] == files[:-1]) & (anchors[:-1] == 0)
    mask = np.zeros(image.files, dtype=np.bool_)
    mask[files[1:][split]] = True
    return mask


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
