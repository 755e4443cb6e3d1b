"""Reads rows of a pinned snapshot, all at once: from its tables, or from texts beside a pack."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

from ggrep.base.errors import CorruptStore
from ggrep.index.packs.pack_texts import COLUMNS
from ggrep.index.store.rows import ShownRow
from ggrep.index.store.tables import read_columns, take_shown, take_texts
from ggrep.index.store.view import SnapshotView, gone
from ggrep.search.query.segments import SearchableSegment

T = TypeVar("T")
Values: TypeAlias = tuple[Any, ...]

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
    if segment.texts is None:
        return _table_texts(view, segment, rows)
    return _completed(view, segment, rows, segment.texts.texts(rows), _table_texts)


def row_columns(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int], names: Sequence[str]
) -> list[list[Any]]:
    """Return columns of some rows, which must ascend; errors as `removal_told`."""
    if segment.texts is None or not set(COLUMNS).issuperset(names):
        return _table_columns(view, segment, rows, names)

    def read(view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]) -> list[Values]:
        return list(zip(*_table_columns(view, segment, rows, names), strict=True))

    found = _completed(view, segment, rows, segment.texts.columns(rows, names), read)
    return [[values[place] for values in found] for place in range(len(names))]


def shown_rows(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]
) -> list[ShownRow]:
    """Return what hits show of some rows.

    Raises:
        CorruptStore: the table does not hold the rows its image says.
        GgrepError: as `removal_told`.
    """
    places = list(dict.fromkeys(sorted(rows)))
    if segment.texts is None:
        found = _table_shown(view, segment, places)
    else:
        held = segment.texts.shown(places)
        found = _completed(view, segment, places, held, _table_shown)
    by_place = dict(zip(places, found, strict=True))
    return [by_place[row] for row in rows]


def _completed(
    view: SnapshotView,
    segment: SearchableSegment,
    rows: Sequence[int],
    held: Mapping[int, T],
    read: Callable[[SnapshotView, SearchableSegment, Sequence[int]], list[T]],
) -> list[T]:
    """Return what is held of ascending rows beside a pack; of the others it is read.

    Whether all their tables lie as they were verified is looked at too: whoever asked their
    repositories one by one would be told of damage.
    """
    view.tables(segment.image.name, rows)
    missing = [row for row in rows if row not in held]
    told = dict(zip(missing, read(view, segment, missing), strict=True)) if missing else {}
    return [held[row] if row in held else told[row] for row in rows]


def _table_texts(view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]) -> list[str]:
    found: list[str] = []
    for part in view.tables(segment.image.name, rows):
        with removal_told(part.view):
            found += take_texts(part.view.store, part.segment, part.rows)
    return found


def _table_columns(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int], names: Sequence[str]
) -> list[list[Any]]:
    found: list[list[Any]] = [[] for _ in names]
    for part in view.tables(segment.image.name, rows) if rows else ():
        with removal_told(part.view):
            table = read_columns(part.view.store, part.segment, part.rows, names)
        for place, name in enumerate(names):
            found[place] += table.column(name).to_pylist()
    return found


def _table_shown(
    view: SnapshotView, segment: SearchableSegment, rows: Sequence[int]
) -> list[ShownRow]:
    found: list[ShownRow] = []
    for part in view.tables(segment.image.name, rows):
        with removal_told(part.view):
            shown = take_shown(part.view.store, part.segment, part.rows)
            before = len(found)
            check_rows(segment, rows[before : before + len(shown)], [row.row_id for row in shown])
        found += shown
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
