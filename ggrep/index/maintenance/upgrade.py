"""Converts a store to the formats of this build, without indexing again.

The active snapshot is published again, with the same visible files. No file is changed in place:
the previous snapshot answers until the pointer is replaced, and is then kept like any older
snapshot.
"""

from typing import cast

from msgspec.structs import replace

from ggrep.base.errors import Incompatible, NoIndex
from ggrep.base.formats import INDEX_STATE, MANIFEST
from ggrep.base.ids import RepoId, SnapshotId
from ggrep.base.lease import Lease
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.active import read_active
from ggrep.index.store.store_opening import admit_writer
from ggrep.index.store.store_versions import in_current_layout, require_rows, version_in
from ggrep.index.store.transaction import prepare_store
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.index_state import SyncedGit, read_index_state, write_index_state
from ggrep.index.sync.snapshot_assembly import Facts, publish_snapshot, shown_by
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.writing import open_whole, writing
from ggrep.model.maintenance import FromVersionsJson, ToVersionsJson, UpgradeReport


def upgrade_store(target: SyncTarget, *, repo_id: RepoId) -> UpgradeReport:
    """Publish the active snapshot of a store again if its format is older.

    Args:
        target: the repository with its current settings, and its store.
        repo_id: the prefix of the names of all stores of the repository.

    Raises:
        NoIndex: nothing was ever published.
        Incompatible: a newer build wrote the store, or it must be indexed again.
        CorruptStore: the active snapshot is damaged.
        Busy: another writer held the store for too long.
    """
    _require_store(target, repo_id)
    _check_versions(target)  # checked before any lock or write
    admit_writer(target.store, shared=target.settings.shared_store)
    with writing(target) as lease:
        versions = _check_versions(target)
        view = open_whole(target, writing=True)
        wanted = {MANIFEST.artifact: MANIFEST.writes, INDEX_STATE.artifact: INDEX_STATE.writes}
        upgraded = any(versions[name] not in {None, wanted[name]} for name in wanted)
        snapshot_id = view.manifest.snapshot_id
        if upgraded:
            prepare_store(target.store, lease)
            snapshot_id = _publish_anew(target, lease, view)
        return UpgradeReport(
            store_id=target.store_id,
            snapshot_id=snapshot_id,
            upgraded=upgraded,
            from_versions=cast(FromVersionsJson, versions),
            to_versions=cast(ToVersionsJson, wanted),
        )


def _require_store(target: SyncTarget, repo_id: RepoId) -> None:
    """Raise if the repository has no store for the current settings and this build."""
    if target.store.is_dir():
        return
    others = sorted(path.name for path in Home.of_store(target.store).data.glob(f"{repo_id}-*"))
    if others:
        raise Incompatible(
            f"{others[0]} was indexed under other settings or by another build:"
            " reindex required; run: ggrep index"
        )
    raise NoIndex


def _check_versions(target: SyncTarget) -> dict[str, int | None]:
    """Return the versions of a store's artifacts; raise if this build cannot convert one."""
    active = read_active(target.store)
    if active is None:
        raise NoIndex
    manifest_file = store_files.manifest_file(target.store, active)
    state_file = store_files.index_state_file(target.store)
    require_rows(manifest_file)
    versions: dict[str, int | None] = {}
    for artifact, file in ((MANIFEST, manifest_file), (INDEX_STATE, state_file)):
        version = version_in(file, artifact)
        artifact.check(version)
        versions[artifact.artifact] = version
    return versions


def _publish_anew(target: SyncTarget, lease: Lease, view: SnapshotView) -> SnapshotId:
    manifest = view.manifest
    shown = [
        replace(item, ref=in_current_layout(target.store, item.ref)) for item in shown_by(view)
    ]
    snapshot_id = SnapshotId(target.new_id())
    facts = Facts.of(manifest)
    publish_snapshot(target, lease, snapshot_id, shown, facts, parent=manifest, additions=None)
    path = store_files.index_state_file(target.store)
    state = read_index_state(path)
    if state is not None:
        synced = SyncedGit.of(manifest.git)
        write_index_state(path, replace(state, active_snapshot_id=snapshot_id, git=synced))
    return snapshot_id
