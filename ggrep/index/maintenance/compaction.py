"""Compaction: merges segments into one segment that contains exactly the visible rows.

The merged segment is built without the lease, so queries and syncs continue. The lease is only
taken to publish. If the active snapshot has changed during the build, the merge is rebased: a file
of the merged segment is visible if the newer snapshot still shows it from one of the source
segments, and hidden otherwise. A compaction therefore never undoes a change, and need not start
again after a change. If more than half of the merged rows have changed, the merge is dropped and
repeated once.

During the build the compaction shares the readers' lock, so no collection deletes the source
segments or the new segment, which no snapshot names yet.
"""

from collections.abc import Iterator, Sequence
from itertools import compress

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.durable import reach
from ggrep.base.errors import Busy
from ggrep.base.ids import PathKey, SegmentName, SnapshotId
from ggrep.base.locks import Patience, shared
from ggrep.config import store_files
from ggrep.index.maintenance.compaction_policy import Group, plan
from ggrep.index.store.segment import remove_segment
from ggrep.index.store.transaction import prepare_store
from ggrep.index.store.view import SegmentView, SnapshotView
from ggrep.index.sync.record import remember_compaction
from ggrep.index.sync.segment_builder import SegmentBuilder
from ggrep.index.sync.segment_merging import live_files
from ggrep.index.sync.snapshot_assembly import (
    Facts,
    ShownSegment,
    publish_snapshot,
    shown_by,
    write_shown,
)
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.writing import holding, open_whole
from ggrep.model.maintenance import CompactionReport

QUEUE_MS = 60_000
"""How long a compaction waits for a lock."""

_WORTH = 0.5
"""Minimum share of merged rows that must still be visible; otherwise the merge is dropped."""

_TRIES = 2
"""Maximum number of attempts if the source segments change during a compaction."""


class _Merged(Struct, frozen=True):
    """A merged segment, and the source segments whose visible files it contains."""

    segment: ShownSegment
    sources: frozenset[SegmentName]


def compact(
    target: SyncTarget,
    *,
    force: bool = False,
    readers_ms: int = QUEUE_MS,
    lease_ms: int = QUEUE_MS,
) -> CompactionReport:
    """Merge segments and publish a snapshot with the same visible files.

    Args:
        target: the store.
        force: merge all segments even if no compaction is due.
        readers_ms: how long to wait for the end of a collection or removal of the store.
        lease_ms: how long to wait for another writer after the segments are built.

    Raises:
        NoIndex: nothing was ever published.
        Busy: another process held a lock until the deadline; the new segments are deleted.
        CorruptStore: the active snapshot is damaged and is not changed. An older snapshot that
            answers instead is not compacted, as the result would hide the damage.
        BudgetExceeded: the disk has no space for both old and new segments.
    """
    clock, started_ms = target.clock, target.clock.monotonic_ms()
    deadline = Deadline.after(clock, readers_ms)
    patience = Patience(deadline, target.wait, "another process is cleaning or removing this store")
    with shared(store_files.readers_lock(target.store), patience):
        view = open_whole(target, writing=False)
        todo = plan(view, target.settings, force=force)
        base, reason = view, todo.reason
        published: SnapshotView | None = None
        for _ in range(_TRIES):
            if todo.is_empty:
                break
            published = _attempt(target, todo.groups, lease_ms, started_ms)
            if published is not None:
                break
            reason, base = "other changes made the merge useless", open_whole(target, writing=False)
            todo = plan(base, target.settings, force=force)
    before, after = base.manifest, published.manifest if published else base.manifest
    return CompactionReport(
        store_id=target.store_id,
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
        duration_ms=round(clock.monotonic_ms() - started_ms),
    )


def _attempt(
    target: SyncTarget, groups: Sequence[Group], lease_ms: int, started_ms: float
) -> SnapshotView | None:
    """Merge the groups and publish the result; return None if too many rows changed meanwhile.

    New segments are deleted only if it is certain that the snapshot pointer does not name them;
    otherwise a later collection decides.
    """
    merged: list[_Merged] = []
    deleting = True
    try:
        merged.extend(_build(target, groups))
        reach("compaction.after_build")
        deleting = False
        published = _publish(target, merged, Deadline.after(target.clock, lease_ms), started_ms)
        deleting = published is None
    except Busy:
        deleting = True  # taking the lease or its guard failed before the pointer changed
        raise
    finally:
        for item in merged if deleting else ():
            remove_segment(target.store, item.segment.ref.table)
    return published


def _build(target: SyncTarget, groups: Sequence[Group]) -> Iterator[_Merged]:
    """Write one segment for each group, with the group's visible files."""
    transaction = SnapshotId(target.new_id())
    for number, group in enumerate(groups):
        builder = SegmentBuilder(target.encoder)
        for segment in group:
            for file in live_files(target.store, segment):
                builder.add(file)
        name = store_files.segment_name(transaction, number)
        shown = write_shown(target, name, builder, kind="compacted")
        yield _Merged(shown, frozenset(segment.image.name for segment in group))


def _publish(
    target: SyncTarget, merged: Sequence[_Merged], deadline: Deadline, started_ms: float
) -> SnapshotView | None:
    """Publish the merged segments on top of the current snapshot; None if the merge is outdated."""
    with holding(target, deadline) as lease:
        prepare_store(target.store, lease)
        view = open_whole(target, writing=True)
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
    """Return the segments of `view`; merged segments replace their sources.

    Returns None if `view` shows too few of the merged rows.
    """
    replaced = frozenset().union(*(item.sources for item in merged))
    fresh = [replace(item.segment, view=_still_shown(view, item)) for item in merged]
    shown = sum(int(item.view.visible_files.sum()) for item in fresh)
    if shown < _WORTH * sum(item.ref.files for item in fresh):
        return None
    kept = [item for item in shown_by(view) if item.ref.table not in replaced]
    return [*kept, *(item for item in fresh if item.view.visible_files.any())]


def _still_shown(view: SnapshotView, merged: _Merged) -> SegmentView:
    """Return the merged segment; its mask shows the files that `view` shows in the sources."""
    sources = [segment for segment in view.segments if segment.image.name in merged.sources]
    live: set[tuple[PathKey, str]] = set()
    for segment in sources:
        files = zip(segment.image.paths(), segment.image.file_hashes(), strict=True)
        live.update(compress(files, segment.visible_files.tolist()))
    image = merged.segment.view.image
    pairs = zip(image.paths(), image.file_hashes(), strict=True)
    mask = np.array([file in live for file in pairs], dtype=np.bool_)
    return SegmentView(image, mask)
