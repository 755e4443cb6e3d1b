"""Starts a write: takes the lease and decides which snapshot to build on."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from ggrep.base.clock import Deadline
from ggrep.base.errors import CorruptStore, Incompatible, IndexDamaged, LeaseLost, NoIndex
from ggrep.base.lease import Lease
from ggrep.base.locks import Patience
from ggrep.config import store_files
from ggrep.index.store.judging import open_active
from ggrep.index.store.salvage import salvage
from ggrep.index.store.store_opening import hold_lease
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.healing import Healer
from ggrep.index.sync.index_state import read_index_state
from ggrep.index.sync.record import remember_failure
from ggrep.index.sync.target import SyncTarget

QUEUE_MS = 60_000
"""How long a write queues behind another writer of the same store."""

Opening = Callable[[SyncTarget], SnapshotView | None]


def open_parent(target: SyncTarget) -> SnapshotView | None:
    """Return the view on which a sync builds; None if everything must be indexed.

    The view is the active snapshot, with damaged derived files rebuilt; if it is damaged, the
    newest intact snapshot; if none is intact, the intact segments of the newest. The view's damage
    states which. If no segment is intact, the sync indexes everything.
    """
    healer = Healer(target.store, target.clock)
    try:
        return open_active(target.store, store_id=target.store_id, writing=True, mender=healer)
    except NoIndex:
        return None
    except IndexDamaged:
        salvaged = salvage(target.store, target.store_id, healer)
        return salvaged.view if salvaged else None


def open_whole(target: SyncTarget, *, writing: bool) -> SnapshotView:
    """Return the active snapshot; rebuild its damaged derived files.

    Raises:
        NoIndex: nothing was ever published.
        CorruptStore: the snapshot is damaged, even if another one could answer.
    """
    healer = Healer(target.store, target.clock)
    view = open_active(target.store, store_id=target.store_id, writing=writing, mender=healer)
    if view.damage:
        raise CorruptStore(view.damage.notice.message)
    return view


def holding(target: SyncTarget, deadline: Deadline | None = None) -> AbstractContextManager[Lease]:
    """Return the writer lease of a store, to be held for the length of a block.

    Raises, when it is entered:
        Busy: another writer held the store until the deadline, QUEUE_MS when none is given.
        Incompatible: a newer build wrote the lease's record.
    """
    patience = Patience(deadline or Deadline.after(target.clock, QUEUE_MS), target.wait)
    ttl_ms = target.settings.lease_ttl_ms
    return hold_lease(target.store, target.new_id(), target.clock, patience, ttl_ms=ttl_ms)


@contextmanager
def writing(
    target: SyncTarget, deadline: Deadline | None = None, *, anew: bool = False
) -> Iterator[Lease]:
    """Hold the writer lease of a store for the length of the block; note when it fails.

    Files of a newer build stay unchanged, to the last byte.

    Args:
        target: names the store.
        deadline: how long to queue behind another writer.
        anew: nothing of what is there will be read, so it may be of any build.

    Raises:
        Busy: another writer held the store until the deadline.
        Incompatible: another build wrote the record of its last sync.
    """
    with holding(target, deadline) as lease:
        try:
            if not anew:
                read_index_state(
                    store_files.index_state_file(target.store)
                )  # a newer build's is refused
            yield lease
        except (LeaseLost, Incompatible):
            raise  # the record is the other writer's now, or the other build's
        except Exception as error:
            lease.blame(error)
            with suppress(OSError, Incompatible):
                remember_failure(target, error)
            raise
