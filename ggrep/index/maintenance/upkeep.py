"""Upkeep after a publish: a collection, and a compaction when one is due.

The snapshot is already active, so no caller waits for the upkeep. If another writer is at work, or
a query does not end, the upkeep is left to the next publish.
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
"""How long a finished compaction queues for the lease."""


class UpkeepReport(Struct, frozen=True):
    """The work that was done; None for steps that were not."""

    compaction: CompactionReport | None = None
    collection: CollectionReport | None = None


def keep_up(
    target: SyncTarget, view: SnapshotView, *, orphaned: bool, compacting: bool
) -> UpkeepReport:
    """Collect and compact according to retention and policy.

    The collection comes first: in a store near its budget it frees the space that a compaction
    needs.

    Args:
        target: the store.
        view: its active snapshot.
        orphaned: a writer died in the store, so it may contain files that no snapshot names.
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
    """Compact; if there is no room, collect first."""
    try:
        return compact(target, readers_ms=0, lease_ms=_LEASE_MS)
    except BudgetExceeded:
        if not make_room(target):
            raise
        return compact(target, readers_ms=0, lease_ms=_LEASE_MS)


def make_room(target: SyncTarget) -> bool:
    """Collect the garbage of a store over its budget; return whether anything was deleted."""
    try:
        report = collect_garbage(target, deadline=_now(target), readers_ms=_READERS_MS)
    except GgrepError:
        return False
    return report.freed_bytes > 0


def _now(target: SyncTarget) -> Deadline:
    return Deadline.after(target.clock, 0)
