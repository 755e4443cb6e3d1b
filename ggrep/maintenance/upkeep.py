"""What a store is owed after a publish: a compaction when one is overdue, then a collection.

Nobody waits for it: the snapshot is active already. Where another writer is at work, or a query
that does not end, it is left for the next time.
"""

from dataclasses import dataclass

from ggrep.domain.deadline import Deadline
from ggrep.errors import Busy, GgrepError
from ggrep.maintenance.collection import CollectionReport, collect_garbage, due
from ggrep.maintenance.compaction import CompactionReport, compact, overdue
from ggrep.store.view import SnapshotView
from ggrep.sync.target import SyncTarget


@dataclass(frozen=True, slots=True)
class UpkeepReport:
    """What was done; None for what was not."""

    compaction: CompactionReport | None = None
    collection: CollectionReport | None = None


def keep_up(target: SyncTarget, view: SnapshotView) -> UpkeepReport:
    """Compact and collect as policy and retention have it.

    Raises:
        StoreError: a segment cannot be read, or the disk takes no more; the snapshot stays.
    """
    compaction: CompactionReport | None = None
    collection: CollectionReport | None = None
    now = Deadline.after(target.clock, 0)
    try:
        if overdue(view, target.settings) is not None:
            compaction = compact(target, deadline=now)
        if due(target.store, target.settings, target.clock.now()):
            collection = collect_garbage(target, deadline=now, readers_ms=0)
    except Busy:
        pass
    return UpkeepReport(compaction, collection)


def make_room(target: SyncTarget) -> bool:
    """Collect what may go of a store that is over its budget; return whether anything went."""
    try:
        report = collect_garbage(target, deadline=Deadline.after(target.clock, 0), readers_ms=0)
    except GgrepError:
        return False
    return report.freed_bytes > 0
