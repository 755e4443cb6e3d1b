"""Which rows hold the same text: chunk ids by row, without reading the rows."""

from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ggrep.base.cache import CacheKey
from ggrep.base.ids import SegmentName
from ggrep.index.packs.pack_directory import ids_in
from ggrep.index.packs.pack_image import CHUNK_IDS
from ggrep.index.store.tables import read_columns
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.order import Candidate
from ggrep.search.query.row_reading import removal_told
from ggrep.search.query.segments import SearchableSegment

Ids: TypeAlias = npt.NDArray[np.uint64]
"""The first 16 bytes of chunk ids, (rows, 2): ids are SHA-256, so that no two texts share them."""

_READ: Final = CacheKey[dict[SegmentName, Ids]]()


def chunk_ids(view: SnapshotView, segment: SearchableSegment) -> Ids:
    """Return the beginning of each row's chunk id; read once of each segment.

    Raises:
        CorruptStore, SnapshotGone, NoIndex: as `row_columns`.
    """
    held = segment.image.arrays.get(CHUNK_IDS)
    if held is not None:
        return held.view(np.uint64)
    parts = [
        _read(part.view, part.segment, part.rows)
        for part in view.tables(segment.image.name, range(segment.image.rows))
    ]
    return np.concatenate([np.zeros((0, 2), np.uint64), *parts])


def candidate_ids(
    view: SnapshotView, segments: Sequence[SearchableSegment], candidates: Sequence[Candidate]
) -> list[bytes]:
    """Return the beginning of each candidate's chunk id."""
    return [chunk_ids(view, segments[one.segment])[one.row].tobytes() for one in candidates]


def rows_of_texts(ids: Ids, texts: Collection[bytes]) -> npt.NDArray[np.int64]:
    """Return the rows with those beginnings of chunk ids, ascending."""
    wanted = np.frombuffer(b"".join(sorted(texts)), dtype=np.uint64).reshape(-1, 2)
    rows = np.flatnonzero(np.isin(ids[:, 0], wanted[:, 0]))
    held = [row for row in rows.tolist() if ids[row].tobytes() in texts]
    return np.array(held, dtype=np.int64)


def _read(view: SnapshotView, segment: SegmentName, rows: Sequence[int]) -> Ids:
    kept = view.derived.get(_READ)
    known = view.derived.keep(_READ, {}) if kept is None else kept
    if (held := known.get(segment)) is not None:
        return held
    with removal_told(view):
        column = read_columns(view.store, segment, rows, ("chunk_id",)).column("chunk_id")
    return known.setdefault(segment, ids_in(column.to_pylist()))
