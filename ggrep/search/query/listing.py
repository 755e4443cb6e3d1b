"""The visible files of a snapshot with their sizes; computed once for each snapshot."""

from typing import Final

import numpy as np
from msgspec import Struct

from ggrep.base.cache import CacheKey
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.score import DEFINITIONS
from ggrep.search.query.segments import SearchableSegment, open_segments


class ListedFile(Struct, frozen=True):
    """One visible file.

    Attributes:
        segment: position in the snapshot's segments.
        file: number of the file in the segment.
        lines: number of indexed lines.
        size: number of bytes.
        definitions: number of chunks that begin a definition.
        traits: bits of `ggrep.model.files`.
    """

    path: str
    segment: int
    file: int
    lines: int
    size: int
    definitions: int
    language: str
    traits: int


_LISTED: Final = CacheKey[tuple[ListedFile, ...]]()


def listed_files(view: SnapshotView) -> tuple[ListedFile, ...]:
    """Return the visible files of a snapshot, sorted by the bytes of their paths."""
    kept = view.derived.get(_LISTED)
    if kept is not None:
        return kept
    files = [
        file
        for place, segment in enumerate(open_segments(view))
        for file in _of_segment(place, segment)
    ]
    files.sort(key=lambda file: file.path.encode())
    return view.derived.keep(_LISTED, tuple(files))


def _of_segment(place: int, segment: SearchableSegment) -> list[ListedFile]:
    image = segment.image
    bounds = image.file_rows.astype(np.int64)
    _, ends = image.row_lines(0, image.rows)
    defining = np.array([name in DEFINITIONS for name in image.types] or [False])
    before = np.concatenate(([0], np.cumsum(defining[image.row_types])))
    languages = image.arrays["file_languages"].view(np.uint16).tolist()
    # Rows are in source order, so a file ends with its last row.
    last = ends[np.maximum(bounds[1:] - 1, 0)] if image.rows else np.zeros(image.files)
    lines = np.where(bounds[1:] > bounds[:-1], last, 0).tolist()
    counts = (before[bounds[1:]] - before[bounds[:-1]]).tolist()
    sizes, traits = image.file_sizes.tolist(), image.file_traits.tolist()
    return [
        ListedFile(
            path=path,
            segment=place,
            file=file,
            lines=int(lines[file]),
            size=sizes[file],
            definitions=counts[file],
            language=image.languages[languages[file]],
            traits=traits[file],
        )
        for file, path in enumerate(image.paths())
        if segment.visible_files[file]
    ]
