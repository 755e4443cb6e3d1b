"""Determines the state of a store: the snapshot that answers queries, and the damage.

Queries, syncs, status, health and repair all determine the state of a store with this module.
"""

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import CorruptStore, GgrepError, IndexDamaged, NoIndex, StoreError
from ggrep.base.ids import StoreId
from ggrep.base.lease import is_live, read_record
from ggrep.config import store_files
from ggrep.index.store.manifest import SnapshotManifest, read_active_manifest
from ggrep.index.store.verify import Mender, Verifier
from ggrep.index.store.view import (
    SnapshotView,
    manifests_newest_first,
    snapshot_ids,
    verified_view,
)
from ggrep.model.index_freshness import Damage


class Judgement(Struct, frozen=True):
    """The state of a store with a published snapshot.

    Attributes:
        manifest: the manifest of the active snapshot; None if it cannot be read.
        view: the snapshot that answers queries; None if no snapshot can, or if an inspection
            detected damaged derived files.
        damage: None for an intact store.
    """

    manifest: SnapshotManifest | None
    view: SnapshotView | None
    damage: Damage | None

    def rebuilt_by(self, rebuild: Callable[[], bool]) -> "Judgement":
        """Return the state; if `rebuild` returns True, its damage is marked as being rebuilt."""
        if self.damage is None or self.damage.code == "index_unreadable" or not rebuild():
            return self
        damage = replace(self.damage, rebuilding=True)
        return replace(self, damage=damage, view=self.view and replace(self.view, damage=damage))

    def answering(self) -> SnapshotView:
        """Return the snapshot that answers queries.

        Raises:
            IndexDamaged: no snapshot can answer.
        """
        if self.view is not None:
            return self.view
        raise IndexDamaged(self.damage.notice.message if self.damage else "")


def judge(
    store: Path,
    *,
    store_id: StoreId | None = None,
    writing: bool = False,
    inspecting: bool = False,
    verifier: Verifier,
) -> Judgement:
    """Return the state of a store; the verifier records the verified artifacts.

    Args:
        store: the store directory.
        store_id: the store's id; snapshots of other stores are rejected.
        writing: whether the caller holds the writer lease.
        inspecting: whether to report damaged derived files instead of falling back to an older
            snapshot, and unreadable files as damage instead of an error.
        verifier: verifies each artifact once, and rebuilds derived files if it has a mender.

    Raises:
        NoIndex: no snapshot was ever published.
        StoreError: an artifact cannot be read now; older snapshots are not used in this case.
        DeadlineExceeded: time ran out.
    """
    try:
        judged = _judge(store, store_id, writing=writing, inspecting=inspecting, verifier=verifier)
    except CorruptStore:
        raise
    except StoreError as error:
        damage = Damage("index_unreadable", str(error))
        if not inspecting:
            raise StoreError(damage.notice.message) from error
        return Judgement(None, None, damage)
    return judged if writing else judged.rebuilt_by(lambda: _is_written(store))


def _judge(
    store: Path,
    store_id: StoreId | None,
    *,
    writing: bool,
    inspecting: bool,
    verifier: Verifier,
) -> Judgement:
    """Return the state of a store whose files can be read."""
    manifest: SnapshotManifest | None = None
    try:
        manifest = read_active_manifest(store)
        if manifest is None:
            raise _without_pointer(store, writing=writing)
        view = verified_view(store, manifest, store_id, verifier)
        return Judgement(manifest, view, view.damage)
    except CorruptStore as error:
        if inspecting and manifest and _derived_alone(manifest, store_id, verifier):
            return Judgement(manifest, None, Damage("image_damaged", str(error)))
        return _stand_in(store, store_id, error, verifier, manifest)


def open_active(
    store: Path,
    *,
    store_id: StoreId | None = None,
    deadline: Deadline | None = None,
    writing: bool = False,
    mender: Mender | None = None,
) -> SnapshotView:
    """Return the verified active snapshot; if it is damaged, the newest valid snapshot.

    Arguments and errors are those of `judge`. The returned view describes the damage.

    Raises:
        IndexDamaged: snapshots exist, but none of them is valid.
    """
    verifier = Verifier(store, deadline=deadline, mender=mender)
    try:
        return judge(store, store_id=store_id, writing=writing, verifier=verifier).answering()
    finally:
        verifier.save()


def newest_valid(
    store: Path,
    manifests: Iterable[SnapshotManifest],
    store_id: StoreId | None,
    verifier: Verifier,
) -> SnapshotView | None:
    """Return the first intact snapshot; None if there is none.

    Args:
        store: the store directory.
        manifests: the manifests to try, newest first.
        store_id: the store's id; snapshots of other stores are skipped.
        verifier: verifies each artifact once, even if several snapshots share it.

    Raises:
        StoreError: an artifact cannot be read now.
        DeadlineExceeded: time ran out.
    """
    for manifest in manifests:
        with suppress(CorruptStore):
            return verified_view(store, manifest, store_id, verifier)
    return None


def is_first_publish(store: Path) -> bool:
    """Return whether a running writer has written a store's first snapshot, but no pointer yet.

    The snapshot can still fail its verification, so it must not answer queries.

    Requires: the pointer is missing.
    """
    files = store_files.lease_files(store)
    if not is_live(files):
        return False
    record = read_record(files.record)
    return record is None or _oldest_epoch(store) >= record.lease_epoch


def _without_pointer(store: Path, *, writing: bool) -> CorruptStore | NoIndex:
    if not snapshot_ids(store) or (not writing and is_first_publish(store)):
        return NoIndex()
    return CorruptStore("ACTIVE_SNAPSHOT is missing")


def _oldest_epoch(store: Path) -> int:
    return min(
        (manifest.lease_epoch for manifest in manifests_newest_first(store)), default=sys.maxsize
    )


def _is_written(store: Path) -> bool:
    """Return whether a writer of the store is running; False if the lease cannot be read."""
    with suppress(GgrepError, OSError):
        return is_live(store_files.lease_files(store))
    return False


def _derived_alone(
    manifest: SnapshotManifest, store_id: StoreId | None, verifier: Verifier
) -> bool:
    """Return whether tables and journal are intact, so that all other files can be rebuilt."""
    with suppress(CorruptStore):
        verifier.figures(manifest, store_id=store_id)
        for segment in manifest.segments:
            verifier.table(segment)
        verifier.journal(manifest)
        return True
    return False


def _stand_in(
    store: Path,
    store_id: StoreId | None,
    cause: CorruptStore,
    verifier: Verifier,
    manifest: SnapshotManifest | None,
) -> Judgement:
    """Return the state of a store with a damaged active snapshot; an older one may answer."""
    view = newest_valid(store, manifests_newest_first(store), store_id, verifier)
    if view is not None:
        shown = view.manifest
        damage = Damage(
            "snapshot_fallback",
            str(cause),
            files=shown.counts.files_indexed,
            eligible=shown.counts.files_eligible,
            created_at=shown.created_at,
        )
        return Judgement(manifest, replace(view, damage=damage), damage)
    if not store.is_dir():
        raise NoIndex from cause
    return Judgement(manifest, None, Damage("index_damaged", str(cause)))
