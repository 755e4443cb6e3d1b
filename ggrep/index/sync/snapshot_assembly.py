"""Assembles a snapshot from segments and masks, and publishes it.

Syncs, compactions and repairs all publish with this module. The masks of a snapshot determine which
files are visible. The journal, which consists of tombstones and a segment map, contains the same
facts as text. A snapshot adds entries to the journal of the previous snapshot, or starts a new
journal.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import rfc3339
from ggrep.base.errors import BudgetExceeded
from ggrep.base.ids import PathKey, SegmentName, SnapshotId, StoreId
from ggrep.base.lease import Lease
from ggrep.index.lexical.layout import SCORED_FIELDS
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.journal import MAX_DELTAS, Tombstone
from ggrep.index.store.manifest import Counts, SegmentRef, SnapshotManifest
from ggrep.index.store.segment import remove_segment, write_segment
from ggrep.index.store.segment_image import open_segment_image
from ggrep.index.store.transaction import Journal, publish, stage
from ggrep.index.store.view import SegmentView, SnapshotView
from ggrep.index.sync.segment_builder import SegmentBuilder
from ggrep.index.sync.target import SyncTarget
from ggrep.model.response import GitState
from ggrep.model.sync import DegradedFile


class ShownSegment(Struct, frozen=True):
    """A segment of a snapshot and its visible files."""

    ref: SegmentRef
    view: SegmentView


def shown_by(view: SnapshotView) -> list[ShownSegment]:
    """Return the segments of a snapshot, in the manifest's order."""
    return [ShownSegment(*both) for both in zip(view.manifest.segments, view.segments, strict=True)]


def write_shown(
    target: SyncTarget, name: SegmentName, builder: SegmentBuilder, *, kind: str
) -> ShownSegment:
    """Write a new segment; all of its files are visible.

    Raises:
        BudgetExceeded: the store would exceed its budget; the segment is removed again.
    """
    ref = write_segment(target.store, name, builder.finish(), kind=kind)
    image = open_segment_image(target.store, name)
    most = target.settings.max_store_bytes
    if most and (used := store_bytes(target.store)) > most:
        remove_segment(target.store, name)
        raise BudgetExceeded(f"the store would have {used} bytes, but max_store_bytes is {most}")
    return ShownSegment(ref, SegmentView(image, np.ones(ref.files, dtype=np.bool_)))


class Additions(Struct, frozen=True):
    """The journal entries that are missing in the previous snapshot's journal.

    Attributes:
        places: the segment with the visible rows of each changed path; None for a removed path.
    """

    tombstones: tuple[Tombstone, ...]
    places: Mapping[PathKey, SegmentName | None]


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about the work tree that a snapshot represents.

    Attributes:
        problems: why the snapshot is degraded: the first MAX_PROBLEMS of `problems_total` problems.
        eligible_files: number of eligible files of the tree; ignored in comparisons.
        partial: whether further portions of a first index follow.
    """

    ignore_fingerprint: str
    git: GitState | None
    problems: tuple[DegradedFile, ...]
    problems_total: int
    eligible_files: int = field(compare=False)
    partial: bool

    @classmethod
    def of(cls, manifest: SnapshotManifest) -> "Facts":
        """Return the facts in a snapshot's manifest."""
        return cls(
            ignore_fingerprint=manifest.ignore_fingerprint,
            git=manifest.git,
            problems=manifest.errors,
            problems_total=manifest.problems,
            eligible_files=manifest.counts.files_eligible,
            partial=manifest.partial,
        )


class Name(Struct, frozen=True):
    """Index id and time of a snapshot that another store made."""

    index_id: StoreId
    created_at: str


