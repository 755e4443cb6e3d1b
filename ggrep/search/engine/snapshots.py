"""The open snapshots of a store: the active snapshot, and a few older ones for sessions."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import Final

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import (
    CorruptStore,
    DeadlineExceeded,
    GgrepError,
    NoIndex,
    SnapshotGone,
)
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.base.locks import Patience, shared
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.repo_identity import RepoIdentity
from ggrep.index.store.active import read_active
from ggrep.index.store.judging import Judgement, judge
from ggrep.index.store.last_used import note_use
from ggrep.index.store.read_failures import typed_failures
from ggrep.index.store.suspicion import suspecting_damage
from ggrep.index.store.verify import Mender, Stamp, Verifier, stamp_or_none
from ggrep.index.store.view import SnapshotView, open_snapshot
from ggrep.index.sync.healing import Healer

MAX_OPENED: Final = 2
"""Maximum number of older snapshots that stay open; each has memory maps and derived data."""
_NOTED_MS: Final = 1_800_000.0
"""Interval between records of the store's last use while only the pointer is read."""
_PIN_RETRY_MS: Final = 5.0
"""Interval between attempts to open a store that is being removed."""


class Snapshots:
    """Opens the snapshots of one store. Thread-safe.

    Args:
        identity: the identity of the repository.
        home: the home of the store.
        clock: the clock for the time of the last use.
        handles: reserves file handles for a number of segments while a block runs.
        on_damage: called each time damage of the store is detected; returns whether a sync that
            rebuilds the damaged parts is running or starts at once.
    """

    def __init__(
        self,
        identity: RepoIdentity,
        home: Home,
        clock: Clock,
        handles: Callable[[int], AbstractContextManager[None]],
        on_damage: Callable[[], bool],
    ) -> None:
        self._store = identity.store
        self._store_id = identity.store_id
        self._base = home.base
        self._clock = clock
        self._handles = handles
        self._on_damage = on_damage
        self._hopeless: set[str] = set()
        self._view: SnapshotView | None = None
        self._pointer_file = str(store_files.active_file(self._store))
        self._note_at_ms = 0.0
        self._current: tuple[Stamp | None, SnapshotView] | None = None
        self._older = _OlderSnapshots(self._store, self._store_id)

    @contextmanager
    def pin(
        self,
        deadline: Deadline,
        *,
        counted: bool = True,
        snapshot_id: SnapshotId | None = None,
    ) -> Iterator[SnapshotView]:
        """Yield a snapshot that cannot be removed while the block runs.

        Args:
            deadline: limits waiting and opening.
            counted: whether to reserve file handles for the snapshot's segments.
            snapshot_id: the snapshot; None for the active one.

        Raises:
            NoIndex: nothing was ever published.
            SnapshotGone: the requested snapshot was removed.
            CorruptStore: no snapshot is valid.
            Busy: the store was being removed until the deadline, or too many segments are open.
            DeadlineExceeded: time ran out while the snapshot was opened.
        """
        patience = Patience(deadline, time.sleep, "this index is being removed", _PIN_RETRY_MS)
        with typed_failures(self._base):
            if not self._store.is_dir():
                raise NoIndex("this repository has no index yet; run: ggrep index")
            with shared(store_files.readers_lock(self._store), patience):
                view = self._look(snapshot_id, deadline)
                note_use(self._store, self._clock.now())
                try:
                    handles = self._handles(len(view.segments)) if counted else nullcontext()
                    with handles, suspecting_damage(view):
                        yield view
                except CorruptStore:
                    self._view = self._current = None
                    self._older.forget()
                    raise

    def current(self, deadline: Deadline) -> SnapshotView:
        """Return the active snapshot; checks only whether the pointer to the snapshot has changed.

        The snapshot is not pinned. Its files are verified only when it is opened: the caller must
        check them before it reads them.

        Raises:
            GgrepError: as `pin`.
        """
        pointer, cached = stamp_or_none(self._pointer_file), self._current
        # After a repair, the snapshot is another object.
        same = cached is not None and pointer == cached[0] and cached[1] is self._view
        if cached is not None and same and cached[1].damage is None:
            if self._clock.monotonic_ms() >= self._note_at_ms:
                self._note_at_ms = self._clock.monotonic_ms() + _NOTED_MS
                note_use(self._store, self._clock.now())
            return cached[1]
        with self.pin(deadline, counted=False) as view:
            self._current = pointer, view  # the opened snapshot is as new as the pointer, or newer
            return view

    def look_again(self) -> None:
        """Make the next `current` verify the snapshot's files again, because one was touched."""
        self._current = None

    def _look(self, snapshot_id: SnapshotId | None, deadline: Deadline) -> SnapshotView:
        cached = self._view
        if snapshot_id is None:
            return self.view(deadline)
        if (
            cached
            and cached.manifest.snapshot_id == snapshot_id
            and not cached.gone()
            and cached.lies_still()
        ):
            return cached
        with self._healing(deadline) as healer:
            return self._older.open(snapshot_id, deadline, healer)

    def view(self, deadline: Deadline | None = None) -> SnapshotView:
        """Return the active snapshot, as the same object while the pointer is unchanged.

        The snapshot's files are unchanged since their verification. Damaged derived files are
        rebuilt.

        Requires: the caller holds the readers' lock, if other processes can delete unused files.

        Raises:
            NoIndex: nothing was ever published.
            CorruptStore: no snapshot is valid.
            DeadlineExceeded: time ran out while the snapshot was opened.
        """
        if (cached := self._cached_view()) is not None:
            return cached
        if not self._store.is_dir():
            raise NoIndex("this repository has no index yet; run: ggrep index")
        # Several threads can do this at once; each thread uses the view that it opened.
        with self._healing(deadline) as healer:
            opened = self._judge(
                Verifier(self._store, deadline=deadline, mender=healer)
            ).answering()
        self._view = opened
        return opened

    def inspect(self) -> Judgement:
        """Return the state of the store without repairs.

        Raises:
            NoIndex: nothing was ever published.
            StoreError: an artifact cannot be read now.
        """
        if (cached := self._cached_view()) is not None:
            return Judgement(cached.manifest, cached, None)
        with typed_failures(self._base):
            if not self._store.is_dir():
                raise NoIndex("this repository has no index yet; run: ggrep index")
            return self._judge(Verifier(self._store), inspecting=True)

    def _judge(self, verifier: Verifier, *, inspecting: bool = False) -> Judgement:
        try:
            judged = judge(
                self._store, store_id=self._store_id, inspecting=inspecting, verifier=verifier
            )
        finally:
            verifier.save()
        # The next search rebuilds a damaged image; a sync rebuilds everything else.
        return judged.rebuilt_by(self._on_damage)

    @contextmanager
    def _healing(self, deadline: Deadline | None) -> Iterator[Healer]:
        """Yield the rebuilder of an opened snapshot; report damage that it cannot repair."""
        healer = Healer(self._store, self._clock, deadline, hopeless=self._hopeless)
        try:
            yield healer
        except (CorruptStore, DeadlineExceeded):
            self._on_damage()
            raise

    def heal(self, deadline: Deadline) -> None:
        """Rebuild damaged derived files, as far as possible now."""
        patience = Patience(deadline, time.sleep, "this index is being removed", _PIN_RETRY_MS)
        with suppress(GgrepError), typed_failures(self._base):
            if self._store.is_dir():
                with shared(store_files.readers_lock(self._store), patience):
                    self.view(deadline)

    def close(self) -> None:
        """Close the snapshot and its tables; the next request reopens them."""
        self._view = self._current = None

    def _cached_view(self) -> SnapshotView | None:
        """Return the last opened view if it is still current."""
        cached = self._view
        good = cached and cached.damage is None and self._is_active(cached) and cached.lies_still()
        return cached if good else None

    def _is_active(self, cached: SnapshotView) -> bool:
        try:
            return cached.manifest.snapshot_id == read_active(self._store)
        except CorruptStore:
            return False  # opening the snapshot again recovers, and adds a notice


class _OlderSnapshots:
    """Opens snapshots by id and keeps the most recently used open. Thread-safe."""

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
        """Return a snapshot, verified on opening; the same object while it stays open.

        Raises:
            SnapshotGone: the snapshot was removed, or never existed.
            NoIndex: the snapshot's store was removed.
            CorruptStore: the snapshot is damaged.
            StoreError: an artifact cannot be read now.
            DeadlineExceeded: time ran out while the snapshot was opened.
        """
        with self._lock:
            view = self._opened.get(snapshot_id)
        if view is not None and (error := view.gone()):
            raise error
        if view is None or not view.lies_still():
            if not store_files.manifest_file(self._store, snapshot_id).exists():
                raise SnapshotGone(
                    f"snapshot {snapshot_id} no longer exists; send the request again"
                )
            # Threads may do this at once: the last view is kept.
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
        """Drop all snapshots after damage was detected."""
        with self._lock:
            self._opened.clear()
