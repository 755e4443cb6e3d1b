"""Garbage collection: deletes files that no retained snapshot names.

These snapshots are retained: the active snapshot, snapshots that sessions pin, the newest few
snapshots, and all snapshots that a query can still use. The collector holds the writer lease, so no
publish is in progress. The collector moves the garbage into the store's trash, snapshots first, and
then deletes the trash. During the move the collector holds the readers' lock exclusively, so no
query reads and no session pins a snapshot. A crash at any point leaves files that no snapshot
names; the next collection deletes them.
"""

import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from ggrep.base import durable
from ggrep.base.clock import Clock, Deadline
from ggrep.base.durable import reach
from ggrep.base.errors import CorruptStore, NoIndex
from ggrep.base.ids import SnapshotId
from ggrep.base.lease import Lease
from ggrep.base.locks import Patience, alone
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.manifest import SnapshotManifest, read_active_manifest
from ggrep.index.store.needed_files import entries, named, unnamed
from ggrep.index.store.pins import pinned, sweep_pins
from ggrep.index.store.verify import Verifier
from ggrep.index.store.view import manifests_newest_first
from ggrep.index.sync.record import remember_collection
from ggrep.index.sync.target import SyncTarget
from ggrep.index.sync.writing import holding
from ggrep.model.maintenance import CollectionReport

READERS_MS = 1_000
"""How long a collection waits for queries to end."""


class Retention(Struct, frozen=True):
    """The rule that decides which snapshots are kept.

    Attributes:
        pins: ids of snapshots that sessions use.
    """

    settings: Settings
    now: datetime
    pins: Collection[SnapshotId]

    def keeps(self, manifest: SnapshotManifest, place: int, active: SnapshotId) -> bool:
        """Return whether a snapshot is kept; `place` is its rank by age, 0 for the newest."""
        settings, snapshot_id = self.settings, manifest.snapshot_id
        if snapshot_id == active or snapshot_id in self.pins:
            return True
        if place < settings.retain_snapshots_min:
            return True
        created = datetime.fromisoformat(manifest.created_at)
        return (self.now - created).total_seconds() * 1000 < young_ms(settings)


def due(store: Path, settings: Settings, now: datetime) -> bool:
    """Return whether a collection would probably delete anything; reads no manifests."""
    young_secs = young_ms(settings) / 1000
    ages = []
    for path in entries(store_files.snapshots_dir(store)):
        with suppress(FileNotFoundError):
            ages.append(now.timestamp() - path.stat().st_mtime)
    if len(ages) <= settings.retain_snapshots_min:
        return False
    beyond = sorted(ages)[settings.retain_snapshots_min :]
    return sum(age > young_secs for age in beyond) >= settings.retain_snapshots_min


def young_ms(settings: Settings) -> int:
    """Return the age in milliseconds up to which a query can still use a snapshot."""
    asking = settings.query_timeout_ms + settings.gc_safety_margin_ms
    return max(asking, settings.retain_snapshots_min_age_secs * 1000)


class Garbage(Struct, frozen=True):
    """Files to delete; all paths are below the store.

    Attributes:
        snapshots: ids of the snapshots whose manifests are deleted.
        journals: tombstone and map files to delete.
        first: snapshot directories, or files in a directory that is partly kept; deleted first.
        rest: tables, images and leftovers of dead writers.
    """

    active: SnapshotId
    retained: tuple[SnapshotId, ...]
    snapshots: tuple[SnapshotId, ...]
    journals: tuple[Path, ...]
    first: tuple[Path, ...]
    rest: tuple[Path, ...]


def collect_garbage(
    target: SyncTarget,
    *,
    deadline: Deadline,
    readers_ms: int = READERS_MS,
) -> CollectionReport:
    """Take the writer lease and delete everything that no retained snapshot names.

    Args:
        target: the store.
        deadline: until when to wait for the lease.
        readers_ms: how long to wait for running queries.

    Raises:
        Busy: another writer held the store until the deadline, or a query did not end in time;
            nothing was deleted.
        LeaseLost: another writer took over; nothing was deleted.
        CorruptStore: the active snapshot is damaged, so the files to keep are unknown.
        StoreError: a session's pin cannot be read, so the files to keep are unknown.
        Incompatible: a newer build wrote some snapshot.
        NoIndex: nothing was ever published.
    """
    with holding(target, deadline) as lease:
        report = _collect(target, lease, readers_ms)
        if report.freed_bytes:
            remember_collection(target, report.duration_ms)
        return report


