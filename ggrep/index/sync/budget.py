"""The byte budget of a store: a snapshot that would exceed it is not published."""

from ggrep.base.errors import BudgetExceeded
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.segment import remove_segment
from ggrep.index.store.view import SegmentView
from ggrep.index.sync.target import SyncTarget


def require_room(target: SyncTarget, *, fresh: SegmentView | None = None) -> None:
    """Do nothing while the store is within `max_store_bytes`; 0 is no bound.

    Args:
        target: the store.
        fresh: a segment that was just written for a publish; it goes when it is too much.

    Raises:
        BudgetExceeded: the store is over its budget; the active snapshot stays.
    """
    budget = target.settings.max_store_bytes
    if not budget:
        return
    used = store_bytes(target.store)
    if used <= budget:
        return
    if fresh is None:
        raise BudgetExceeded(f"store holds {used} bytes, max_store_bytes is {budget}")
    remove_segment(target.store, fresh.image.name)
    raise BudgetExceeded(f"store would hold {used} bytes, max_store_bytes is {budget}")
