"""Reads rows of a pinned snapshot: text, details and data for hits."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ggrep.base.errors import CorruptStore
from ggrep.index.store.definition_extents import Extent
from ggrep.index.store.row_texts import RowDetails, ShownRow, shown_of
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.segments import SearchableSegment

BATCH_ROWS = 2048
"""Rows read between two checks of the deadline."""


@contextmanager
def row_reading(view: SnapshotView, members: frozenset[int]) -> Iterator[None]:
    """Replace a read error by an error that distinguishes a removed from a damaged snapshot.

    Raises:
        SnapshotGone, NoIndex: the snapshot or the whole store was removed.
        CorruptStore: the snapshot exists, but is damaged.
    """
    view.require_intact(members)
    try:
        yield
    except CorruptStore as error:
        if (removed := view.gone()) is not None:
            raise removed from error
        raise


def row_texts(view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]) -> list[str]:
    """Return the texts of ascending rows; the errors are those of `row_reading`."""
    with row_reading(view, segment.owners_of(rows)):
        return segment.texts.texts(rows)


def row_tiles(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]
) -> list[tuple[bytes, bytes]]:
    """Return text and tail (see `Texts.tiles`) of ascending rows; errors as in `row_reading`."""
    with row_reading(view, segment.owners_of(rows)):
        return segment.texts.tiles(rows)


def row_details(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]
) -> list[RowDetails]:
    """Return the details of ascending rows; the errors are those of `row_reading`."""
    with row_reading(view, segment.owners_of(rows)):
        return segment.texts.details(rows)


def row_extents(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]
) -> list[Extent | None]:
    """Return the lines of the definitions of which the rows are parts; see `Texts.extents`."""
    with row_reading(view, segment.owners_of(rows)):
        return segment.texts.extents(rows)


def shown_rows(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]
) -> list[ShownRow]:
    """Return the text and details of rows in any order; the errors are those of `row_reading`."""
    places = list(dict.fromkeys(sorted(rows)))
    with row_reading(view, segment.owners_of(places)):
        read = shown_of(segment.image, segment.texts, places, checked=False)
    shown = dict(zip(places, read, strict=True))
    return [shown[row] for row in rows]
