"""Copies the active snapshot of a store to a store with another name.

The clone is built in a temporary directory, verified completely, and renamed in one step. A crash
at any time therefore leaves either no clone or a complete clone. Only the active snapshot is
copied, without older snapshots and without caches that depend on paths or inodes. Artifacts are
shared by hard links. The manifest and the record of the last sync contain the store's name and are
rewritten.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.clock import Clock, Deadline, SystemClock
from ggrep.base.durable import reach
from ggrep.base.errors import CorruptStore, InvalidRequest, NoIndex, StoreError
from ggrep.base.ids import StoreId
from ggrep.base.lease import Lease
from ggrep.base.locks import Patience, alone, shared
from ggrep.config import store_files
from ggrep.config.fingerprints import parse_store_id
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.store.active import swap_active
from ggrep.index.store.adoption import adopt_artifacts
from ggrep.index.store.judging import open_active
from ggrep.index.store.last_used import note_use
from ggrep.index.store.manifest import SnapshotManifest, read_active_manifest, to_bytes
from ggrep.index.store.read_failures import typed_failures
from ggrep.index.store.remains import sweep_remains
from ggrep.index.store.store_opening import admit_writer, hold_lease
from ggrep.index.store.store_versions import in_current_layout
from ggrep.index.store.verify import Verifier, reverify
from ggrep.index.store.view import SnapshotView, open_snapshot
from ggrep.index.sync.healing import Healer
from ggrep.index.sync.index_state import read_index_state, write_index_state

_READERS_MS = 1000
"""How long to wait for readers of a store with the target's name."""
_QUEUE_MS = 60_000
"""How long to wait for a writer of one of the stores."""


class StorePair(Struct, frozen=True):
    """Two stores of one home, with the clock and the limits for waiting for their locks.

    Attributes:
        source: the store to copy.
        target: the store to create; it need not exist.
        ttl_ms: milliseconds without a heartbeat after which a writer's lease expires.
    """

    source: Path
    target: Path
    clock: Clock
    wait: Callable[[float], None]
    ttl_ms: int

    @contextmanager
    def held(self) -> Iterator[Lease]:
        """Hold the leases of both stores in the block; yield the target's lease.

        The leases are taken in the order of names, so two opposite clones cannot deadlock.
        """
        leases: dict[Path, Lease] = {}
        with ExitStack() as stack:
            for store in sorted((self.source, self.target), key=lambda path: path.name):
                owner_id = f"clone by process {os.getpid()}"
                patience = self.patience(_QUEUE_MS, f"another process is writing to {store.name}")
                lease = hold_lease(store, owner_id, self.clock, patience, ttl_ms=self.ttl_ms)
                leases[store] = stack.enter_context(lease)
            patience = self.patience(_QUEUE_MS, "the store is being removed")
            stack.enter_context(shared(store_files.readers_lock(self.source), patience))
            yield leases[self.target]

    def patience(self, milliseconds: int, message: str) -> Patience:
        """Return the limit of a wait for a lock; the wait then raises Busy with `message`."""
        return Patience(Deadline.after(self.clock, milliseconds), self.wait, message)


