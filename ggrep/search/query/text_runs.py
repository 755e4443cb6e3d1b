"""Joins the text of adjacent rows, in batches to which a pattern is applied at once.

Chunks and their tails are the whole text of a file. The tail of a chunk consists of the blanks up
to the next chunk; the tail of the header chunk is the text before the first chunk. A run
begins where the line of its first row begins, which can be in the tail of the chunk before. A run
ends with the last line end of its last tail.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.index.store.view import SnapshotView
from ggrep.parse.languages.line_table import BOM
from ggrep.search.query.row_reading import BATCH_ROWS, row_tiles
from ggrep.search.query.segments import SearchableSegment


class TextRun(Struct, frozen=True):
    """Consecutive whole lines of a file, with the rows that contain them.

    Attributes:
        data: the text as UTF-8, to the byte as it was indexed.
        rows: ascending; a file without other chunks has its header chunk as a row.
        starts: offset in `data` at which each row begins.
        first_line: number of the line at which `data` begins.
    """

    data: bytes
    rows: Sequence[int]
    starts: Sequence[int]
    first_line: int = 1


def plain_text(data: bytes) -> bytes:
    """Return a file's text for matching: LF as line end, NFC, without byte order mark."""
    plain = data.removeprefix(BOM)
    if b"\r\n" in plain:
        plain = plain.replace(b"\r\n", b"\n")
    if plain.isascii():
        return plain
    text = plain.decode("utf-8", "replace")
    if unicodedata.is_normalized("NFC", text):
        return plain
    return unicodedata.normalize("NFC", text).encode()


def plain_run(run: TextRun) -> tuple[bytes, Sequence[int]]:
    """Return a run's plain text, and the offset in this text at which each row begins."""
    begins = run.first_line == 1
    text = _plain(run.data, begins=begins)
    if text == run.data:
        return text, run.starts
    data = np.frombuffer(run.data, dtype=np.uint8)
    # A row can begin within a composed character. ASCII characters do not compose with characters
    # before them.
    cuts = np.concatenate(([0], np.flatnonzero((data < 128) & (data != ord("\n")))))
    cuts = cuts[np.searchsorted(cuts, run.starts, side="right") - 1]
    starts: list[int] = []
    size, before = 0, 0
    for start, cut in zip(run.starts, cuts.tolist(), strict=True):
        size += len(_plain(run.data[before:cut], begins=begins and not before))
        starts.append(size + len(_plain(run.data[cut:start], begins=begins and not cut)))
        before = cut
    return text, starts


def _plain(data: bytes, *, begins: bool) -> bytes:
    """Return the plain text of a part of a file; a byte order mark occurs only at its beginning."""
    return plain_text(data) if begins else plain_text(b"\n" + data)[1:]


def chunk_rows(segment: SearchableSegment) -> npt.NDArray[np.bool_]:
    """Return bool (rows,): the rows with the text of files; a header chunk only if it is alone."""
    image = segment.image
    first = image.file_rows[:-1].astype(np.int64)
    alone = np.zeros(image.rows, dtype=np.bool_)
    alone[first[np.diff(image.file_rows.astype(np.int64)) == 1]] = True
    alone[image.row_anchors == 0] = True
    return alone


def shared_lines(segment: SearchableSegment) -> npt.NDArray[np.bool_]:
    """Return bool (files,): the files in which two chunks share a line."""
    image = segment.image
    first, last = image.row_lines(0, image.rows)
    files, anchors = image.row_files, image.row_anchors
    split = (first[1:] <= last[:-1]) & (files[1:] == files[:-1]) & (anchors[:-1] == 0)
    mask = np.zeros(image.files, dtype=np.bool_)
    mask[files[1:][split]] = True
    return mask


def read_runs(
    view: SnapshotView,
    segment: SearchableSegment,
    rows: npt.NDArray[np.int64],
    deadline: Deadline,
) -> Iterator[list[TextRun]]:
    """Yield the text of some rows as runs of adjacent rows, in batches.

    Args:
        view: the pinned snapshot.
        segment: one of its segments.
        rows: ascending rows, all selected by `chunk_rows`; all or none of the rows of a file in
            which two chunks share a line (see `shared_lines`).
        deadline: checked before each read.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    deadline.check("reading files")
    spans = _spans(segment, rows)
    batch: list[_Span] = []
    size = 0
    for span in spans:
        batch.append(span)
        size += span.end - span.first
        if size >= BATCH_ROWS:
            yield _read(view, segment, batch, deadline)
            batch, size = [], 0
    if batch:
        yield _read(view, segment, batch, deadline)


class _Span(NamedTuple):
    """The rows `first` to `end` - 1 of a file, whose text is read together.

    Attributes:
        line: first line of the first row.
        lead: whether the tail of the previous row precedes the first row.
        begins: whether the file begins with the span.
        ends: whether the file ends with the span.
        blank: whether the span is a header chunk.
    """

    first: int
    end: int
    line: int
    lead: bool
    begins: bool
    ends: bool
    blank: bool


def _spans(segment: SearchableSegment, rows: npt.NDArray[np.int64]) -> Iterator[_Span]:
    """Return ascending rows as spans, each of adjacent rows of one file."""
    image = segment.image
    files = image.row_files[rows]
    breaks = np.flatnonzero((np.diff(rows) != 1) | (files[1:] != files[:-1])) + 1
    first = rows[np.concatenate(([0], breaks))] if len(rows) else rows
    end = rows[np.concatenate((breaks, [len(rows)])) - 1] + 1 if len(rows) else rows
    file_rows = image.file_rows.astype(np.int64)
    files = image.row_files[first]
    anchors = image.row_anchors != 0
    lead = first > file_rows[files]
    columns = (
        first,
        end,
        image.row_lines(0, image.rows)[0][first],
        lead,
        ~lead | anchors[first - lead],
        end == file_rows[files + 1],
        anchors[first],
    )
    return map(_Span, *(column.tolist() for column in columns))


def _read(
    view: SnapshotView,
    segment: SearchableSegment,
    spans: Sequence[_Span],
    deadline: Deadline,
) -> list[TextRun]:
    deadline.check("reading files")
    wanted = [row for span in spans for row in range(span.first - span.lead, span.end)]
    tiles = row_tiles(view, segment, wanted)
    runs: list[TextRun] = []
    place = 0
    for span in spans:
        before = tiles[place][1] if span.lead else b""
        before = before if span.begins else before[before.rfind(b"\n") + 1 :]
        place += span.lead
        count = span.end - span.first
        span_tiles = tiles[place : place + count]
        place += count
        parts = [before, *(tail if span.blank else text + tail for text, tail in span_tiles)]
        data = b"".join(parts)
        if not span.ends:
            data = data[: data.rfind(b"\n") + 1]
        places = list(accumulate(map(len, parts)))[:count]
        rows: Sequence[int] = range(span.first, span.end)
        if span.begins:
            places[0] = 0
        else:
            rows, places = range(span.first - 1, span.end), [0, *places]
        runs.append(TextRun(data, rows, places, 1 if span.begins else span.line))
    return runs
