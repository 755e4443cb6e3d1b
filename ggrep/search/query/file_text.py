"""The text of a file as it was indexed, to the byte; the work tree may have changed since.

Only a limited number of chunks of a file are indexed; the text ends with the last of these chunks.
"""

from collections.abc import Sequence

import numpy as np

from ggrep.base.clock import Deadline
from ggrep.base.errors import CorruptStore
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.query.text_runs import read_runs


def file_text(view: SnapshotView, segment: SearchableSegment, file: int, deadline: Deadline) -> str:
    """Return a file's text; see `file_texts`."""
    return file_texts(view, segment, (file,), deadline)[0]


def file_texts(
    view: SnapshotView, segment: SearchableSegment, files: Sequence[int], deadline: Deadline
) -> list[str]:
    """Return the texts of several files of one segment, in any order.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    texts = dict.fromkeys(sorted(files), "")
    tiling = [_chunk_rows(segment, file) or segment.rows_of(file) for file in texts]
    rows = np.array([row for span in tiling for row in span], dtype=np.int64)
    try:
        for runs in read_runs(view, segment, rows, deadline):
            texts |= {int(segment.image.row_files[run.rows[0]]): run.data.decode() for run in runs}
    except UnicodeDecodeError as error:
        raise CorruptStore(
            f"segment {segment.image.name}: the text of a row does not end at the recorded position"
        ) from error
    return [texts[file] for file in files]


def row_at(segment: SearchableSegment, file: int, line: int) -> int | None:
    """Return the row of the chunk that contains a line, or of the nearest chunk before the line.

    Header chunks do not count. Return None if all chunks begin after the line.
    """
    rows = _chunk_rows(segment, file)
    if not rows:
        return None
    starts, _ = segment.image.row_lines(rows.start, rows.stop)
    place = int(np.searchsorted(starts, line, side="right")) - 1
    return None if place < 0 else rows.start + place


def _chunk_rows(segment: SearchableSegment, file: int) -> range:
    """Return the rows of a file without the row of its header chunk."""
    rows = segment.rows_of(file)
    return rows[1:] if rows and segment.image.row_anchors[rows[0]] else rows
