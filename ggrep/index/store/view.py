"""Reads a snapshot: its segments without the hidden files.

Queries open segments only with this module, so no query can return a hidden row.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from itertools import compress
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.cache import Cache
from ggrep.base.clock import Deadline
from ggrep.base.errors import CorruptStore, GgrepError, Incompatible, NoIndex, SnapshotGone
from ggrep.base.ids import PathKey, SnapshotId, StoreId
from ggrep.config import store_files
from ggrep.index.store.image import open_image
from ggrep.index.store.manifest import SnapshotManifest, read_manifest
from ggrep.index.store.read_failures import read_failure
from ggrep.index.store.segment_image import SegmentImage, open_segment_image
from ggrep.index.store.verify import Mender, Stamp, Verifier, lie_still
from ggrep.model.files import DATA, GENERATED, MACHINE_WRITTEN, MINIFIED, SHORTENED
from ggrep.model.index_freshness import Damage
from ggrep.model.limits import Notice
from ggrep.model.status import GeneratedCounts


class SegmentView(Struct, frozen=True):
    """One segment of a snapshot, with its visible files.

    Attributes:
        visible_files: bool (files,).
    """

    image: SegmentImage
    visible_files: npt.NDArray[np.bool_]

    def visible_rows(self) -> npt.NDArray[np.bool_]:
        """Return bool (rows,): the rows of visible files."""
        if self.visible_files.all():
            return np.ones(self.image.rows, dtype=np.bool_)
        return self.visible_files[self.image.row_files]


class SnapshotView(Struct, frozen=True, eq=False):
    """An open snapshot; immutable, so that several queries can share it.

    Attributes:
        damage: the damage of the store; None if this is the active snapshot and it is intact.
        stamps: the stats of the snapshot's files at their verification.
        derived: cached values that other packages computed from the snapshot.
    """

    store: Path
    manifest: SnapshotManifest
    segments: tuple[SegmentView, ...]
    damage: Damage | None = None
    stamps: Mapping[str, Stamp] = field(default_factory=dict)
    derived: Cache = field(default_factory=Cache)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Return the warnings that every answer from the snapshot contains."""
        return () if self.damage is None else (self.damage.notice,)

    def lies_still(self) -> bool:
        """Return whether all files are unchanged since their verification.

        The files are checked before every query, because reading a mapped file that was truncated
        would end the process. The check takes about two microseconds per file; no file is hashed.
        """
        return lie_still(self.stamps)

    def require_intact(self, members: Collection[int]) -> None:
        """Do nothing, because the files of a single snapshot are checked once, before a query."""

    def gone(self) -> SnapshotGone | NoIndex | None:
        """Return the error to raise if the snapshot was removed; None if it exists."""
        if store_files.manifest_file(self.store, self.manifest.snapshot_id).exists():
            return None
        if not self.store.is_dir():
            return NoIndex()
        return SnapshotGone(f"snapshot {self.manifest.snapshot_id} was removed; ask again")

    def live_files(self) -> dict[PathKey, str]:
        """Return the visible files with the SHA-256 of their bytes."""
        hashes: dict[PathKey, str] = {}
        for segment in self.segments:
            files = zip(segment.image.paths(), segment.image.file_hashes(), strict=True)
            hashes.update(compress(files, segment.visible_files.tolist()))
        return hashes

    def files_of(self, trait: int) -> list[PathKey]:
        """Return the visible files with a trait of `ggrep.model.files`, in byte order."""
        keys = [
            segment.image.path(int(file))
            for segment in self.segments
            for file in np.flatnonzero((segment.image.file_traits & trait) * segment.visible_files)
        ]
        return sorted(keys, key=lambda key: key.encode())

    def files_in(self, wanted: Callable[[str], bool]) -> dict[str, list[PathKey]]:
        """Return the visible files of the wanted languages, by language; both in byte order."""
        files: dict[str, list[PathKey]] = {}
        for segment in self.segments:
            image = segment.image
            chosen = [place for place, name in enumerate(image.languages) if wanted(name)]
            languages = image.arrays["file_languages"].view(np.uint16)
            for file in np.flatnonzero(np.isin(languages, chosen) & segment.visible_files):
                files.setdefault(image.language(int(file)), []).append(image.path(int(file)))
        return {name: sorted(files[name], key=lambda key: key.encode()) for name in sorted(files)}

    def made_files(self) -> GeneratedCounts:
        """Count the visible files that programs have generated."""
        shown = [segment.image.file_traits[segment.visible_files] for segment in self.segments]
        traits = np.concatenate([np.zeros(0, dtype=np.uint16), *shown])
        return GeneratedCounts(
            generated=int(np.count_nonzero((traits & MACHINE_WRITTEN) == GENERATED)),
            minified=int(np.count_nonzero(traits & MINIFIED)),
            data=int(np.count_nonzero(traits & DATA)),
            shortened=int(np.count_nonzero(traits & SHORTENED)),
        )

    def shown_of(self, keys: Sequence[PathKey]) -> frozenset[PathKey]:
        """Return the path keys of `keys` whose file is visible."""
        return frozenset(
            segment.image.path(place)
            for segment in self.segments
            for place in segment.image.find_all(keys)
            if segment.visible_files[place]
        )


