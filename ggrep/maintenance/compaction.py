"""Compaction: segments merged into one that holds exactly the visible rows.

The merged segment is built beside the store's work, under no lease: queries go on, and so do
syncs. Only to publish it the lease is taken. Should the active snapshot have moved meanwhile, the
merge is rebased: a file of the merged segment is shown if the newer snapshot still shows it in one
of the segments that were merged, and hidden otherwise. So a compaction never undoes a change and
never has to begin again for one; only when more than half of what it merged was changed meanwhile
is it dropped, and tried once more.

While it builds it shares the readers' lock, so that no collection takes its sources, or the new
segment that nothing names yet.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ggrep.config.settings import Settings
from ggrep.domain.deadline import Deadline
from ggrep.domain.ids import PathKey, SegmentName, SnapshotId
from ggrep.faults import reach
from ggrep.layout import names
from ggrep.lease import acquire
from ggrep.locks import Patience, shared
from ggrep.store.manifest import SegmentRef, SnapshotManifest
from ggrep.store.segment import write_segment
from ggrep.store.segment_image import SegmentImage, open_segment_image
from ggrep.store.transaction import prepare_store
from ggrep.store.view import SegmentView, SnapshotView, newest_epoch, open_active
from ggrep.sync.assembly import Facts, ShownSegment, publish_snapshot
from ggrep.sync.budget import require_room
from ggrep.sync.merging import live_files
from ggrep.sync.record import remember_compaction
from ggrep.sync.segment_builder import SegmentBuilder
from ggrep.sync.target import SyncTarget

DEAD_SHARE: Final = 0.2
"""More dead rows than this share make a compaction worth its work."""

DELTA_SHARE: Final = 0.1
"""Small segments are folded into the largest once they hold more than this share of its rows."""

MOST_ROWS: Final = 400_000
"""A segment is put together in memory, so a merged one holds no more; large stores keep several."""

_QUEUE_MS = 60_000
_WORTH = 0.5
_TRIES = 2


@dataclass(frozen=True, slots=True)
class CompactionReport:
    """What a compaction did.

    Attributes:
        reason: why it was done, or why not.
        base_snapshot_id: the snapshot whose segments were merged.
        rows_before: rows of all segments, dead ones included.
    """

    performed: bool
    reason: str
    base_snapshot_id: str
    new_snapshot_id: str | None
    segments_before: int
    segments_after: int
    tombstones_before: int
    tombstones_after: int
    rows_before: int
    rows_after: int
    duration_ms: int


@dataclass(frozen=True, slots=True)
class _Merged:
    """A new segment and the segments whose visible files it holds."""

    ref: SegmentRef
    image: SegmentImage
    sources: frozenset[SegmentName]


def overdue(view: SnapshotView, settings: Settings) -> str | None:
    """Return why a compaction is worth its work now; None when it is not."""
    counts, segments = view.manifest.counts, len(view.segments)
    dead = counts.chunks_indexed - counts.chunks_visible
    if segments >= settings.compaction_overdue_segments:
        return f"{segments} segments"
    if counts.tombstones_added >= settings.compaction_overdue_tombstones:
        return f"{counts.tombstones_added} tombstones"
    if dead > DEAD_SHARE * counts.chunks_indexed:
        return f"{dead} of {counts.chunks_indexed} rows are dead"
    return None


def compact(
    target: SyncTarget, *, force: bool = False, deadline: Deadline | None = None
) -> CompactionReport:
    """Merge segments and publish a snapshot that shows the same.

    Args:
        target: the store.
        force: merge all segments, overdue or not.
        deadline: for the lease and the readers' lock.

    Raises:
        NoIndex: nothing was ever published.
        Busy: another writer held the store until the deadline.
        CorruptStore: a segment cannot be read; the active snapshot stays.
        BudgetExceeded: there is no room for old and new segments side by side; the same.
    """
    deadline = deadline or Deadline.after(target.clock, _QUEUE_MS)
    started_ms = target.clock.monotonic_ms()
    patience = Patience(deadline, target.wait, "this store is being collected or removed")
    with shared(names.readers_lock(target.store), patience):
        view = open_active(target.store, store_id=target.store_id)
        reason = overdue(view, target.settings)
        published: SnapshotView | None = None
        for _ in range(_TRIES):
            groups = _all_in_groups(view) if force else _by_policy(view) if reason else []
            if not groups and not (force and view.manifest.counts.tombstones_added):
                reason = "nothing to merge" if force or reason else "not overdue"
                break
            merged = list(_build(target, groups))
            reach("compaction.after_build")
            published = _publish(target, merged, deadline, started_ms)
            if published is not None:
                break
            reason = "overtaken by other changes"
            view = open_active(target.store, store_id=target.store_id)
    elapsed_ms = target.clock.monotonic_ms() - started_ms
    return _report(view, published, reason or "asked for", elapsed_ms)


def _all_in_groups(view: SnapshotView) -> list[list[SegmentView]]:
    """Return all segments in groups of at most MOST_ROWS visible rows; none when all are clean."""
    groups: list[list[SegmentView]] = []
    room = 0
    for segment in view.segments:
        rows = int(segment.visible_rows().sum())
        if not groups or rows > room:
            groups.append([])
            room = MOST_ROWS
        groups[-1].append(segment)
        room -= rows
    return [group for group in groups if len(group) > 1 or _is_worn(group[0])]


def _by_policy(view: SnapshotView) -> list[list[SegmentView]]:
    """Return the segments to merge: the small ones, and the largest when that is worth it."""
    if not view.segments:
        return []
    by_rows = sorted(view.segments, key=lambda s: (s.image.rows, s.image.name))
    largest, small = by_rows[-1], by_rows[:-1]
    rows = sum(int(segment.visible_rows().sum()) for segment in small)
    live = int(largest.visible_rows().sum())
    dead = largest.image.rows - live
    fold = rows > DELTA_SHARE * live or dead > DEAD_SHARE * largest.image.rows
    if fold and rows + live <= MOST_ROWS:
        return [[*small, largest]]
    worn = _is_worn(small[0]) if len(small) == 1 else len(small) > 1
    return [small] if worn and rows <= MOST_ROWS else []


def _is_worn(segment: SegmentView) -> bool:
    return not segment.visible_files.all()


def _build(target: SyncTarget, groups: Sequence[Sequence[SegmentView]]) -> Iterator[_Merged]:
    """Write a segment of each group's visible files."""
    transaction = SnapshotId(target.new_id())
    for number, group in enumerate(groups):
        builder = SegmentBuilder(target.encoder)
        for segment in group:
            for file in live_files(target.store, segment):
                builder.add(file)
        name = names.segment_name(transaction, number)
        ref = write_segment(target.store, name, builder.finish(), kind="compacted")
        image = open_segment_image(target.store, name)
        require_room(target, fresh=SegmentView(image, np.ones(ref.files, dtype=np.bool_)))
        yield _Merged(ref, image, frozenset(segment.image.name for segment in group))


