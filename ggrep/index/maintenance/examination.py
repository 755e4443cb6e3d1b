"""Opens a store read-only and lists its damage.

`store.judging` determines the snapshot that answers queries, and the first damage. This module
lists all damage of the active snapshot.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from msgspec import Struct

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import CorruptStore, GgrepError, LoadError, NoIndex, StoreError
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.base.locks import Patience, shared
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.store.judging import Judgement, judge
from ggrep.index.store.manifest import SnapshotManifest, read_active_manifest
from ggrep.index.store.needed_files import file_refs
from ggrep.index.store.verify import Verifier
from ggrep.index.store.view import SnapshotView, manifests_newest_first, snapshot_ids, view_of
from ggrep.index.sync.index_state import IndexState
from ggrep.model.daemons import DaemonLoad
from ggrep.model.index_freshness import Damage

_READERS_MS = 10_000
"""How long an examination waits for a collection or removal to end."""


class Fault(Struct, frozen=True):
    """An artifact that differs from its record in the manifest.

    Attributes:
        artifact: a table's name, or a path inside the store.
        missing: the file does not exist.
    """

    artifact: str
    message: str
    missing: bool


class Examination(Struct, frozen=True):
    """The state of the active snapshot on disk.

    Attributes:
        deep: whether every artifact was hashed again.
        manifest: the manifest that the pointer names; None if it cannot be read.
        problem: why the manifest cannot be read; empty if it was read.
        faults: damaged artifacts, in the order of the manifest.
        view: the opened snapshot; None if it has faults.
        damage: the damage that each answer reports; None for an intact store.
        shown: the snapshot that answers queries; None if no snapshot can.
        snapshots: the ids of all snapshots with a manifest.
        readable: the readable manifests, newest first.
        verifier: verifies the artifacts; a file of several snapshots is hashed once.
    """

    store: Path
    store_id: StoreId
    deep: bool
    manifest: SnapshotManifest | None
    problem: str
    faults: tuple[Fault, ...]
    view: SnapshotView | None
    damage: Damage | None
    shown: SnapshotView | None
    snapshots: tuple[SnapshotId, ...]
    readable: tuple[SnapshotManifest, ...]
    verifier: Verifier

    def is_sound(self, artifact: str) -> bool:
        """Return whether an artifact equals its published content."""
        return all(fault.artifact != artifact for fault in self.faults)


class Subject(Struct, frozen=True):
    """A store under a health check, and the values to compare it with.

    Attributes:
        root: the repository; None to check only the store.
        state: the record of the last sync; None if it cannot be read.
        load: the measurements of the store's daemon; None if no daemon runs.
    """

    examination: Examination
    settings: Settings
    root: Path | None
    state: IndexState | None
    load: DaemonLoad | None
    clock: Clock


@contextmanager
def reading(store: Path, clock: Clock) -> Iterator[None]:
    """Prevent the collection and removal of a store's files in the block.

    Raises:
        NoIndex: the store does not exist.
        Busy: a collection or removal did not end in time.
    """
    if not store.is_dir():
        raise NoIndex
    deadline = Deadline.after(clock, _READERS_MS)
    with shared(
        store_files.readers_lock(store),
        Patience(deadline, time.sleep, "another process is cleaning or removing this store"),
    ):
        yield


def examine(
    store: Path,
    store_id: StoreId,
    *,
    deep: bool,
    deadline: Deadline | None = None,
    rebuild: Callable[[], bool] = lambda: False,
) -> Examination:
    """Return the state of the active snapshot on disk.

    Args:
        store: the store directory.
        store_id: the id that its snapshots must have.
        deep: hash every artifact again, even if it was verified before.
        deadline: checked before each artifact.
        rebuild: called for a damaged store; requests a sync and returns whether the sync will run.

    Raises:
        DeadlineExceeded: time ran out.
        Cancelled: the caller gave up.
    """
    verifier = Verifier(store, full=deep, deadline=deadline)
    known, readable = _snapshots(store)
    manifest, problem, view = None, "", None
    faults: tuple[Fault, ...] = ()
    judged = _judged(store, store_id, verifier, rebuild)
    try:
        manifest = read_active_manifest(store)
        if manifest is None:
            raise CorruptStore(
                "ACTIVE_SNAPSHOT is missing"
                if known
                else "this repository has no index yet; run: ggrep index"
            )
        faults = faults_of(store, manifest, store_id, verifier)
        view = None if faults else view_of(store, manifest)
    except LoadError:
        raise
    except GgrepError as error:
        if manifest is None:
            problem = str(error)
        else:
            faults = (Fault(manifest.visibility.path, str(error), missing=False),)
    return Examination(
        store=store,
        store_id=store_id,
        deep=deep,
        manifest=manifest,
        problem=problem,
        faults=faults,
        view=view,
        damage=judged.damage if judged else None,
        shown=judged.view if judged else None,
        snapshots=known,
        readable=readable,
        verifier=verifier,
    )


def _snapshots(store: Path) -> tuple[tuple[SnapshotId, ...], tuple[SnapshotManifest, ...]]:
    """Return the ids of all snapshots, and the manifests that can be read, newest first."""
    try:
        known = tuple(snapshot_ids(store))
        return known, tuple(manifests_newest_first(store, passing_over=(GgrepError,)))
    except StoreError:
        return (), ()  # the error about the pointer's manifest says why


def _judged(
    store: Path, store_id: StoreId, verifier: Verifier, rebuild: Callable[[], bool]
) -> Judgement | None:
    """Return the judgement of a store; None if it was never published or cannot be read."""
    try:
        judged = judge(store, store_id=store_id, inspecting=True, verifier=verifier)
    except LoadError:
        raise
    except GgrepError:
        return None
    return judged.rebuilt_by(rebuild)


def faults_of(
    store: Path, manifest: SnapshotManifest, store_id: StoreId, verifier: Verifier
) -> tuple[Fault, ...]:
    """Return the damaged artifacts of a snapshot, in the order of the manifest."""
    described = f"manifest of {manifest.snapshot_id}"
    steps: list[tuple[str, Path, Callable[[], None]]] = [
        (described, store, partial(verifier.figures, manifest, store_id=store_id))
    ]
    for segment in manifest.segments:
        table = store_files.table_dir(store, segment.table)
        steps.append((segment.table, table, partial(verifier.table, segment)))
    steps += [
        (ref.path, store / ref.path, partial(verifier.file, ref)) for ref in file_refs(manifest)
    ]
    faults = []
    for artifact, path, verify in steps:
        try:
            verify()
        except StoreError as error:
            faults.append(Fault(artifact, str(error), missing=not path.exists()))
    return tuple(faults)
