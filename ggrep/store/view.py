"""The one way to look at a snapshot: its segments with the hidden files masked out.

Nothing else opens segments for a query, so no query can see a dead row.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ggrep.domain.deadline import Deadline
from ggrep.domain.ids import PathKey, SnapshotId, StoreId
from ggrep.domain.limits import Notice
from ggrep.errors import CorruptStore, Incompatible, NoIndex, SnapshotGone
from ggrep.layout import names
from ggrep.lease import is_live
from ggrep.store.active import read_active
from ggrep.store.failures import read_failure
from ggrep.store.image import open_image
from ggrep.store.manifest import SnapshotManifest, read_manifest
from ggrep.store.segment_image import SegmentImage, open_segment_image
from ggrep.store.verify import Verifier


@dataclass(frozen=True, slots=True)
class SegmentView:
    """One segment as a snapshot shows it.

    Attributes:
        visible_files: bool (files,).
    """

    image: SegmentImage
    visible_files: npt.NDArray[np.bool_]

    def visible_rows(self) -> npt.NDArray[np.bool_]:
        """Return bool (rows,): the rows whose file is visible."""
        if self.visible_files.all():
            return np.ones(self.image.rows, dtype=np.bool_)
        return self.visible_files[self.image.row_files]


@dataclass(frozen=True, slots=True)
class SnapshotView:
    """An open snapshot; immutable, and safe to share among queries.

    Attributes:
        notices: what was wrong on the way here, for example that the pointer's snapshot is
            damaged and an older one is shown.
    """

    store: Path
    manifest: SnapshotManifest
    segments: tuple[SegmentView, ...]
    notices: tuple[Notice, ...] = ()

    def live_files(self) -> dict[PathKey, str]:
        """Return the visible files with the SHA-256 of their bytes."""
        found: dict[PathKey, str] = {}
        for segment in self.segments:
            files = zip(segment.image.paths(), segment.image.file_hashes(), strict=True)
            found.update(compress(files, segment.visible_files.tolist()))
        return found

    def shows(self, key: PathKey) -> bool:
        """Tell whether a file is visible."""
        places = ((segment, segment.image.find(key)) for segment in self.segments)
        return any(file is not None and segment.visible_files[file] for segment, file in places)


def open_active(
    store: Path,
    *,
    store_id: StoreId | None = None,
    deadline: Deadline | None = None,
    writing: bool = False,
) -> SnapshotView:
    """Return the active snapshot, verified; the newest valid one when the active is damaged.

    Args:
        store: the store directory.
        store_id: refuse snapshots of another store.
        deadline: checked before each artifact.
        writing: the caller holds the writer lease.

    Raises:
        NoIndex: nothing was ever published.
        CorruptStore: snapshots exist and none is valid.
        StoreError: an artifact cannot be read now; that is no reason to show an older snapshot.
        DeadlineExceeded: time ran out.
    """
    try:
        active = read_active(store)
        if active is None:
            raise _without_pointer(store, writing=writing)
        return open_snapshot(store, active, store_id=store_id, deadline=deadline)
    except CorruptStore as error:
        return _newest_valid(store, store_id, error, deadline)


def open_snapshot(
    store: Path,
    snapshot_id: SnapshotId,
    *,
    store_id: StoreId | None = None,
    deadline: Deadline | None = None,
) -> SnapshotView:
    """Return one snapshot after verifying every artifact it names.

    Raises:
        CorruptStore: an artifact is missing or changed.
        StoreError: an artifact cannot be read now.
        DeadlineExceeded: time ran out; what was verified until then is remembered.
    """
    manifest = read_manifest(store, snapshot_id)
    verifier = Verifier(store, deadline=deadline)
    try:
        verifier.manifest(manifest, store_id=store_id)
    finally:
        verifier.save()
    return view_of(store, manifest)


def newest_epoch(store: Path) -> int:
    """Return the largest lease epoch that a snapshot of the store carries; 0 without any."""
    return max((manifest.lease_epoch for manifest in _manifests(store)), default=0)


def manifests_newest_first(store: Path) -> list[SnapshotManifest]:
    """Return the manifests that can be read, whether or not what they name is whole.

    By epoch first: a writer whose clock runs behind may have published later.
    """
    found = list(_manifests(store))
    return sorted(found, key=lambda m: (m.lease_epoch, m.snapshot_id), reverse=True)


def gone(view: SnapshotView) -> SnapshotGone | NoIndex | None:
    """Return the error to raise when a view's snapshot was removed; None while it is there."""
    if names.manifest_file(view.store, view.manifest.snapshot_id).exists():
        return None
    if not view.store.is_dir():
        return _no_index()
    return SnapshotGone(f"snapshot {view.manifest.snapshot_id} was removed; ask again")


def view_of(store: Path, manifest: SnapshotManifest) -> SnapshotView:
    """Return the view a verified manifest describes."""
    masks = open_image(store / manifest.visibility.path).arrays
    segments = []
    for ref in manifest.segments:
        image = open_segment_image(store, ref.table)
        mask = masks.get(ref.table)
        if mask is None or len(mask) != image.files or image.rows != ref.rows:
            raise CorruptStore(f"{manifest.visibility.path} does not fit segment {ref.table}")
        segments.append(SegmentView(image, mask.view(np.bool_)))
    return SnapshotView(store, manifest, tuple(segments))


def _without_pointer(store: Path, *, writing: bool) -> CorruptStore | NoIndex:
    """Return what a missing pointer means.

    While a writer is at work it is about to be written for the first time: the snapshot that lies
    there may yet fail its verification.
    """
    if not _snapshot_ids(store) or (not writing and is_live(names.lease_files(store))):
        return _no_index()
    return CorruptStore("ACTIVE_SNAPSHOT is missing")


def _newest_valid(
    store: Path, store_id: StoreId | None, cause: CorruptStore, deadline: Deadline | None
) -> SnapshotView:
    """Return the snapshot of the latest writer that is whole."""
    for manifest in manifests_newest_first(store):
        try:
            view = open_snapshot(store, manifest.snapshot_id, store_id=store_id, deadline=deadline)
        except CorruptStore:
            continue
        notice = Notice("snapshot_fallback", f"showing {manifest.snapshot_id}: {cause}")
        return SnapshotView(store, view.manifest, view.segments, (notice,))
    if not store.is_dir():
        raise _no_index() from cause
    raise CorruptStore(f"no snapshot of this store is valid: {cause}; run: ggrep repair") from cause


def _manifests(store: Path) -> Iterator[SnapshotManifest]:
    """Yield the manifests that this build can read."""
    for snapshot_id in _snapshot_ids(store):
        with suppress(CorruptStore, Incompatible):
            yield read_manifest(store, snapshot_id)


def _snapshot_ids(store: Path) -> list[SnapshotId]:
    root = names.snapshots_dir(store)
    try:
        found = [path for path in root.iterdir() if (path / "manifest.json").is_file()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise read_failure(root.name, error) from error
    return [SnapshotId(path.name) for path in found]


def _no_index() -> NoIndex:
    return NoIndex("this repository has no index yet; run: ggrep index")
