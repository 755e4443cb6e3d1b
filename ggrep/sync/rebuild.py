"""Building an index from nothing while the old one goes on answering.

The new index is built in a directory of its own beside the store, by an ordinary sync with all its
portions. Then the store takes over its last snapshot (files are linked, not copied) and publishes
it as any other: until the pointer is replaced the old index answers, whatever happens. Nothing of
the old index is read, so one that is damaged or of another build is replaced all the same. What a
rebuild that died left beside the store goes with the next one, or with `gc --stores`.
"""

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ggrep import durable
from ggrep.domain.deadline import Deadline
from ggrep.errors import Busy, CorruptStore, LeaseLost
from ggrep.faults import reach
from ggrep.layout import names
from ggrep.lease import Lease
from ggrep.locks import Patience, alone
from ggrep.store.active import read_active
from ggrep.store.admission import admit_writer
from ggrep.store.adoption import adopt_artifacts, named_entries
from ggrep.store.manifest import SnapshotManifest, read_manifest
from ggrep.store.tables import forget_connections
from ggrep.store.transaction import prepare_store, publish
from ggrep.sync.report import Progress, SyncReport
from ggrep.sync.syncer import run
from ggrep.sync.target import SyncTarget
from ggrep.sync.writing import writing

_READERS_MS = 1000
"""How long to wait for queries over the old index before its files are left to `gc`."""


def rebuild(
    target: SyncTarget,
    *,
    allow_degraded: bool = False,
    deadline: Deadline | None = None,
    progress: Progress = lambda _: None,
) -> SyncReport:
    """Index the work tree as if there were no index, and publish the result in its place.

    Raises:
        Busy: another writer held the store until the deadline.
        SyncRefused: as for a sync.
        InvalidRequest: as for a sync.
    """
    admit_writer(target.store, shared=target.settings.shared_store)
    with writing(target, deadline, anew=True) as lease:
        aside = names.rebuild_dir(target.store)
        _delete(aside)
        try:
            prepare_store(aside, lease)
            apart = replace(target, store=aside)
            report = run(apart, lease, None, progress, allow_degraded=allow_degraded)
            manifest = _take_over(aside, target.store, lease)
        finally:
            _delete(aside)
        _drop_others(target, manifest, lease)
    forget_connections()
    return report


def _take_over(aside: Path, store: Path, lease: Lease) -> SnapshotManifest:
    """Publish in `store` the snapshot that is active in `aside`."""
    active = read_active(aside)
    if active is None:
        raise CorruptStore(f"{aside.name} has no snapshot")
    manifest = read_manifest(aside, active)
    reach("rebuild.before_adoption")
    prepare_store(store, lease)
    adopt_artifacts(aside, manifest, store)
    reach("rebuild.after_adoption")
    publish(store, manifest, lease)
    reach("rebuild.after_swap")
    _keep_memory(aside, store)
    return manifest


def _keep_memory(aside: Path, store: Path) -> None:
    """Replace what the store remembers of the work tree by what the rebuild found."""
    durable.make_directory(names.stat_cache_file(store).parent)
    for file in (names.stat_cache_file, names.index_state_file):
        with suppress(FileNotFoundError):
            file(aside).replace(file(store))
    durable.sync_directory(store)


def _drop_others(target: SyncTarget, manifest: SnapshotManifest, lease: Lease) -> None:
    """Delete every snapshot, table and image but those of one snapshot.

    Queries that began before may still read them: then all is left for `gc`.
    """
    patience = Patience(Deadline.after(target.clock, _READERS_MS), target.wait)
    named = named_entries(manifest)
    kept = {target.store / name for name in named}
    kept.add(names.manifest_file(target.store, manifest.snapshot_id))
    # Who was stopped and taken over here must not take what its follower published.
    readers = alone(names.readers_lock(target.store), patience)
    with suppress(Busy, LeaseLost), readers, lease.fenced():
        for path in _immutable(target.store):
            if path not in kept:
                _delete(path)
        durable.sync_directory(target.store)


def _immutable(store: Path) -> list[Path]:
    """Return the tables, images and files of snapshots that lie in a store."""
    found = list(store.glob(f"*{names.TABLE_SUFFIX}"))
    found += names.images_dir(store).glob("*")
    found += names.snapshots_dir(store).glob("*/*")
    return sorted(found)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
