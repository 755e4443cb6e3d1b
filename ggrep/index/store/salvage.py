"""Recovers the intact segments of a store without an intact snapshot.

A segment is intact if its table and its image have the digests in the manifest. The visible files
of each segment come from the stored masks, or, if these are damaged, from tombstones and segment
map, which contain the same facts.
"""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import CorruptStore
from ggrep.base.ids import PathKey, SegmentName, StoreId
from ggrep.index.store.image import open_image
from ggrep.index.store.journal import read_segment_map, read_tombstones
from ggrep.index.store.manifest import SegmentRef, SnapshotManifest
from ggrep.index.store.segment_image import SegmentImage, open_segment_image
from ggrep.index.store.verify import Mender, Verifier
from ggrep.index.store.view import SegmentView, SnapshotView, manifests_newest_first
from ggrep.model.index_freshness import Damage

Masks = dict[SegmentName, npt.NDArray[np.bool_]]


class Salvage(Struct, frozen=True):
    """A view of the intact segments.

    Attributes:
        view: a view of the manifest's intact segments; its `damage` records that it is incomplete.
        lost: segments that are damaged or missing.
    """

    view: SnapshotView
    lost: tuple[SegmentName, ...]


def salvage(store: Path, store_id: StoreId, mender: Mender) -> Salvage | None:
    """Return the intact segments of the newest snapshot whose visible files are known.

    Return None if there is no such snapshot. A segment with an intact table counts as intact,
    because its image is rebuilt.

    Raises:
        StoreError: an artifact cannot be read now.
        Incompatible: a newer build wrote an artifact.
    """
    verifier = Verifier(store, full=True, mender=mender)
    for manifest in manifests_newest_first(store):
        if manifest.store_id != store_id:
            continue
        images = dict(_sound(store, manifest, verifier))
        try:
            masks = _masks(store, manifest, images, verifier)
        except CorruptStore:
            continue
        return _salvaged(store, manifest, images, masks)
    return None


def _sound(
    store: Path, manifest: SnapshotManifest, verifier: Verifier
) -> Iterator[tuple[SegmentName, SegmentImage]]:
    for ref in manifest.segments:
        try:
            verifier.segment(ref)
            yield ref.table, open_segment_image(store, ref.table)
        except CorruptStore:
            continue


def _masks(
    store: Path,
    manifest: SnapshotManifest,
    images: dict[SegmentName, SegmentImage],
    verifier: Verifier,
) -> Masks:
    """Return the visible files of each intact segment."""
    try:
        verifier.file(manifest.visibility)
        arrays = open_image(store / manifest.visibility.path).arrays
        return {name: arrays[name].view(np.bool_) for name in images}
    except CorruptStore:
        for ref in (*manifest.tombstones, *manifest.segment_map):
            verifier.file(ref)
    hidden = read_tombstones(store, manifest.tombstones)
    places = read_segment_map(store, manifest.segment_map)
    return {name: implied_mask(image, hidden, places) for name, image in images.items()}


def implied_mask(
    image: SegmentImage, hidden: Collection[PathKey], places: Mapping[PathKey, SegmentName]
) -> npt.NDArray[np.bool_]:
    """Return bool (files,): a segment's visible files according to tombstones and segment map."""
    shown = [
        places.get(key, None if key in hidden else image.name) == image.name
        for key in image.paths()
    ]
    return np.array(shown, dtype=np.bool_)


def _salvaged(
    store: Path,
    manifest: SnapshotManifest,
    images: dict[SegmentName, SegmentImage],
    masks: Masks,
) -> Salvage:
    sound: list[SegmentRef] = [ref for ref in manifest.segments if ref.table in images]
    lost = tuple(ref.table for ref in manifest.segments if ref.table not in images)
    segments = tuple(SegmentView(images[ref.table], masks[ref.table]) for ref in sound)
    cause = (
        f"segments {', '.join(lost)} are damaged or missing"
        if lost
        else "its masks or its pointer are damaged"
    )
    manifest = replace(manifest, segments=tuple(sound))
    return Salvage(SnapshotView(store, manifest, segments, Damage("index_damaged", cause)), lost)
