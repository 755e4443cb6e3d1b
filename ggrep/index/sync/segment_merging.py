"""Selects the segments that a publish merges into its new segment, and reads their files.

A query reads every segment, so their number is limited. When a publish would exceed the limit, the
smallest segments are merged into the new segment. With n publishes, each row is rewritten about
log(n) times. Only visible rows are kept.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from ggrep.index.store.tables import take_rows
from ggrep.index.store.view import SegmentView
from ggrep.index.sync.segment_builder import FileRows

_DEAD_SHARE = 0.5
"""A small segment with a larger share of hidden rows is included in every merge."""
_BATCH_ROWS = 2048
"""Number of rows that are read at a time."""
_LARGE_ROWS = 20_000
"""Segments with more rows are merged only if the limit requires it, because a sync waits for it."""


def choose(segments: Sequence[SegmentView], *, most: int, most_hidden: int) -> list[SegmentView]:
    """Return the segments to merge into the new segment; none if no limit would be exceeded.

    Args:
        segments: segments with visible files.
        most: maximum number of segments of the snapshot, including the new segment.
        most_hidden: maximum number of hidden files, which tombstones list.
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
    worn = [
        s
        for s in by_size[:keep]
        if live[s.image.name] < min(s.image.rows * (1 - _DEAD_SHARE), _LARGE_ROWS)
    ]
    return [*by_size[keep:], *worn]


def live_files(store: Path, segment: SegmentView) -> Iterator[FileRows]:
    """Yield the visible files of a segment with their rows and vectors, in file order.

    Only visible rows are read, some thousand at a time.
    """
    image = segment.image
    bounds = image.file_rows.tolist()
    visible = np.flatnonzero(segment.visible_files).tolist()
    sizes = image.arrays["file_sizes"].view(np.uint64)
    vectors = image.whole_vectors() if image.dimension else None
    for files in _batches(visible, bounds):
        offsets = [row for file in files for row in range(bounds[file], bounds[file + 1])]
        rows = iter(take_rows(store, image.name, offsets))
        for file in files:
            start, end = bounds[file], bounds[file + 1]
            yield FileRows(
                path_key=image.path(file),
                file_hash=bytes.fromhex(image.file_hash(file)),
                size_bytes=int(sizes[file]),
                language=image.language(file),
                rows=tuple(islice(rows, end - start)),
                vectors=None if vectors is None else (vectors[start:end], image.scales[start:end]),
            )


def _batches(files: Sequence[int], bounds: Sequence[int]) -> Iterator[list[int]]:
    """Yield the files in runs of at least _BATCH_ROWS rows, except the last run."""
    batch: list[int] = []
    rows = 0
    for file in files:
        batch.append(file)
        rows += bounds[file + 1] - bounds[file]
        if rows >= _BATCH_ROWS:
            yield batch
            batch, rows = [], 0
    if batch:
        yield batch
