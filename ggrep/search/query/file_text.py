"""The text of a file as indexed, to the byte, whatever the work tree holds by now.

A file that was cut at its chunk cap ends with its last chunk.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.errors import CorruptStore
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.row_reading import BATCH_ROWS, file_contents
from ggrep.search.query.segments import SearchableSegment


class IndexedFile(Struct, frozen=True):
    """A file of a segment with its text.

    Attributes:
        data: UTF-8.
        rows: the file's rows in source order, the header chunk's aside.
        starts: offset in `data` at which each row's text begins.
        header: the row of the header chunk; None where there is none.
    """

    file: int
    data: bytes
    rows: range
    starts: tuple[int, ...]
    header: int | None


def file_text(view: SnapshotView, segment: SearchableSegment, file: int, deadline: Deadline) -> str:
    """Return a file's text; see `read_files`."""
    return file_texts(view, segment, (file,), deadline)[0]


def file_texts(
    view: SnapshotView, segment: SearchableSegment, files: Sequence[int], deadline: Deadline
) -> list[str]:
    """Return the texts of several files of one segment, in any order; see `read_files`."""
    read = read_files(view, segment, sorted(set(files)), deadline)
    try:
        texts = {item.file: item.data.decode() for item in read}
    except UnicodeDecodeError as error:
        raise CorruptStore(f"segment {segment.image.name}: a text is cut elsewhere") from error
    return [texts[file] for file in files]


def read_files(
    view: SnapshotView, segment: SearchableSegment, files: Sequence[int], deadline: Deadline
) -> Iterator[IndexedFile]:
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


def row_at(segment: SearchableSegment, file: int, line: int) -> int | None:
    """Return the chunk row that holds a line, without anchors, or the nearest before it.

    None where no chunk begins so early in the file.
    """
    rows = _chunk_rows(segment, file)
    if not rows:
        return None
    starts, _ = segment.image.row_lines(rows.start, rows.stop)
    place = int(np.searchsorted(starts, line, side="right")) - 1
    return None if place < 0 else rows.start + place


def _chunk_rows(segment: SearchableSegment, file: int) -> range:
    """Return the rows of a file without its header chunk, which is the first."""
    rows = segment.rows_of(file)
    return rows[1:] if rows and segment.image.row_anchors[rows[0]] else rows


def _read(
    view: SnapshotView, segment: SearchableSegment, files: Sequence[int], deadline: Deadline
) -> Iterator[IndexedFile]:
    deadline.check("reading files")
    for file, text in zip(files, file_contents(view, segment, files), strict=True):
        span, rows = segment.rows_of(file), _chunk_rows(segment, file)
        header = span.start if len(rows) < len(span) else None
        yield IndexedFile(file, text.data, rows, tuple(text.starts), header)