def publish_snapshot(  # noqa: PLR0913 - where, by what right, what, after what, how told
    target: SyncTarget,
    lease: Lease,
    snapshot_id: SnapshotId,
    shown: Sequence[ShownSegment],
    facts: Facts,
    *,
    parent: SnapshotManifest | None,
    additions: Additions | None,
    name: Name | None = None,
) -> SnapshotView:
    """Publish a snapshot that consists of some segments, and return its view.

    Args:
        target: the store.
        lease: the writer lease, held by the caller.
        snapshot_id: a new id.
        shown: segments on disk, each with its visible files.
        facts: facts about the work tree.
        parent: the previous snapshot; None without one.
        additions: entries to add to the parent's journal; None to write the whole journal.
        name: name of a snapshot from another store; None for a snapshot of this index.

    Raises:
        LeaseLost: another writer took over; the active snapshot is unchanged.
        CorruptStore: an artifact differs from the written content; the active snapshot is
            unchanged.
    """
    if name is None:
        index_id = parent.name if parent else target.index_id(git=facts.git is not None)
        name = Name(index_id, rfc3339(target.clock.now()))
    masks = {item.ref.table: item.view.visible_files for item in shown}
    if additions is None or parent is None or not _fits(parent, additions, target):
        journal = Journal(*_whole(shown), masks=masks, after=None)
    else:
        journal = Journal(additions.tombstones, additions.places, masks, after=parent)
    lease.note_staging(snapshot_id)
    staged = stage(target.store, snapshot_id, journal)
    manifest = SnapshotManifest(
        snapshot_id=snapshot_id,
        parent_snapshot_id=parent.snapshot_id if parent else None,
        created_at=name.created_at,
        canonical_root=str(target.root),
        store_id=target.store_id,
        config_fingerprint=target.config_fingerprint,
        ignore_fingerprint=facts.ignore_fingerprint,
        embed_config_fingerprint=target.embed_config_fingerprint,
        lease_epoch=0,  # `publish` sets the lease's epoch
        git=facts.git,
        segments=tuple(item.ref for item in shown),
        tombstones=staged.tombstones,
        segment_map=staged.segment_map,
        visibility=staged.visibility,
        counts=_counts(shown, sum(ref.count for ref in staged.tombstones), facts.eligible_files),
        degraded=bool(facts.problems),
        partial=facts.partial,
        errors=facts.problems,
        errors_total=facts.problems_total,
        index_id=name.index_id,
    )
    publish(target.store, manifest, lease)
    views = tuple(item.view for item in shown)
    return SnapshotView(target.store, replace(manifest, lease_epoch=lease.epoch), views)


def _fits(parent: SnapshotManifest, additions: Additions, target: SyncTarget) -> bool:
    """Return whether the additions fit into the parent's journal."""
    tombstones = parent.counts.tombstones_added + len(additions.tombstones)
    most = target.settings.max_tombstones_per_snapshot
    return len(parent.segment_map) < MAX_DELTAS and tombstones <= most


def _whole(
    shown: Sequence[ShownSegment],
) -> tuple[tuple[Tombstone, ...], Mapping[PathKey, SegmentName | None]]:
    """Return tombstones and segment map that contain the same facts as the masks."""
    hidden: dict[PathKey, Tombstone] = {}
    places: dict[PathKey, SegmentName | None] = {}
    for item in shown:
        visible = item.view.visible_files.tolist()
        for key, live in zip(item.view.image.paths(), visible, strict=True):
            if live:
                places[key] = item.ref.table
            else:
                hidden[key] = Tombstone(key, "delete")
    return tuple(hidden.values()), places


def _counts(shown: Sequence[ShownSegment], tombstones: int, eligible_files: int) -> Counts:
    lengths, rows = [0] * SCORED_FIELDS, 0
    for item in shown:
        visible = item.view.visible_rows()
        rows += int(visible.sum())
        for number in range(SCORED_FIELDS):
            counts = item.view.image.row_lengths(number)
            lengths[number] += int(counts.sum(where=visible, dtype=np.uint64))
    return Counts(
        files_indexed=sum(int(item.view.visible_files.sum()) for item in shown),
        files_eligible=eligible_files,
        chunks_indexed=sum(item.view.image.rows for item in shown),
        chunks_visible=rows,
        tombstones_added=tombstones,
        lengths=tuple(lengths),
    )
