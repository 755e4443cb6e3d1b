"""Finds chunks of an earlier snapshot in a later one.

A row id identifies text and position; a chunk id identifies only the text. Images contain row ids.
Only tables contain chunk ids; tables are read only for hits whose row no longer exists.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.index.store.view import SnapshotView
from ggrep.model.receipt import Fate, HitFate, HitPlace, ReceiptHit
from ggrep.model.sanitise import sanitise_line
from ggrep.search.query.row_reading import row_details, shown_rows
from ggrep.search.query.segments import SearchableSegment, find_file, open_segments

_BATCH_ROWS: Final = 16_384


class _Row(Struct, frozen=True):
    segment: SearchableSegment
    offset: int
    place: HitPlace

    @property
    def is_anchor(self) -> bool:
        return bool(self.segment.image.row_anchors[self.offset])


def whereabouts(
    view: SnapshotView, hits: Sequence[ReceiptHit], deadline: Deadline
) -> tuple[HitFate, ...]:
    """Return, for each hit in order, where it is in a snapshot.

    Raises:
        CorruptStore: a table cannot be read.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        DeadlineExceeded: time ran out.
    """
    segments = open_segments(view)
    rows = _rows_by_id(segments, [hit.row_id for hit in hits], deadline)
    names = {row_id: _row(view, *place) for row_id, place in rows.items()}
    lost = {hit.chunk_id for hit in hits if hit.row_id not in rows}
    copies = _rows_by_chunk(view, segments, lost, deadline) if lost else {}
    fates = []
    for hit in hits:
        deadline.check("looking for hits")
        row = names.get(hit.row_id)
        if row is not None:
            fates.append(_same(hit, row.place))
        elif hit.chunk_id in copies:
            nearest = min(copies[hit.chunk_id], key=lambda place: _distance(hit, place))
            fates.append(HitFate(Fate.MOVED, nearest))
        else:
            fates.append(_edited(hit, _rows_of_file(view, segments, hit.path)))
    return tuple(fates)


def _same(hit: ReceiptHit, place: HitPlace) -> HitFate:
    """Return the place of a hit whose row still exists; its lines may have shifted."""
    stands = place.start_line == hit.start_line and place.end_line == hit.end_line
    return HitFate(Fate.SAME if stands else Fate.MOVED, place)


def _edited(hit: ReceiptHit, rows: Sequence[_Row]) -> HitFate:
    """Return the row that replaced a hit in its file, selected by name, else by shared lines."""
    named = [row for row in rows if hit.name and row.place.name == hit.name]
    if named:
        row = min(named, key=lambda row: abs(row.place.start_line - hit.start_line))
        return HitFate(Fate.EDITED, row.place)
    shared = [(_shared_lines(hit, row.place), row) for row in rows if _is_like(hit, row)]
    if not any(lines for lines, _ in shared):
        return HitFate(Fate.GONE, None)
    # Rows are in source order; of rows that share equally many lines, the first is returned.
    return HitFate(Fate.EDITED, max(shared, key=lambda pair: pair[0])[1].place)


def _is_like(hit: ReceiptHit, row: _Row) -> bool:
    """Return whether hit and row are both header chunks, or both other chunks."""
    return row.is_anchor == hit.is_anchor


def _shared_lines(hit: ReceiptHit, place: HitPlace) -> int:
    shared = min(hit.end_line, place.end_line) - max(hit.start_line, place.start_line) + 1
    return max(shared, 0)


def _distance(hit: ReceiptHit, place: HitPlace) -> tuple[bool, bool, int, bytes, int]:
    """Return the sort key of a copy: copies in the same file first, then in files of its name."""
    other_name = place.path.rpartition("/")[2] != hit.path.rpartition("/")[2]
    lines = abs(place.start_line - hit.start_line)
    return place.path != hit.path, other_name, lines, place.path.encode(), place.start_line


def _rows_by_id(
    segments: Sequence[SearchableSegment], row_ids: Sequence[str], deadline: Deadline
) -> dict[str, tuple[SearchableSegment, int]]:
    wanted = {bytes.fromhex(row_id): row_id for row_id in row_ids}
    heads = np.frombuffer(b"".join(key[:8] for key in wanted), dtype=np.uint64)
    by_id = {}
    for segment in segments:
        deadline.check("looking for rows")
        ids = np.ascontiguousarray(segment.image.arrays["row_ids"].view(np.uint8)[:, :8])
        like = np.isin(ids.view(np.uint64)[:, 0], heads) & segment.visible_rows
        for offset in np.flatnonzero(like).tolist():
            row_id = wanted.get(segment.image.row_id(offset))
            if row_id is not None:
                by_id[row_id] = segment, offset
    return by_id


def _rows_by_chunk(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    chunk_ids: set[str],
    deadline: Deadline,
) -> dict[str, list[HitPlace]]:
    by_chunk: dict[str, list[HitPlace]] = {}
    for segment, offsets in _batches(segments):
        deadline.check("looking for texts")
        for offset, shown in zip(offsets, shown_rows(view, segment, offsets), strict=True):
            if shown.chunk_id in chunk_ids:
                by_chunk.setdefault(shown.chunk_id, []).append(_row(view, segment, offset).place)
    return by_chunk


def _batches(
    segments: Sequence[SearchableSegment],
) -> Iterator[tuple[SearchableSegment, list[int]]]:
    for segment in segments:
        rows = np.flatnonzero(segment.visible_rows)
        for start in range(0, len(rows), _BATCH_ROWS):
            yield segment, rows[start : start + _BATCH_ROWS].tolist()


def _rows_of_file(
    view: SnapshotView, segments: Sequence[SearchableSegment], path: str
) -> list[_Row]:
    """Return the rows of a file in source order; none if no visible file has the path."""
    if (location := find_file(segments, path)) is None:
        return []
    segment = segments[location[0]]
    return _rows(view, segment, segment.rows_of(location[1]))


def _row(view: SnapshotView, segment: SearchableSegment, offset: int) -> _Row:
    return _rows(view, segment, range(offset, offset + 1))[0]


def _rows(view: SnapshotView, segment: SearchableSegment, offsets: range) -> list[_Row]:
    image = segment.image
    rows = []
    for offset, details in zip(offsets, row_details(view, segment, offsets), strict=True):
        start_line, end_line = image.lines(offset)
        path = sanitise_line(image.path(int(image.row_files[offset])))
        place = HitPlace(
            row_id=image.row_id(offset).hex(),
            path=path,
            start_line=start_line,
            end_line=end_line,
            name=sanitise_line(details.qualified_name or details.name),
        )
        rows.append(_Row(segment, offset, place))
    return rows
