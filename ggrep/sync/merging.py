"""Which segments a publish folds into its new one, and their live files.

A query touches every segment, so their number is bounded: when a publish would exceed the bound,
the smallest segments are rewritten together. Each row is rewritten about log(publishes) times.
Exactly the visible rows are kept.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ggrep.store.tables import scan_rows
from ggrep.store.view import SegmentView
from ggrep.sync.segment_builder import FileRows

_DEAD_SHARE = 0.5
"""A segment with more dead rows than this is rewritten whenever segments are merged."""
_LARGE_ROWS = 200_000
"""A segment is put together in memory, so larger ones are left alone while there is room."""


def choose(segments: Sequence[SegmentView], *, most: int, most_hidden: int) -> list[SegmentView]:
    """Return the segments to fold into the next one; none while there is room for it.

    Args:
        segments: those with visible files.
        most: bound on the snapshot's segments, the new one included.
        most_hidden: bound on hidden files, which are what tombstones speak of.
    """
    if len(segments) + 1 > most:
        return _smallest(segments, most)
    dead = {segment.image.name: int((~segment.visible_files).sum()) for segment in segments}
    worst = sorted(segments, key=lambda s: (-dead[s.image.name], s.image.name))
    folded: list[SegmentView] = []
    while sum(dead.values()) > most_hidden:
        folded.append(worst[len(folded)])
        dead.pop(folded[-1].image.name)
    return folded


def _smallest(segments: Sequence[SegmentView], most: int) -> list[SegmentView]:
    live = {segment.image.name: int(segment.visible_rows().sum()) for segment in segments}
    large = sum(rows > _LARGE_ROWS for rows in live.values())
    keep = max(most // 2 - 1, min(large, most - 1), 0)
    by_size = sorted(segments, key=lambda s: (-live[s.image.name], s.image.name))
    worn = [s for s in by_size[:keep] if live[s.image.name] < s.image.rows * (1 - _DEAD_SHARE)]
    return [*by_size[keep:], *worn]


def live_files(store: Path, segment: SegmentView) -> Iterator[FileRows]:
    """Yield the visible files of a segment with their rows and vectors, in file order."""
    image = segment.image
    rows = list(scan_rows(store, image.name)) if segment.visible_files.any() else []
    bounds = image.arrays["file_rows"].view(np.uint32)
    sizes = image.arrays["file_sizes"].view(np.uint64)
    for file in np.flatnonzero(segment.visible_files).tolist():
        start, end = int(bounds[file]), int(bounds[file + 1])
        vectors = image.vectors
        yield FileRows(
            path_key=image.path(file),
            file_hash=bytes.fromhex(image.file_hash(file)),
            size_bytes=int(sizes[file]),
            language=image.language(file),
            rows=tuple(rows[start:end]),
            vectors=None if vectors is None else (vectors[start:end], image.scales[start:end]),
        )
