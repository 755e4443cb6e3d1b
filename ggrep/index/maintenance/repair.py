"""Repair: rebuilds damaged parts, from the index itself where possible.

Derived files are rebuilt from the tables. Only the rows of a lost table are built again from the
work tree: a repair is a sync that continues from the sound segments of the newest snapshot. Files
that the sound segments do not show are indexed. All other files are compared by their stat, as in
any sync. A repair therefore reaches the same state as a sync of an intact store. The repair
succeeds only if every artifact of the new snapshot has its recorded hash.
"""

from ggrep.base.clock import Deadline
from ggrep.base.errors import CorruptStore, GgrepError, NoIndex
from ggrep.index.store.active import has_index
from ggrep.index.store.judging import judge
from ggrep.index.store.manifest import read_active_manifest
from ggrep.index.store.salvage import Salvage, salvage
from ggrep.index.store.verify import Verifier
from ggrep.index.store.view import SnapshotView, view_of
from ggrep.index.sync.healing import Healer, read_healed
from ggrep.index.sync.sync_report import Progress
from ggrep.index.sync.syncer import sync
from ggrep.index.sync.target import SyncTarget
from ggrep.model.maintenance import RepairedFiles, RepairReport
from ggrep.model.sanitise import sanitise_line


def repair(
    target: SyncTarget, *, deadline: Deadline | None = None, progress: Progress = lambda _: None
) -> RepairReport:
    """Rebuild only the damaged parts of the active snapshot.

    If every part is damaged, all files are indexed.

    Raises:
        NoIndex: nothing was ever published.
        Busy, SyncRefused, BudgetExceeded: as `sync`.
    """
    started_ms = target.clock.monotonic_ms()
    salvages: list[Salvage] = []
    damage: list[str] = []
    healer = Healer(target.store, target.clock, deadline)
    earlier = read_healed(target.store)
    before = _cause(target)

    def opening(target: SyncTarget) -> SnapshotView | None:
        """Return a view of the sound segments. Requires: the lease is held."""
        if not has_index(target.store):
            raise NoIndex
        try:
            view = _whole(target, healer)
            if view is not None:
                return view
            damage.append("ACTIVE_SNAPSHOT is missing")
        except CorruptStore as error:
            damage.append(str(error))
        salvaged = salvage(target.store, target.store_id, healer)
        if salvaged is None:
            return None
        salvages.append(salvaged)
        return salvaged.view

    report = sync(target, deadline=deadline, progress=progress, opening=opening)
    _whole(target, healer)
    damage += [f"{file} was lost or damaged" for file in healer.healed]
    if before is not None and not damage and read_healed(target.store) != earlier:
        damage.append(before)  # another writer rebuilt the part while this repair waited
    return RepairReport(
        store_id=target.store_id,
        performed=bool(damage),
        damage=sanitise_line(damage[0]) if damage else None,
        healed=tuple(healer.healed),
        lost_segments=salvages[0].lost if salvages else (),
        files=RepairedFiles(report.files.indexed, report.files.deleted, report.files.unchanged),
        snapshot_id=report.snapshot_id,
        duration_ms=round(target.clock.monotonic_ms() - started_ms),
    )


def _cause(target: SyncTarget) -> str | None:
    """Return the cause of the store's damage, if any; called before waiting for the lease.

    Another writer may repair the store during the wait.
    """
    try:
        verifier = Verifier(target.store)
        judged = judge(target.store, store_id=target.store_id, inspecting=True, verifier=verifier)
    except GgrepError:
        return None
    return judged.damage.cause if judged.damage else None


def _whole(target: SyncTarget, healer: Healer) -> SnapshotView | None:
    """Hash the whole active snapshot and return it; None if no pointer names a snapshot.

    Artifacts that were recorded as damaged but are sound are recorded as sound.
    """
    manifest = read_active_manifest(target.store)
    if manifest is None:
        return None
    verifier = Verifier(target.store, full=True, mender=healer)
    verifier.manifest(manifest, store_id=target.store_id)
    verifier.save(only=manifest)
    return view_of(target.store, manifest)
