"""Reads rows of a pinned snapshot from its tables, all at once."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ggrep.base.errors import CorruptStore
from ggrep.index.store.rows import ShownRow
from ggrep.index.store.tables import read_columns, take_shown, take_texts
from ggrep.index.store.view import SnapshotView, gone
from ggrep.search.query.segments import SearchableSegment

BATCH_ROWS = 2048
"""Rows read between two looks at the clock."""


@contextmanager
def removal_told(view: SnapshotView) -> Iterator[None]:
    """Tell a snapshot that was removed meanwhile from a damaged one.

    Raises:
        SnapshotGone, NoIndex: the snapshot or the whole store was removed.
        CorruptStore: it is there, and damaged.
    """
    try:
        yield
    except CorruptStore as error:
        if (removed := gone(view)) is not None:
            raise removed from error
        raise


def row_texts(view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]) -> list[str]:
    """Return the texts of some rows, which must ascend; errors as `removal_told`."""
    with removal_told(view):
        return take_texts(view.store, segment.image.name, rows)


def row_columns(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int], names: Sequence[str]
) -> list[list[Any]]:
    """Return columns of some rows, which must ascend; errors as `removal_told`."""
    if not rows:
        return [[] for _ in names]
    with removal_told(view):
        table = read_columns(view.store, segment.image.name, rows, names)
    return [table.column(name).to_pylist() for name in names]


def shown_rows(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]
) -> list[ShownRow]:
    """Return what hits show of some rows.

    Raises:
        CorruptStore: the table does not hold the rows its image says.
        GgrepError: as `removal_told`.
    """
    with removal_told(view):
        found = take_shown(view.store, segment.image.name, rows)
        check_rows(segment, rows, [row.row_id for row in found])
    return found


def check_rows(segment: SearchableSegment, rows: Sequence[int], row_ids: Sequence[str]) -> None:
    """Do nothing when rows read from the table are those of the image.

    Raises:
        CorruptStore: they are not.
    """
    image = segment.image
    for row, row_id in zip(rows, row_ids, strict=True):
        if bytes.fromhex(row_id) != image.row_id(row):
            raise CorruptStore(f"segment {image.name}: row {row} is not the image's")
