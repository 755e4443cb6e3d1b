"""Upkeep after a publish: a collection, and a compaction when one is due.

Nobody waits for it: the snapshot is active already. Where another writer is at work, or a query
that does not end, it is left for the next time.
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
"""How long a collection waits for queries to end, which take some ten milliseconds."""

_LEASE_MS = 5_000
"""How long a compaction that is built queues for the lease."""


class UpkeepReport(Struct, frozen=True):
    """What was done; None for what was not."""

    compaction: CompactionReport | None = None
    collection: CollectionReport | None = None


def keep_up(
    target: SyncTarget, view: SnapshotView, *, orphaned: bool, compacting: bool
) -> UpkeepReport:
    """Collect and compact as retention and policy have it.

    The collection comes first: in a store that is near its budget it makes the room that a
    compaction needs.

    Args:
        target: the store.
        view: its active snapshot.
        orphaned: a writer died at work in it, so files may lie there that no snapshot names.
        compacting: False to collect alone.

    Raises:
        GgrepError: a segment cannot be read, or the disk takes no more; the snapshot stays.
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
    """Compact, making room by a collection where there is none."""
    try:
        return compact(target, readers_ms=0, lease_ms=_LEASE_MS)
    except BudgetExceeded:
        if not make_room(target):
            raise
        return compact(target, readers_ms=0, lease_ms=_LEASE_MS)


def make_room(target: SyncTarget) -> bool:
    """Collect what may go of a store that is over its budget; return whether anything went."""
    try:
        report = collect_garbage(target, deadline=_now(target), readers_ms=_READERS_MS)
    except GgrepError:
        return False
    return report.freed_bytes > 0


def _now(target: SyncTarget) -> Deadline:
    return Deadline.after(target.clock, 0)
