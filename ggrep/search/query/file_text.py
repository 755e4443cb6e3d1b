"""The text of a file as indexed, reassembled from the chunks that tile it.

Chunks lose the blanks around them and nothing else, so a gap between two is filled with line ends
and spaces: every line stands at its own number again, whatever the work tree holds by now.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ggrep.base.deadline import Deadline
from ggrep.base.errors import CorruptStore
from ggrep.index.store.tables import read_columns, take_texts
from ggrep.index.store.view import SnapshotView, gone
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
    try:
        texts = dict(zip(wanted, take_texts(view.store, segment.image.name, wanted), strict=True))
        spans = _spans(view, segment, seamed)
    except CorruptStore as error:
        if (removed := gone(view)) is not None:
            raise removed from error
        raise
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
    image = segment.image
    start, end = int(image.file_rows[file]), int(image.file_rows[file + 1])
    while start < end and image.row_anchors[start]:
        start += 1
    return range(start, end)


def _has_seam(segment: SearchableSegment, rows: range) -> bool:
    """Return whether two chunks share a line; only the table knows the gap between them."""
    starts, ends = segment.image.row_lines(rows.start, rows.stop)
    return bool((starts[1:] <= ends[:-1]).any())


def _spans(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """Return where rows begin and end in their file, in bytes."""
    if not rows:
        return {}
    found = read_columns(view.store, segment.image.name, rows, ("byte_start", "byte_end"))
    starts, ends = (found.column(name).to_pylist() for name in ("byte_start", "byte_end"))
    return dict(zip(rows, zip(starts, ends, strict=True), strict=True))


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
