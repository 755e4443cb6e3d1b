"""Rebuilds an index from scratch while the old index answers queries.

An ordinary sync builds the new index in a separate directory. The files of its last snapshot are
then linked into the store, not copied, and the snapshot is published. Until the pointer is
replaced, the old index answers queries. The old index is not read, so a damaged index or an index
of another build can also be replaced. If a rebuild is killed, the next sync or `gc --stores`
deletes its directory.
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
"""How long to wait for queries over the old index; after that, `gc` must delete its files."""


def rebuild(
    target: SyncTarget,
    *,
    strict: bool = False,
    allow_degraded: bool = False,
    deadline: Deadline | None = None,
    progress: Progress = unheard,
) -> SyncReport:
    """Index the work tree as if there were no index, and replace the index by the result.

    Raises:
        Busy: another writer held the store until the deadline.
        SyncRefused: as for a sync; or files that the old index may contain could not be parsed in
            time.
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
        reverify(target.store, manifest)  # the removed links have changed the recorded change times
    return report


def _require_turns(report: SyncReport, store: Path) -> None:
    """Raise if files were not parsed in time and an old index exists, which may contain them."""
    late = [p.path_key for p in report.degraded if p.code == PARSE_PENDING]
    if late and read_active(store) is not None:
        reason = f"the machine is too busy to parse {len(late)} files, for example {late[0]}"
        raise SyncRefused((f"{reason}; the old index was kept; try again later",))


def _take_over(aside: Path, store: Path, lease: Lease) -> SnapshotManifest:
    """Publish the active snapshot of `aside` in `store`."""
    manifest = read_active_manifest(aside)
    if manifest is None:
        raise CorruptStore(f"{aside.name} has no snapshot")
    reach("rebuild.before_adoption")
    prepare_store(store, lease)
    adopt_artifacts(aside, manifest, store)
    reach("rebuild.after_adoption")
    publish(store, manifest, lease)
    reach("rebuild.after_swap")
    # The snapshot is published. If another writer has taken over, the records are that writer's.
    with suppress(Busy, LeaseLost), lease.fenced():
        _keep_memory(aside, store)
    return manifest


def _keep_memory(aside: Path, store: Path) -> None:
    """Replace the store's records about the work tree by the records of the rebuild."""
    durable.make_directory(store_files.stat_cache_file(store).parent)
    for file in (store_files.stat_cache_file, store_files.index_state_file):
        with suppress(FileNotFoundError):
            file(aside).replace(file(store))
    durable.sync_directory(store)


def _drop_others(target: SyncTarget, manifest: SnapshotManifest, lease: Lease) -> None:
    """Delete every snapshot, table and image except those of one snapshot.

    If earlier queries still read the files, or if a file cannot be deleted, `gc` deletes the files
    later. The new index is already published, so an error here does not make the rebuild fail.
    """
    patience = Patience(Deadline.after(target.clock, _READERS_MS), target.wait)
    readers = alone(store_files.readers_lock(target.store), patience)
    trash = store_files.store_trash_dir(target.store) / f"rebuild-{lease.epoch}"
    # A process that was stopped here and lost its lease must not delete its successor's files.
    with suppress(StoreError, Busy, OSError), readers, lease.fenced():
        _throw_away(target.store, manifest, trash)
    shutil.rmtree(trash, ignore_errors=True)


def _throw_away(store: Path, manifest: SnapshotManifest, trash: Path) -> None:
    """Durably move files that a snapshot does not need into the trash, snapshots first."""
    lying = unnamed(store, named(store, manifest))
    for number, paths in enumerate((lying.snapshots, lying.segments)):
        place = trash / str(number)
        for path in paths:
            goal = place / path.relative_to(store)
            durable.make_directory(goal.parent)
            path.replace(goal)
        for directory in sorted({path.parent for path in paths}):
            durable.sync_directory(directory)
