"""The one way to look at a snapshot: its segments with the hidden files masked out.

Nothing else opens segments for a query, so no query can see a dead row.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ggrep.domain.ids import PathKey, SnapshotId, StoreId
from ggrep.domain.limits import Notice
from ggrep.errors import CorruptStore, NoIndex
from ggrep.layout import names
from ggrep.store.active import read_active
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
            for file in np.flatnonzero(segment.visible_files):
                found[segment.image.path(int(file))] = segment.image.file_hash(int(file))
        return found


def open_active(store: Path, *, store_id: StoreId | None = None) -> SnapshotView:
    """Return the active snapshot, verified; the newest valid one when the active is damaged.

    Raises:
        NoIndex: nothing was ever published.
        CorruptStore: snapshots exist and none is valid.
    """
    try:
        active = read_active(store)
        if active is None:
            if any(_snapshot_ids(store)):
                raise CorruptStore("ACTIVE_SNAPSHOT is missing")  # noqa: TRY301 - same recovery
            raise NoIndex("this repository has no index yet; run: ggrep index")
        return open_snapshot(store, active, store_id=store_id)
    except CorruptStore as error:
        return _newest_valid(store, store_id, error)


def open_snapshot(
    store: Path, snapshot_id: SnapshotId, *, store_id: StoreId | None = None
) -> SnapshotView:
    """Return one snapshot after verifying every artifact it names.

    Raises:
        CorruptStore: an artifact is missing or changed.
    """
    manifest = read_manifest(store, snapshot_id)
    verifier = Verifier(store)
    verifier.manifest(manifest, store_id=store_id)
    verifier.save()
    return view_of(store, manifest)


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


def _newest_valid(store: Path, store_id: StoreId | None, cause: CorruptStore) -> SnapshotView:
    for snapshot_id in sorted(_snapshot_ids(store), reverse=True):
        try:
            view = open_snapshot(store, snapshot_id, store_id=store_id)
        except CorruptStore:
            continue
        notice = Notice("snapshot_fallback", f"showing {snapshot_id}: {cause}")
        return SnapshotView(store, view.manifest, view.segments, (notice,))
    raise CorruptStore(f"no snapshot of this store is valid: {cause}") from cause


def _snapshot_ids(store: Path) -> list[SnapshotId]:
    root = names.snapshots_dir(store)
    if not root.is_dir():
        return []
    return [SnapshotId(path.name) for path in root.iterdir() if (path / "manifest.json").is_file()]
