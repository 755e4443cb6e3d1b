"""Publishes a snapshot atomically.

The steps in order, and the state after a crash following each step:

1. segments written and synced (`segment.write_segment`): unreferenced files, never opened,
   collected later.
2. journal and visibility staged, synced, the directory renamed into `snapshots/`: a snapshot
   without a manifest, never opened.
3. manifest written and synced: a complete snapshot without a pointer; recovery uses it if the
   active one is damaged. While the writer lives, a store without a pointer has no index
   (`judging.open_active`).
4. manifest read back, every artifact verified: the same state as after step 3.
5. under the lease's guard, the epoch checked, and the pointer replaced and synced: the new snapshot
   is active. The lease cannot be taken over between the check and the swap.
"""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.durable import reach
from ggrep.base.ids import PathKey, SegmentName, SnapshotId
from ggrep.base.lease import Lease
from ggrep.config import store_files
from ggrep.index.store.active import swap_active
from ggrep.index.store.image import Array, write_image
from ggrep.index.store.journal import Tombstone, write_segment_map, write_tombstones
from ggrep.index.store.manifest import FileRef, SnapshotManifest, read_manifest, to_bytes
from ggrep.index.store.segment import image_ref
from ggrep.index.store.verify import Verifier


class Journal(Struct, frozen=True):
    """The changes of a publish.

    Attributes:
        places: the live segment of each changed path; None for a removed path.
        masks: bool (files,) for every segment of the new snapshot.
        after: the snapshot whose journal files remain valid; None if `tombstones` and `places`
            describe the whole new snapshot.
    """

    tombstones: tuple[Tombstone, ...]
    places: Mapping[PathKey, SegmentName | None]
    masks: Mapping[SegmentName, npt.NDArray[np.bool_]]
    after: SnapshotManifest | None


class Staged(Struct, frozen=True):
    """References to the journal and the masks of a snapshot, new or reused."""

    tombstones: tuple[FileRef, ...]
    segment_map: tuple[FileRef, ...]
    visibility: FileRef


def stage(store: Path, snapshot_id: SnapshotId, journal: Journal) -> Staged:
    """Write the journal and masks of a snapshot and sync them."""
    staging = store_files.staging_dir(store) / snapshot_id
    durable.make_directory(staging)
    relative = f"snapshots/{snapshot_id}/"
    tombstones = journal.after.tombstones if journal.after else ()
    segment_map = journal.after.segment_map if journal.after else ()
    if journal.tombstones:
        path = staging / store_files.TOMBSTONES
        written = write_tombstones(path, relative + path.name, journal.tombstones)
        tombstones = (*tombstones, written)
    reach("publish.after_tombstones")
    path = staging / store_files.SEGMENT_MAP
    segment_map = (*segment_map, write_segment_map(path, relative + path.name, journal.places))
    reach("publish.after_segment_map")
    visibility = staging / store_files.VISIBILITY
    masks: dict[str, Array] = {key: mask.view(np.uint8) for key, mask in journal.masks.items()}
    write_image(visibility, masks, {}, lasting=False)
    durable.sync_tree(staging)
    reach("publish.after_visibility")
    home = store_files.snapshot_dir(store, snapshot_id)
    durable.make_directory(home.parent)
    staging.replace(home)
    reach("publish.after_move")
    # The parent of the old name is also synced: after a power cut the old name could reappear, and
    # the next writer would delete it.
    for directory in (staging.parent, home.parent, store):
        durable.sync_directory(directory)
    return Staged(tombstones, segment_map, image_ref(store, home / store_files.VISIBILITY))


def publish(store: Path, manifest: SnapshotManifest, lease: Lease) -> None:
    """Write the manifest and make its snapshot active.

    Requires: the snapshot's segments and journal are staged and synced.

    Raises:
        CorruptStore: an artifact differs from the manifest, or the manifest cannot be read back;
            the pointer is unchanged.
        LeaseLost: another writer took over; the pointer is unchanged.
    """
    path = store_files.manifest_file(store, manifest.snapshot_id)
    reach("publish.before_manifest")
    durable.replace_file(path, to_bytes(replace(manifest, lease_epoch=lease.epoch)))
    reach("publish.after_manifest")
    manifest = read_manifest(store, manifest.snapshot_id)
    verifier = Verifier(store)
    verifier.manifest(manifest)
    verifier.save(only=manifest)
    reach("publish.after_verification")
    with lease.fenced():
        reach("publish.before_swap")
        swap_active(store, manifest.snapshot_id)
        reach("publish.after_swap")


def prepare_store(store: Path, lease: Lease) -> None:
    """Create the store's directory and remove temporary files of dead writers.

    Requires: the caller holds the writer lease, so that no store is created during its removal.
    """
    with lease.fenced():  # a running successor can be staging files
        durable.make_directory(store, lasting=True)
        shutil.rmtree(store_files.staging_dir(store), ignore_errors=True)
        for file in _replaced_files(store):
            durable.sweep_leftovers(file)
    reach("publish.after_preparation")


def _replaced_files(store: Path) -> Iterable[Path]:
    """Yield the files for which a dead writer can have left a temporary file."""
    yield store_files.active_file(store)
    yield store_files.index_state_file(store)
    yield store_files.stat_cache_file(store)
    yield store_files.unchanged_file(store)
    yield store_files.last_used_file(store)
    yield store_files.healed_file(store)
    yield store_files.verified_file(store)  # a reader that is writing this record fails
