"""Upkeep after a publish: a collection, and a compaction if one is due.

The snapshot is already active, so no caller waits for the upkeep. If another writer runs, or a
query does not end, the next publish does the upkeep.
"""

from contextlib import suppress

from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.errors import BudgetExceeded, Busy, GgrepError
from ggrep.base.lease import is_live
from ggrep.config import store_files
from ggrep.index.maintenance.collection import collect_garbage, due
from ggrep.index.maintenance.compaction import compact
from ggrep.index.maintenance.compaction_policy import overdue
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.target import SyncTarget
from ggrep.model.maintenance import CollectionReport, CompactionReport

_READERS_MS = 250
"""How long a collection waits for queries to end; a query takes about ten milliseconds."""

_LEASE_MS = 5_000
"""How long a finished compaction waits for the lease."""


class UpkeepReport(Struct, frozen=True):
    """Reports of the steps that ran; None for a step that did not run."""

    compaction: CompactionReport | None = None
    collection: CollectionReport | None = None


def keep_up(
    target: SyncTarget, view: SnapshotView, *, orphaned: bool, compacting: bool
) -> UpkeepReport:
    """Collect and compact if retention and policy require it.

    The collection runs first, as it can free the space that a compaction needs.

    Args:
        target: the store.
        view: the active snapshot.
        orphaned: whether a writer died, so that files may exist that no snapshot names.
        compacting: False to collect only.

    Raises:
        GgrepError: a segment cannot be read, or the disk is full; the snapshot stays.
    """
    if is_live(store_files.lease_files(target.store)):
        return UpkeepReport()
    collection = compaction = None
    with suppress(Busy):
        if orphaned or due(target.store, target.settings, target.clock.now()):
            collection = collect_garbage(target, deadline=_now(target), readers_ms=_READERS_MS)
    with suppress(Busy):
        if compacting and overdue(view, target.settings) is not None:
            compaction = _compact(target)
    return UpkeepReport(compaction, collection)


def _compact(target: SyncTarget) -> CompactionReport:
    """Compact the store; if there is no space, collect garbage and try again."""
    try:
        return compact(target, readers_ms=0, lease_ms=_LEASE_MS)
    except BudgetExceeded:
        if not make_room(target):
            raise
        return compact(target, readers_ms=0, lease_ms=_LEASE_MS)


def make_room(target: SyncTarget) -> bool:
    """Collect the garbage of a store to free space; return whether any bytes became free."""
    try:
        report = collect_garbage(target, deadline=_now(target), readers_ms=_READERS_MS)
    except GgrepError:
        return False
    return report.freed_bytes > 0


def _now(target: SyncTarget) -> Deadline:
    return Deadline.after(target.clock, 0)
