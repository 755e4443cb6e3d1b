"""A segment with its postings opened, ready for scoring."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.base.cache import CacheKey
from ggrep.index.lexical.layout import CHUNK_FIELDS, FILE_FIELDS
from ggrep.index.lexical.postings import Postings
from ggrep.index.store.segment_image import FILE_POSTINGS, ROW_POSTINGS, SegmentImage
from ggrep.index.store.view import SnapshotView


@dataclass(frozen=True, slots=True)
class SearchableSegment:
    """One segment of an open snapshot.

    Attributes:
        visible_files: bool (files,); `visible_rows` bool (rows,) follows from it.
    """

    image: SegmentImage
    row_postings: Postings
    file_postings: Postings
    visible_files: npt.NDArray[np.bool_]
    visible_rows: npt.NDArray[np.bool_]


_OPENED: Final = CacheKey[tuple[SearchableSegment, ...]]()


def open_segments(view: SnapshotView) -> tuple[SearchableSegment, ...]:
    """Return the searchable segments of a snapshot, in the manifest's order.

    They are opened once for each snapshot: with many small segments that takes longer than
    searching them does.
    """
    kept = view.derived.get(_OPENED)
    return view.derived.keep(_OPENED, _opened(view)) if kept is None else kept


def _opened(view: SnapshotView) -> tuple[SearchableSegment, ...]:
    return tuple(
        SearchableSegment(
            image=segment.image,
            row_postings=Postings.from_arrays(segment.image.arrays, ROW_POSTINGS, CHUNK_FIELDS),
            file_postings=Postings.from_arrays(segment.image.arrays, FILE_POSTINGS, FILE_FIELDS),
            visible_files=segment.visible_files,
            visible_rows=segment.visible_rows(),
        )
        for segment in view.segments
    )
