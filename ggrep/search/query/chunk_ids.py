"""Finds rows with equal texts by the first bytes of their chunk ids; packs store these bytes."""

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ggrep.base.cache import CacheKey
from ggrep.base.ids import SegmentName
from ggrep.index.packs.pack_image import CHUNK_IDS
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.order import Candidate
from ggrep.search.query.row_reading import BATCH_ROWS, shown_rows
from ggrep.search.query.segments import SearchableSegment

Ids: TypeAlias = npt.NDArray[np.uint64]
"""The first 16 bytes of chunk ids, (rows, 2).

Ids are SHA-256 hashes, so no two texts share these bytes.
"""
Rows: TypeAlias = npt.NDArray[np.int64]

_ID_BYTES: Final = 16
_READ: Final = CacheKey[dict[tuple[SegmentName, int], bytes]]()

SAME_BITS: Final = frozenset({"static", "hashed"})
"""Encoders whose vector of a text is the same, to the bit, in every batch."""


def candidate_ids(
    view: SnapshotView, segments: Sequence[SearchableSegment], candidates: Sequence[Candidate]
) -> list[bytes]:
    """Return the first bytes of each candidate's chunk id.

    Raises:
        CorruptStore, SnapshotGone, NoIndex: as `shown_rows`.
    """
    places = sorted({(each.segment, each.row) for each in candidates})
    ids_of: dict[tuple[int, int], bytes] = {}
    for place, group in groupby(places, lambda place: place[0]):
        rows = np.array([row for _, row in group], dtype=np.int64)
        ids = _ids(view, segments[place], rows)
        ids_of.update(((place, row), each) for row, each in zip(rows.tolist(), ids, strict=True))
    return [ids_of[each.segment, each.row] for each in candidates]


def rows_of_texts(
    view: SnapshotView,
    segment: SearchableSegment,
    texts: Collection[bytes],
    scales: npt.NDArray[np.float64] | None,
    among: Rows,
) -> Rows:
    """Return the rows whose chunk ids begin with the bytes in `texts`, ascending.

    Args:
        view: the view of the segment.
        segment: the segment of the rows.
        texts: first bytes of chunk ids.
        scales: f64, the scales of the texts' vectors; None if equal texts can have different
            vectors. In a segment that is no pack, the ids of rows with other scales are not read.
        among: the rows to search, ascending.

    Raises:
        CorruptStore, SnapshotGone, NoIndex: as `shown_rows`.
    """
    if (packed_ids := segment.image.arrays.get(CHUNK_IDS)) is not None:
        wanted = np.frombuffer(b"".join(sorted(texts)), dtype=np.uint64).reshape(-1, 2)
        among = among[np.isin(packed_ids.view(np.uint64)[among, 0], wanted[:, 0])]
    elif scales is not None and segment.vectors:
        among = among[np.isin(segment.image.scales[among], scales)]
    ids = _ids(view, segment, among)
    alike = [row for row, id_ in zip(among.tolist(), ids, strict=True) if id_ in texts]
    return np.array(alike, dtype=np.int64)


def _ids(view: SnapshotView, segment: SearchableSegment, rows: Rows) -> list[bytes]:
    """Return the first bytes of the chunk ids of ascending rows."""
    if (packed_ids := segment.image.arrays.get(CHUNK_IDS)) is not None:
        return [each.tobytes() for each in packed_ids.view(np.uint64)[rows]]
    kept = view.derived.get(_READ)
    known = view.derived.keep(_READ, {}) if kept is None else kept
    name, places = segment.image.name, rows.tolist()
    missing = [row for row in places if (name, row) not in known]
    for start in range(0, len(missing), BATCH_ROWS):
        batch = missing[start : start + BATCH_ROWS]
        for row, shown in zip(batch, shown_rows(view, segment, batch), strict=True):
            known[name, row] = bytes.fromhex(shown.chunk_id[: 2 * _ID_BYTES])
    return [known[name, row] for row in places]