def _publish(
    target: SyncTarget, merged: Sequence[_Merged], deadline: Deadline, started_ms: float
) -> SnapshotView | None:
    """Publish the merged segments over the snapshot that is active now; None to try again."""
    with acquire(
        names.lease_files(target.store),
        owner_id=target.new_id(),
        clock=target.clock,
        patience=Patience(deadline, target.wait),
        ttl_ms=target.settings.lease_ttl_ms,
        last_epoch=lambda: newest_epoch(target.store),
    ) as lease:
        prepare_store(target.store, lease)
        view = open_active(target.store, store_id=target.store_id, writing=True)
        shown = _rebased(view, merged)
        if shown is None:
            return None
        reach("compaction.before_publish")
        published = publish_snapshot(
            target,
            lease,
            SnapshotId(target.new_id()),
            shown,
            Facts.of(view.manifest),
            parent=view.manifest,
            additions=None,
        )
        reach("compaction.after_publish")
        elapsed_ms = target.clock.monotonic_ms() - started_ms
        remember_compaction(target, published.manifest, elapsed_ms)
        return published


def _rebased(view: SnapshotView, merged: Sequence[_Merged]) -> list[ShownSegment] | None:
    """Return the segments of `view` with the merged ones in place of their sources.

    None when too little of what was merged is still shown from there.
    """
    refs = {ref.table: ref for ref in view.manifest.segments}
    replaced = frozenset().union(*(item.sources for item in merged))
    fresh = [ShownSegment(item.ref, _still_shown(view, item)) for item in merged]
    shown = sum(int(item.view.visible_files.sum()) for item in fresh)
    if shown < _WORTH * sum(item.ref.files for item in merged):
        return None
    kept = [
        ShownSegment(refs[segment.image.name], segment)
        for segment in view.segments
        if segment.image.name not in replaced
    ]
    return [*kept, *(item for item in fresh if item.view.visible_files.any())]


def _still_shown(view: SnapshotView, merged: _Merged) -> SegmentView:
    """Return the merged segment with what `view` shows from its sources."""
    sources = [segment for segment in view.segments if segment.image.name in merged.sources]
    live: set[PathKey] = set()
    for segment in sources:
        keys = segment.image.paths()
        live.update(keys[file] for file in np.flatnonzero(segment.visible_files).tolist())
    mask = np.array([key in live for key in merged.image.paths()], dtype=np.bool_)
    return SegmentView(merged.image, mask)


def _report(
    view: SnapshotView, published: SnapshotView | None, reason: str, elapsed_ms: float
) -> CompactionReport:
    before: SnapshotManifest = view.manifest
    after = published.manifest if published else before
    return CompactionReport(
        performed=published is not None,
        reason=reason,
        base_snapshot_id=before.snapshot_id,
        new_snapshot_id=after.snapshot_id if published else None,
        segments_before=len(before.segments),
        segments_after=len(after.segments),
        tombstones_before=before.counts.tombstones_added,
        tombstones_after=after.counts.tombstones_added,
        rows_before=before.counts.chunks_indexed,
        rows_after=after.counts.chunks_indexed,
        duration_ms=round(elapsed_ms),
    )
