"""The text of a file as indexed, reassembled from the chunks that tile it: as lines, or as bytes.

Chunks lose the blanks around them and nothing else, so every line stands at its own number again,
whatever the work tree holds by now. How many bytes and line ends a gap had is known; which blanks
stood at the ends of its lines is not: as bytes they are spaces, as lines they are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ggrep.base.deadline import Deadline
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.row_reading import BATCH_ROWS, row_columns, row_texts
from ggrep.search.query.segments import SearchableSegment


def file_text(view: SnapshotView, segment: SearchableSegment, file: int, deadline: Deadline) -> str:
    """Return a file's text with every line at its own number; blank lines may have lost blanks.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    return file_texts(view, segment, (file,), deadline)[0]


def file_texts(
    view: SnapshotView, segment: SearchableSegment, files: Sequence[int], deadline: Deadline
) -> list[str]:
    """Return the texts of several files of one segment, read at once; see `file_text`.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    deadline.check("reading files")
    rows = [_rows(segment, file) for file in files]
    wanted = sorted({row for own in rows for row in own})
    seamed = sorted({row for own in rows if _has_seam(segment, own) for row in own})
    texts = dict(zip(wanted, row_texts(view, segment, wanted), strict=True))
    starts, ends = row_columns(view, segment, seamed, ("byte_start", "byte_end"))
    spans = dict(zip(seamed, zip(starts, ends, strict=True), strict=True))
    deadline.check("reading files")
    return [_joined(segment, own, texts, spans) for own in rows]


def row_at(segment: SearchableSegment, file: int, line: int) -> int | None:
    """Return the chunk row that holds a line, without anchors, or the nearest before it.

    None where no chunk begins so early in the file.
    """
    rows = _rows(segment, file)
    if not rows:
        return None
    starts, _ = segment.image.row_lines(rows.start, rows.stop)
    place = int(np.searchsorted(starts, line, side="right")) - 1
    return None if place < 0 else rows.start + place


def _rows(segment: SearchableSegment, file: int) -> range:
    """Return the rows of a file without its anchor, which is the first and repeats others."""
    rows = segment.rows_of(file)
    while rows and segment.image.row_anchors[rows[0]]:
        rows = rows[1:]
    return rows


def _has_seam(segment: SearchableSegment, rows: range) -> bool:
    """Return whether two chunks share a line; only the table knows the gap between them."""
    starts, ends = segment.image.row_lines(rows.start, rows.stop)
    return bool((starts[1:] <= ends[:-1]).any())


def _joined(
    segment: SearchableSegment,
    rows: range,
    texts: dict[int, str],
    spans: dict[int, tuple[int, int]],
) -> str:
    if not rows:
        return ""
    starts, ends = (lines.tolist() for lines in segment.image.row_lines(rows.start, rows.stop))
    parts = ["\n" * (starts[0] - 1), texts[rows.start]]
    for place, (before, row) in enumerate(pairwise(rows), start=1):
        between = starts[place] - ends[place - 1]
        blanks = spans[row][0] - spans[before][1] if row in spans and between < 1 else 0
        parts += ["\n" * between, " " * blanks, texts[row]]
    return "".join(parts)


_COLUMNS = ("text", "display_start", "display_length", "byte_start", "byte_end")


@dataclass(frozen=True, slots=True)
class Part:
    """One chunk in its file.

    Attributes:
        start: offset of its first byte in the file; `end` is exclusive.
        first_line: 1-based, as `last_line`.
    """

    row: int
    start: int
    end: int
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A reassembled file.

    Attributes:
        parts: its chunks in source order; none of them overlap.
        anchors: its header chunks, which repeat what others hold.
    """

    file: int
    data: bytes
    parts: tuple[Part, ...]
    anchors: tuple[Part, ...]


def read_files(
    view: SnapshotView, segment: SearchableSegment, files: Sequence[int], deadline: Deadline
) -> Iterator[FileBytes]:
    """Yield files of a segment, read in batches.

    Args:
        view: the pinned snapshot.
        segment: one of its segments.
        files: ascending.
        deadline: checked before each read.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    batch: list[int] = []
    rows = 0
    for file in files:
        batch.append(file)
        rows += len(segment.rows_of(file))
        if rows >= BATCH_ROWS:
            yield from _read(view, segment, batch, deadline)
            batch, rows = [], 0
    if batch:
        yield from _read(view, segment, batch, deadline)


def _read(
    view: SnapshotView, segment: SearchableSegment, files: Sequence[int], deadline: Deadline
) -> Iterator[FileBytes]:
    deadline.check("reading files")
    image = segment.image
    spans = [segment.rows_of(file) for file in files]
    columns = row_columns(view, segment, [row for span in spans for row in span], _COLUMNS)
    place = 0
    for file, span in zip(files, spans, strict=True):
        cut = slice(place, place + len(span))
        place += len(span)
        texts = [
            text[start : start + length].encode()
            for text, start, length in zip(*(column[cut] for column in columns[:3]), strict=True)
        ]
        starts, ends = (lines.tolist() for lines in image.row_lines(span.start, span.stop))
        offsets = [column[cut] for column in columns[3:]]
        parts = list(map(Part, span, *offsets, starts, ends))
        size = int(image.arrays["file_sizes"][file])
        yield _file_bytes(segment, file, list(zip(parts, texts, strict=True)), size)


def _file_bytes(
    segment: SearchableSegment, file: int, held: list[tuple[Part, bytes]], size: int
) -> FileBytes:
    is_anchor = segment.image.row_anchors
    pieces: list[bytes] = []
    parts: list[Part] = []
    end, line = 0, 1
    for part, text in held:
        if is_anchor[part.row]:
            continue
        pieces += [_gap(part.start - end, part.first_line - line), text]
        parts.append(part)
        end, line = part.end, part.last_line
    if parts and end < size:
        pieces.append(b"\r\n" if pieces[-1].count(b"\r\n") else b"\n")  # more of it is blank
    anchors = tuple(part for part, _ in held if is_anchor[part.row])
    return FileBytes(file, b"".join(pieces), tuple(parts), anchors)


def _gap(size: int, lines: int) -> bytes:
    """Return `size` blank bytes that end with `lines` line ends."""
    if size == 2 * lines:
        return b"\r\n" * lines
    return b" " * (size - lines) + b"\n" * lines