def _collect(target: SyncTarget, lease: Lease, readers_ms: int) -> CollectionReport:
    store, clock = target.store, target.clock
    started_ms = clock.monotonic_ms()
    now = clock.now()
    known = known_snapshots(store)  # under the lease no snapshot changes; queries need not wait yet
    deadline = Deadline.after(clock, readers_ms)
    readers = Patience(deadline, target.wait, "a query is reading")
    # Also inside the lease's guard: a suspended collector that lost its lease could otherwise
    # delete files that another writer has published since.
    with alone(store_files.readers_lock(store), readers), lease.fenced():
        retention = Retention(target.settings, now, pinned(store, now))
        garbage = find_garbage(store, *known, retention)
        freed = _size(garbage)
        reach("gc.after_list")
        _move_to_trash(store, garbage)
        sweep_pins(store, now)
    _empty_trash(store)
    return _report(store, garbage, freed, round(clock.monotonic_ms() - started_ms), dry_run=False)


def preview(store: Path, settings: Settings, clock: Clock) -> CollectionReport:
    """Return the files that `collect_garbage` would delete now; takes no lock.

    Raises:
        CorruptStore, Incompatible, NoIndex: as `collect_garbage`.
    """
    started_ms = clock.monotonic_ms()
    now = clock.now()
    retention = Retention(settings, now, pinned(store, now))
    garbage = find_garbage(store, *known_snapshots(store), retention)
    elapsed = round(clock.monotonic_ms() - started_ms)
    return _report(store, garbage, _size(garbage), elapsed, dry_run=True)


def known_snapshots(store: Path) -> tuple[SnapshotId, Sequence[SnapshotManifest]]:
    """Return the id of the active snapshot, and the manifests of all readable ones, newest first.

    Unreadable snapshots are omitted, as no query can open them. A damaged active snapshot is an
    error, because queries may then need an older snapshot, which must not be deleted.

    Raises:
        CorruptStore, Incompatible, NoIndex: as `collect_garbage`.
    """
    manifest = read_active_manifest(store)
    if manifest is None:
        raise NoIndex
    verifier = Verifier(store)
    verifier.manifest(manifest)
    verifier.save()
    return manifest.snapshot_id, manifests_newest_first(store, passing_over=(CorruptStore,))


def find_garbage(
    store: Path, active: SnapshotId, manifests: Sequence[SnapshotManifest], retention: Retention
) -> Garbage:
    """Return all files that no retained snapshot names; `manifests` has the newest first."""
    retained = [m for place, m in enumerate(manifests) if retention.keeps(m, place, active)]
    staying = {manifest.snapshot_id for manifest in retained}
    kept = frozenset().union(*(named(store, manifest) for manifest in retained))
    rest = unnamed(store, kept)
    return Garbage(
        active=active,
        retained=tuple(sorted(staying)),
        snapshots=tuple(sorted({m.snapshot_id for m in manifests} - staying)),
        journals=tuple(_journals(rest.snapshots)),
        first=rest.snapshots,
        rest=(*rest.segments, *rest.leftovers),
    )


def _journals(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        for file in (path, *entries(path)):
            if file.name in {store_files.TOMBSTONES, store_files.SEGMENT_MAP}:
                yield file


def _move_to_trash(store: Path, garbage: Garbage) -> None:
    """Move all garbage to the trash, snapshots first, and make the move durable."""
    trash = store_files.store_trash_dir(store)
    paths = (*garbage.first, *(path for path in garbage.rest if path.parent != trash))
    if not paths:
        return
    durable.make_directory(trash)
    for number, path in enumerate(paths):
        if number == len(garbage.first):
            _sync_parents(garbage.first)
            reach("gc.after_manifests")
        path.replace(_free_place(trash, path))
    _sync_parents(paths)
    reach("gc.after_move")


def _free_place(trash: Path, path: Path) -> Path:
    name = f"{path.parent.name}-{path.name}"
    number, place = 0, trash / name
    while place.exists():
        number, place = number + 1, trash / f"{name}.{number}"
    return place


def _sync_parents(paths: Iterable[Path]) -> None:
    for directory in sorted({path.parent for path in paths}):
        with suppress(FileNotFoundError):
            durable.sync_directory(directory)


def _empty_trash(store: Path) -> None:
    """Delete the trash; the next collection retries files that cannot be deleted now."""
    for path in entries(store_files.store_trash_dir(store)):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()
        reach("gc.after_delete")


def _size(garbage: Garbage) -> int:
    return sum(
        store_bytes(path) if path.is_dir() else path.stat().st_size
        for path in (*garbage.first, *garbage.rest)
        if path.exists()
    )


def _report(
    store: Path, garbage: Garbage, freed: int, duration_ms: int, *, dry_run: bool
) -> CollectionReport:
    tables = [path.stem for path in garbage.rest if path.suffix == store_files.TABLE_SUFFIX]
    return CollectionReport(
        store_id=store.name,
        dry_run=dry_run,
        active_snapshot_id=garbage.active,
        retained_snapshots=garbage.retained,
        deleted_snapshots=garbage.snapshots,
        deleted_segments=tuple(sorted(tables)),
        deleted_tombstones=tuple(
            sorted(path.relative_to(store).as_posix() for path in garbage.journals)
        ),
        freed_bytes=freed,
        duration_ms=duration_ms,
    )
