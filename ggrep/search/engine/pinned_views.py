"""Open snapshots other than the active one that sessions explore; only a few are kept."""

from pathlib import Path
from threading import Lock
from typing import Final

from ggrep.base.deadline import Deadline
from ggrep.base.errors import SnapshotGone
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.config.layout import names
from ggrep.index.store.verify import Mender
from ggrep.index.store.view import SnapshotView, gone, open_snapshot

MAX_OPENED: Final = 2
"""Each holds maps of its segments, and what queries worked out of them."""


class PinnedViews:
    """Opens snapshots by id and keeps the most recently used. Thread-safe."""

    def __init__(self, store: Path, store_id: StoreId) -> None:
        self._store = store
        self._store_id = store_id
        self._lock = Lock()
        self._opened: dict[SnapshotId, SnapshotView] = {}  # the least recently used first

    def open(
        self,
        snapshot_id: SnapshotId,
        deadline: Deadline | None = None,
        mender: Mender | None = None,
    ) -> SnapshotView:
        """Return a snapshot, verified on opening; the same object while it is kept.

        Raises:
            SnapshotGone: it was removed, or never was.
            NoIndex: its store was removed.
            CorruptStore: it is damaged.
            StoreError: an artifact cannot be read now.
            DeadlineExceeded: time ran out while it was opened.
        """
        with self._lock:
            view = self._opened.get(snapshot_id)
        if view is not None and (error := gone(view)):
            raise error
        if view is None or not view.lies_still():
            if not names.manifest_file(self._store, snapshot_id).exists():
                raise SnapshotGone(f"snapshot {snapshot_id} is not there; ask again")
            # Threads may do this at once: the last one's is kept.
            view = open_snapshot(
                self._store,
                snapshot_id,
                store_id=self._store_id,
                deadline=deadline,
                mender=mender,
            )
        with self._lock:
            self._opened.pop(snapshot_id, None)
            self._opened[snapshot_id] = view
            while len(self._opened) > MAX_OPENED:
                del self._opened[next(iter(self._opened))]
        return view

    def forget(self) -> None:
        """Drop all of them after one was found damaged."""
        with self._lock:
            self._opened.clear()