def open_snapshot(
    store: Path,
    snapshot_id: SnapshotId,
    *,
    store_id: StoreId | None = None,
    deadline: Deadline | None = None,
    mender: Mender | None = None,
) -> SnapshotView:
    """Return a snapshot after verifying every artifact in its manifest.

    Raises:
        CorruptStore: an artifact is missing or changed.
        StoreError: an artifact cannot be read now.
        DeadlineExceeded: time ran out; the artifacts that were verified until then are recorded.
    """
    manifest = read_manifest(store, snapshot_id)
    verifier = Verifier(store, deadline=deadline, mender=mender)
    try:
        return verified_view(store, manifest, store_id, verifier)
    finally:
        verifier.save()


def newest_epoch(store: Path) -> int:
    """Return the largest lease epoch of the store's snapshots; 0 without any."""
    return max((manifest.lease_epoch for manifest in manifests_newest_first(store)), default=0)


def manifests_newest_first(
    store: Path,
    *,
    passing_over: tuple[type[GgrepError], ...] = (CorruptStore, Incompatible),
    most: int = 0,
) -> list[SnapshotManifest]:
    """Return the readable manifests, whether or not their artifacts are intact.

    Manifests are ordered by epoch, then by id, because the id depends on the writer's clock, which
    can be behind.

    Args:
        store: the store directory.
        passing_over: manifests that raise one of these errors are left out.
        most: maximum number of manifests to read, those with the newest ids; 0 for all.
    """
    manifests = []
    for snapshot_id in snapshot_ids(store)[-most:]:
        with suppress(*passing_over):
            manifests.append(read_manifest(store, snapshot_id))
    return sorted(manifests, key=lambda m: (m.lease_epoch, m.snapshot_id), reverse=True)


def snapshot_ids(store: Path) -> list[SnapshotId]:
    """Return the ids of the snapshots with a manifest, readable or not, the oldest first.

    Raises:
        StoreError: the directory of snapshots cannot be read now.
    """
    root = store_files.snapshots_dir(store)
    try:
        names = sorted(path.name for path in root.iterdir())
    except FileNotFoundError:
        return []
    except OSError as error:
        raise read_failure(root.name, error) from error
    ids = map(SnapshotId, names)
    return [
        snapshot_id
        for snapshot_id in ids
        if store_files.manifest_file(store, snapshot_id).is_file()
    ]


def view_of(store: Path, manifest: SnapshotManifest) -> SnapshotView:
    """Return the view of a verified manifest."""
    masks = open_image(store / manifest.visibility.path).arrays
    segments = []
    for ref in manifest.segments:
        image = open_segment_image(store, ref.table)
        mask = masks.get(ref.table)
        if mask is None or len(mask) != image.files or image.rows != ref.rows:
            raise CorruptStore(
                f"the row masks in {manifest.visibility.path} do not match segment {ref.table}"
            )
        segments.append(SegmentView(image, mask.view(np.bool_)))
    return SnapshotView(store, manifest, tuple(segments))


def verified_view(
    store: Path, manifest: SnapshotManifest, store_id: StoreId | None, verifier: Verifier
) -> SnapshotView:
    """Return a snapshot after verifying its artifacts; a damaged journal is recorded as its damage.

    Raises:
        CorruptStore: an artifact that answers need is missing or damaged.
        StoreError: an artifact cannot be read now.
        DeadlineExceeded: time ran out.
    """
    verifier.answers(manifest, store_id=store_id)
    stamps = dict(verifier.stamps)
    damage: Damage | None = None
    try:
        verifier.journal(manifest)
    except CorruptStore as error:
        damage = Damage("journal_damaged", str(error))
    return replace(view_of(store, manifest), stamps=stamps, damage=damage)
