"""Publishing a snapshot: all of it or nothing.

Order, and what a crash after each step leaves behind:

1. segments written and synced (`segment.write_segment`): orphans, never opened.
2. journal and visibility staged, synced, the directory renamed into `snapshots/`: a snapshot
   without a manifest, never opened.
3. manifest written and synced: a complete snapshot that nobody points at; it is what recovery
   falls back to when the pointer's own is damaged. While the writer lives, a store without a
   pointer has no index (`view.open_active`).
4. manifest read back, every artifact verified, the lease's epoch checked: as 3.
5. pointer replaced and synced: the new snapshot is active.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ggrep import durable
from ggrep.domain.ids import PathKey, SegmentName, SnapshotId
from ggrep.layout import names
from ggrep.lease import Lease
from ggrep.store.active import swap_active
from ggrep.store.image import write_image
from ggrep.store.journal import (
    MAX_DELTAS,
    Tombstone,
    read_segment_map,
    read_tombstones,
    write_segment_map,
    write_tombstones,
)
from ggrep.store.manifest import FileRef, SnapshotManifest, read_manifest, to_bytes
from ggrep.store.segment import file_ref
from ggrep.store.verify import Verifier


@dataclass(frozen=True, slots=True)
class Journal:
    """What a publish adds to the view.

    Attributes:
        places: the live segment of each path that changed; None for a path that is gone.
        masks: bool (files,) for every segment of the new snapshot.
    """

    tombstones: tuple[Tombstone, ...]
    places: Mapping[PathKey, SegmentName | None]
    masks: Mapping[SegmentName, npt.NDArray[np.bool_]]


def stage(
    store: Path,
    snapshot_id: SnapshotId,
    journal: Journal,
    parent: SnapshotManifest | None,
    *,
    rewrite: bool,
) -> tuple[tuple[FileRef, ...], tuple[FileRef, ...], FileRef]:
    """Write a snapshot's own files; return tombstones, segment map and visibility references.

    Args:
        store: the store directory.
        snapshot_id: the snapshot being put together.
        journal: what it adds.
        parent: the snapshot it follows.
        rewrite: write journal files anew, without the parent's; also done when the parent
            lists too many.
    """
    staging = names.staging_dir(store) / snapshot_id
    durable.make_directory(staging)
    relative = f"snapshots/{snapshot_id}/"
    old_tombstones = parent.tombstones if parent else ()
    old_map = parent.segment_map if parent else ()
    tombstones, places = list(journal.tombstones), dict(journal.places)
    if rewrite or len(old_map) >= MAX_DELTAS:
        tombstones, places = _fold(store, parent, journal, keep_tombstones=not rewrite)
        old_tombstones, old_map = (), ()
    refs_t, refs_m = old_tombstones, old_map
    if tombstones:
        path = staging / names.TOMBSTONES
        refs_t = (*old_tombstones, write_tombstones(path, relative + path.name, tombstones))
    path = staging / names.SEGMENT_MAP
    refs_m = (*old_map, write_segment_map(path, relative + path.name, places))
    visibility = staging / names.VISIBILITY
    write_image(visibility, {name: mask.view(np.uint8) for name, mask in journal.masks.items()}, {})
    durable.sync_directory(staging)
    home = names.snapshot_dir(store, snapshot_id)
    durable.make_directory(home.parent)
    staging.replace(home)
    durable.sync_directory(staging.parent)
    durable.sync_directory(home.parent)
    durable.sync_directory(store)
    return refs_t, refs_m, file_ref(store, home / names.VISIBILITY, count=0)


def publish(store: Path, manifest: SnapshotManifest, lease: Lease) -> None:
    """Write the manifest and make its snapshot active.

    Requires: its segments and journal are staged and durable.

    Raises:
        CorruptStore: an artifact is not what the manifest says, or the manifest cannot be read
            back; the pointer is untouched.
        LeaseLost: another writer took over; the pointer is untouched.
    """
    path = names.manifest_file(store, manifest.snapshot_id)
    durable.replace_file(path, to_bytes(replace(manifest, lease_epoch=lease.epoch)))
    manifest = read_manifest(store, manifest.snapshot_id)
    verifier = Verifier(store)
    verifier.manifest(manifest)
    verifier.save(only=manifest)
    lease.check()  # directly before the swap: a writer fenced off in the meantime stops here
    swap_active(store, manifest.snapshot_id)


def prepare_store(store: Path) -> None:
    """Create the store's directory and remove what dead writers left in it.

    Requires: the caller holds the writer lease: a store that is being removed must not come back.
    """
    durable.make_directory(store, lasting=True)
    shutil.rmtree(names.staging_dir(store), ignore_errors=True)
    for file in (names.active_file, names.index_state_file, names.stat_cache_file):
        durable.sweep_leftovers(file(store))
    durable.sweep_leftovers(names.verified_file(store))  # a reader that writes it may fail


def _fold(
    store: Path, parent: SnapshotManifest | None, journal: Journal, *, keep_tombstones: bool
) -> tuple[list[Tombstone], dict[PathKey, SegmentName | None]]:
    places: dict[PathKey, SegmentName | None] = {}
    tombstones = {item.path_key: item for item in journal.tombstones}
    if parent is not None:
        places |= read_segment_map(store, parent.segment_map)
        if keep_tombstones:
            for key in read_tombstones(store, parent.tombstones):
                tombstones.setdefault(key, Tombstone(key, "replace"))
    places |= journal.places
    return list(tombstones.values()), {k: v for k, v in places.items() if v is not None}
