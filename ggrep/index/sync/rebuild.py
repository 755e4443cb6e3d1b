"""Rebuilds an index from scratch while the old one keeps answering.

The new index is built in a directory of its own beside the store, by an ordinary sync with all its
portions. Then the store takes over its last snapshot (files are linked, not copied) and publishes
it as any other: until the pointer is replaced the old index answers. Nothing of the old index is
read, so an index that is damaged or of another build is replaced too. If a rebuild dies, the next
sync or `gc --stores` deletes its directory.
"""

import shutil
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.clock import Deadline
from ggrep.base.durable import reach
from ggrep.base.errors import Busy, CorruptStore, LeaseLost, StoreError, SyncRefused
from ggrep.base.lease import Lease
from ggrep.base.locks import Patience, alone
from ggrep.config import store_files
from ggrep.index.store.active import read_active
from ggrep.index.store.adoption import adopt_artifacts
from ggrep.index.store.manifest import SnapshotManifest, read_active_manifest
from ggrep.index.store.needed_files import named, unnamed
from ggrep.index.store.remains import sweep_remains
from ggrep.index.store.store_opening import admit_writer
from ggrep.index.store.transaction import prepare_store, publish
from ggrep.index.store.verify import reverify
from ggrep.index.sync.problems import PARSE_PENDING
from ggrep.index.sync.sync_report import Progress, unheard
from ggrep.index.sync.syncer import run
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.writing import writing
from ggrep.model.sync import SyncReport

_READERS_MS = 1000
"""How long to wait for queries over the old index before its files are left to `gc`."""


def rebuild(
    target: SyncTarget,
    *,
    strict: bool = False,
    allow_degraded: bool = False,
    deadline: Deadline | None = None,
    progress: Progress = unheard,
) -> SyncReport:
    """Index the work tree as if there were no index, and publish the result in its place.

    Raises:
        Busy: another writer held the store until the deadline.
        SyncRefused: as for a sync, or parsers had no turn: the old index may hold what they missed.
        InvalidRequest: as for a sync.
    """
    admit_writer(target.store, shared=target.settings.shared_store)
    with writing(target, deadline, anew=True) as lease:
        sweep_remains(target.store, lease)
        aside = store_files.rebuild_dir(target.store, lease.epoch)
        try:
            prepare_store(aside, lease)
            apart = replace(target, store=aside)
            report = run(apart, lease, None, progress, strict=strict, allow_degraded=allow_degraded)
            _require_turns(report, target.store)
            manifest = _take_over(aside, target.store, lease)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        _drop_others(target, manifest, lease)
        reverify(target.store, manifest)  # the links that went changed what is remembered
    return report


def _require_turns(report: SyncReport, store: Path) -> None:
    """Raise where a machine that was too busy to parse would cost files that the old index has."""
    late = [p.path_key for p in report.degraded if p.code == PARSE_PENDING]
    if late and read_active(store) is not None:
        told = f"the machine is too busy to parse {len(late)} files, for example {late[0]}"
        raise SyncRefused((f"{told}; the old index was kept; try again later",))


def _take_over(aside: Path, store: Path, lease: Lease) -> SnapshotManifest:
    """Publish in `store` the snapshot that is active in `aside`."""
    manifest = read_active_manifest(aside)
    if manifest is None:
        raise CorruptStore(f"{aside.name} has no snapshot")
    reach("rebuild.before_adoption")
    prepare_store(store, lease)
    adopt_artifacts(aside, manifest, store)
    reach("rebuild.after_adoption")
    publish(store, manifest, lease)
    reach("rebuild.after_swap")
    # All is published; but what is remembered belongs to whoever took over since.
    with suppress(Busy, LeaseLost), lease.fenced():
        _keep_memory(aside, store)
    return manifest


def _keep_memory(aside: Path, store: Path) -> None:
    """Replace the store's records about the work tree by those of the rebuild."""
    durable.make_directory(store_files.stat_cache_file(store).parent)
    for file in (store_files.stat_cache_file, store_files.index_state_file):
        with suppress(FileNotFoundError):
            file(aside).replace(file(store))
    durable.sync_directory(store)


def _drop_others(target: SyncTarget, manifest: SnapshotManifest, lease: Lease) -> None:
    """Delete every snapshot, table and image except those of one snapshot.

    If earlier queries still read them, all files are left for `gc`, as are files that cannot be
    deleted. The new index is already published, so an error here does not make the rebuild fail.
    """
    patience = Patience(Deadline.after(target.clock, _READERS_MS), target.wait)
    readers = alone(store_files.readers_lock(target.store), patience)
    trash = store_files.store_trash_dir(target.store) / f"rebuild-{lease.epoch}"
    # Who was stopped and taken over here must not take what its follower published.
    with suppress(StoreError, Busy, OSError), readers, lease.fenced():
        _throw_away(target.store, manifest, trash)
    shutil.rmtree(trash, ignore_errors=True)


def _throw_away(store: Path, manifest: SnapshotManifest, trash: Path) -> None:
    """Move files that a snapshot does not need away from readers, snapshots first, durably."""
    lying = unnamed(store, named(store, manifest))
    for number, paths in enumerate((lying.snapshots, lying.segments)):
        place = trash / str(number)
        for path in paths:
            goal = place / path.relative_to(store)
            durable.make_directory(goal.parent)
            path.replace(goal)
        for directory in sorted({path.parent for path in paths}):
            durable.sync_directory(directory)
