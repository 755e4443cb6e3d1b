"""A snapshot that exists only in memory, with one segment; it is read like any other snapshot."""

from pathlib import Path

import numpy as np
from msgspec import Struct

from ggrep.base.ids import SegmentName, SnapshotId, StoreId
from ggrep.index.lexical.layout import SCORED_FIELDS
from ggrep.index.store.manifest import Counts, FileRef, SnapshotManifest
from ggrep.index.store.segment import SegmentContent
from ggrep.index.store.segment_image import SegmentImage
from ggrep.index.store.view import SegmentView, SnapshotView

NO_SNAPSHOT = SnapshotId("")
"""The id of an unwritten snapshot."""

_NO_FILE = FileRef("", 0, 0, "")


class Origin(Struct, frozen=True):
    """The store, root and settings to which an unwritten snapshot belongs."""

    root: Path
    store: Path
    store_id: StoreId
    config_fingerprint: str
    ignore_fingerprint: str
    embed_config_fingerprint: str
    eligible_files: int
    created_at: str


def unwritten_snapshot(
    origin: Origin, segment: SegmentName, content: SegmentContent
) -> SnapshotView:
    """Return a view of a segment in memory.

    Args:
        origin: the store and root to which the snapshot belongs.
        segment: a name for the segment that no other segment of the store has.
        content: the content of the segment.
    """
    types, languages = content.meta["types"], content.meta["languages"]
    assert isinstance(types, list)  # noqa: S101 - `ImageBuilder` guarantees it
    assert isinstance(languages, list)  # noqa: S101 - as above
    image = SegmentImage(segment, content.arrays, list(map(str, types)), list(map(str, languages)))
    shown = SegmentView(image, np.ones(image.files, dtype=np.bool_))
    return SnapshotView(origin.store, _manifest(origin, image), (shown,))


def _manifest(origin: Origin, image: SegmentImage) -> SnapshotManifest:
    lengths = (int(image.row_lengths(field).sum()) for field in range(SCORED_FIELDS))
    return SnapshotManifest(
        snapshot_id=NO_SNAPSHOT,
        parent_snapshot_id=None,
        created_at=origin.created_at,
        canonical_root=str(origin.root),
        store_id=origin.store_id,
        config_fingerprint=origin.config_fingerprint,
        ignore_fingerprint=origin.ignore_fingerprint,
        embed_config_fingerprint=origin.embed_config_fingerprint,
        lease_epoch=0,
        git=None,
        segments=(),
        tombstones=(),
        segment_map=(),
        visibility=_NO_FILE,
        counts=Counts(
            files_indexed=0,
            files_eligible=origin.eligible_files,
            chunks_indexed=image.rows,
            chunks_visible=image.rows,
            tombstones_added=0,
            lengths=tuple(lengths),
        ),
        degraded=False,
        partial=False,
        errors=(),
    )