def clone_store(
    home: Home,
    source_id: str,
    target_id: str,
    settings: Settings,
    *,
    clock: Clock | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Make `target_id` a copy of the active snapshot of `source_id`.

    Args:
        home: the directory of both stores.
        source_id: the store that is copied.
        target_id: the id of the new store. The configuration in the id must be the source's; the
            root or the suffix differs.
        settings: whether the home is shared, and when a writer's lease expires.
        clock: source of the times in written files.
        wait: sleeps that many seconds.

    Raises:
        InvalidRequest: an id is invalid, the configurations differ, the source does not exist, or
            the target exists.
        NoIndex: the source was never published.
        CorruptStore: the source's active snapshot is damaged.
        Incompatible: another build wrote the source.
        Busy: a writer or a removal held one of the stores.
    """
    source, target = _stores(home, source_id, target_id)
    clock = clock or SystemClock()
    admit_writer(target, shared=settings.shared_store)
    both = StorePair(source, target, clock, wait, settings.lease_ttl_ms)
    with typed_failures(home.data), both.held() as lease:
        if target.exists():  # created while this process waited for the lease
            raise _exists(target)
        sweep_remains(target, lease)
        aside = store_files.clone_dir(target, lease.epoch)
        try:
            _build(both, aside, lease)
            _move_into_place(both, aside, lease)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        _reverify(both)


def _stores(home: Home, source_id: str, target_id: str) -> tuple[Path, Path]:
    """Return the directories of both stores; raise if the target cannot be a copy of the source."""
    source, target = parse_store_id(source_id), parse_store_id(target_id)
    if source.store_id == target.store_id:
        raise InvalidRequest(f"store cannot be cloned to itself: {source_id}")
    if source.config != target.config:
        raise InvalidRequest(
            f"store {target_id} has configuration {target.config}, but store {source_id} has"
            f" {source.config}; a store can only be cloned to one of the same configuration"
        )
    if not home.store_dir(source.store_id).is_dir():
        raise InvalidRequest(f"there is no store {source_id!r}; see: ggrep list")
    there = home.store_dir(target.store_id)
    if there.exists():
        raise _exists(there)
    return home.store_dir(source.store_id), there


def _exists(target: Path) -> InvalidRequest:
    return InvalidRequest(f"{target.name} exists")


def _build(both: StorePair, aside: Path, lease: Lease) -> None:
    """Build the clone in the directory `aside`, verified and durable."""
    source_id, store_id = StoreId(both.source.name), StoreId(both.target.name)
    healer = Healer(both.source, both.clock)
    view = open_active(both.source, store_id=source_id, writing=True, mender=healer)
    if view.damage:
        raise CorruptStore(f"{source_id}: {view.damage.notice.message}")
    durable.create_directory(aside)
    adopt_artifacts(both.source, view.manifest, aside)
    _write_own(both.source, aside, _renamed(view, store_id, lease))
    note_use(aside, both.clock.now())
    reach("clone.after_copy")
    durable.sync_tree(aside)  # syncing can set modes, which counts as a change
    _verify(aside, store_id)


def _renamed(view: SnapshotView, store_id: StoreId, lease: Lease) -> SnapshotManifest:
    return replace(
        view.manifest,
        store_id=store_id,
        lease_epoch=lease.epoch,
        canonical_root=_root(view.manifest, store_id),
        segments=tuple(in_current_layout(view.store, ref) for ref in view.manifest.segments),
    )


def _root(manifest: SnapshotManifest, store_id: StoreId) -> str:
    """Return the source's root if `store_id` belongs to the same root; else an empty string."""
    same = parse_store_id(manifest.store_id).repo_id == parse_store_id(store_id).repo_id
    return manifest.canonical_root if same else ""


def _write_own(source: Path, aside: Path, manifest: SnapshotManifest) -> None:
    """Write the files that contain the store's name, and the pointer last."""
    path = store_files.manifest_file(aside, manifest.snapshot_id)
    durable.make_directory(path.parent)
    durable.replace_file(path, to_bytes(manifest))
    state = read_index_state(store_files.index_state_file(source))
    if state is not None:
        copied = replace(state, store_id=manifest.store_id, canonical_root=manifest.canonical_root)
        write_index_state(store_files.index_state_file(aside), copied)
    swap_active(aside, manifest.snapshot_id)


def _verify(aside: Path, store_id: StoreId) -> None:
    """Open the clone as a query does, and hash every byte."""
    manifest = read_active_manifest(aside)
    if manifest is None:
        raise NoIndex(f"{store_id} has no active snapshot")
    verifier = Verifier(aside, full=True)
    verifier.manifest(manifest, store_id=store_id)
    verifier.save(only=manifest)
    open_snapshot(aside, manifest.snapshot_id, store_id=store_id)


def _move_into_place(both: StorePair, aside: Path, lease: Lease) -> None:
    reach("clone.before_move")
    patience = both.patience(_READERS_MS, "the store is being removed")
    with alone(store_files.readers_lock(both.target), patience), lease.fenced():
        aside.replace(both.target)
        durable.sync_directory(both.target.parent)


def _reverify(both: StorePair) -> None:
    """Verify both stores now, because the new links changed the stats of their files."""
    for store in (both.source, both.target):
        with suppress(StoreError):
            manifest = read_active_manifest(store)
            if manifest is not None:
                reverify(store, manifest)
