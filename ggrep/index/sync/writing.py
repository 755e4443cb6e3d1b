"""Starts a write to a store: takes the lease, and opens the snapshot on which the write builds."""

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
"""How long a write waits for another writer of the same store."""

Opening = Callable[[SyncTarget], SnapshotView | None]


def open_parent(target: SyncTarget) -> SnapshotView | None:
    """Return the view on which a sync builds; None if everything must be indexed.

    The view is the active snapshot, with damaged derived files rebuilt. If that snapshot is still
    damaged, the view is the newest intact snapshot. If no snapshot is intact, the view consists of
    the intact segments of the newest snapshot. If no segment is intact, the sync indexes
    everything. The view's `damage` describes the damage of the store, if any.
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
    """Return a context manager that holds the writer lease of a store.

    Raises, when it is entered:
        Busy: another writer held the lease until the deadline; the default is QUEUE_MS.
        Incompatible: a newer build wrote the lease's record.
    """
    patience = Patience(deadline or Deadline.after(target.clock, QUEUE_MS), target.wait)
    ttl_ms = target.settings.lease_ttl_ms
    return hold_lease(target.store, target.new_id(), target.clock, patience, ttl_ms=ttl_ms)


@contextmanager
def writing(
    target: SyncTarget, deadline: Deadline | None = None, *, anew: bool = False
) -> Iterator[Lease]:
    """Hold the writer lease of a store during the block; if the block fails, record the failure.

    Files of a newer build are not changed.

    Args:
        target: the store.
        deadline: how long to wait for another writer.
        anew: whether the block reads no existing file, so that files of any build are allowed.

    Raises:
        Busy: another writer held the store until the deadline.
        Incompatible: a newer build wrote the record of the last sync.
    """
    with holding(target, deadline) as lease:
        try:
            if not anew:
                read_index_state(
                    store_files.index_state_file(target.store)
                )  # raises for a newer build
            yield lease
        except (LeaseLost, Incompatible):
            raise  # the record belongs to another writer or a newer build
        except Exception as error:
            lease.blame(error)
            with suppress(OSError, Incompatible):
                remember_failure(target, error)
            raise
