"""A publish put together: which segments stay, which are folded, what is hidden.

The view that results never depends on how often and in what portions files were published; a
file's rows are always whole in one segment.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ggrep.clock import rfc3339
from ggrep.config.settings import Settings
from ggrep.domain.ids import PathKey, SegmentName, SnapshotId
from ggrep.domain.response import GitState
from ggrep.layout import names
from ggrep.lease import Lease
from ggrep.lexical.layout import SCORED_FIELDS
from ggrep.store.journal import Tombstone
from ggrep.store.manifest import MAX_PROBLEMS, Counts, Problem, SegmentRef, SnapshotManifest
from ggrep.store.segment import write_segment
from ggrep.store.segment_image import open_segment_image
from ggrep.store.transaction import Journal, publish, stage
from ggrep.store.view import SegmentView, SnapshotView, view_of
from ggrep.sync import merging
from ggrep.sync.segment_builder import SegmentBuilder
from ggrep.sync.target import SyncTarget


@dataclass(frozen=True, slots=True)
class Publication:
    """What one publish brings.

    Attributes:
        builder: holds the rows of `indexed`.
        indexed: paths with new rows; their older rows are hidden.
        gone: visible paths that are to be hidden for good.
        problems: why the snapshot is degraded, all of it.
        partial: more of the first index is to follow.
    """

    builder: SegmentBuilder
    indexed: Sequence[PathKey]
    gone: Sequence[PathKey]
    problems: tuple[Problem, ...]
    ignore_fingerprint: str
    git: GitState | None
    eligible_files: int
    partial: bool


@dataclass(frozen=True, slots=True)
class Published:
    """A snapshot that is now active, and how many segments were folded for it."""

    view: SnapshotView
    merged_segments: int


def most_segments(settings: Settings) -> int:
    """Return how many segments a snapshot may have: no more than a query may open."""
    return min(settings.max_segments, settings.max_open_segments_per_query)


def is_needed(publication: Publication, view: SnapshotView | None, *, most: int) -> bool:
    """Return whether the snapshot would differ from the active one.

    A view with notices is not what the pointer names: publishing anew heals that.
    """
    if view is None or view.notices:
        return True
    if publication.indexed or publication.gone:
        return True
    if publication.partial:
        return False  # a portion without news; what else changed comes with the last one
    manifest = view.manifest
    return bool(
        manifest.partial != publication.partial
        or len(manifest.segments) > most
        or manifest.ignore_fingerprint != publication.ignore_fingerprint
        or manifest.git != publication.git
        or manifest.errors != publication.problems[:MAX_PROBLEMS]
        or manifest.problems != len(publication.problems)
    )


def publish_changes(
    target: SyncTarget, lease: Lease, view: SnapshotView | None, publication: Publication
) -> Published:
    """Write, stage and publish a snapshot that follows `view`.

    Raises:
        LeaseLost: another writer took over; the active snapshot is untouched.
    """
    snapshot_id = SnapshotId(target.new_id())
    hidden = frozenset((*publication.indexed, *publication.gone))
    alive = _alive(view, hidden)
    folded = merging.choose(alive, most=most_segments(target.settings))
    kept = [segment for segment in alive if segment not in folded]
    carried = _fold(target, folded, publication.builder)
    refs = _kept_refs(view, kept)
    masks = {segment.image.name: segment.visible_files for segment in kept}
    new: SegmentName | None = None
    if publication.builder.files:
        new = names.segment_name(snapshot_id, 0)
        kind = "compacted" if folded else "delta"
        refs.append(write_segment(target.store, new, publication.builder.finish(), kind=kind))
        masks[new] = np.ones(refs[-1].files, dtype=np.bool_)
    journal = Journal(
        tombstones=tuple(_tombstones(publication, carried, view)),
        places=_places(publication, carried, new),
        masks=masks,
    )
    manifest = _manifest(
        target, snapshot_id, publication, refs, _Staged(journal, view, rewrite=not kept)
    )
    publish(target.store, manifest, lease)
    return Published(view_of(target.store, manifest), len(folded))


@dataclass(frozen=True, slots=True)
class _Staged:
    journal: Journal
    parent: SnapshotView | None
    rewrite: bool


def _alive(view: SnapshotView | None, hidden: frozenset[PathKey]) -> list[SegmentView]:
    """Return the old segments that still show something once `hidden` is hidden."""
    segments = view.segments if view else ()
    shown = [SegmentView(s.image, _mask(s, hidden)) for s in segments]
    return [segment for segment in shown if segment.visible_files.any()]


def _mask(segment: SegmentView, hidden: frozenset[PathKey]) -> npt.NDArray[np.bool_]:
    mask = segment.visible_files.copy()
    if hidden:
        for file in np.flatnonzero(mask).tolist():
            mask[file] = segment.image.path(file) not in hidden
    return mask


def _fold(
    target: SyncTarget, folded: Iterable[SegmentView], builder: SegmentBuilder
) -> list[PathKey]:
    carried = []
    for segment in folded:
        for file in merging.live_files(target.store, segment):
            builder.add(file)
            carried.append(file.path_key)
    return carried


def _kept_refs(view: SnapshotView | None, kept: Sequence[SegmentView]) -> list[SegmentRef]:
    staying = {segment.image.name for segment in kept}
    return [ref for ref in (view.manifest.segments if view else ()) if ref.table in staying]


def _tombstones(
    publication: Publication, carried: Sequence[PathKey], view: SnapshotView | None
) -> Iterable[Tombstone]:
    """Yield a tombstone for every path whose rows in a kept or dropped segment are dead."""
    shown = view.live_files() if view else {}
    yield from (Tombstone(key, "delete") for key in publication.gone)
    yield from (Tombstone(key, "replace") for key in publication.indexed if key in shown)
    yield from (Tombstone(key, "merge") for key in carried)


def _places(
    publication: Publication, carried: Sequence[PathKey], new: SegmentName | None
) -> Mapping[PathKey, SegmentName | None]:
    places: dict[PathKey, SegmentName | None] = dict.fromkeys(publication.gone)
    return places | dict.fromkeys((*publication.indexed, *carried), new)


def _manifest(
    target: SyncTarget,
    snapshot_id: SnapshotId,
    publication: Publication,
    refs: Sequence[SegmentRef],
    staged: _Staged,
) -> SnapshotManifest:
    parent = staged.parent.manifest if staged.parent else None
    tombstones, segment_map, visibility = stage(
        target.store, snapshot_id, staged.journal, parent, rewrite=staged.rewrite
    )
    views = [
        SegmentView(open_segment_image(target.store, ref.table), staged.journal.masks[ref.table])
        for ref in refs
    ]
    return SnapshotManifest(
        snapshot_id=snapshot_id,
        parent_snapshot_id=parent.snapshot_id if parent else None,
        created_at=rfc3339(target.clock.now()),
        canonical_root=str(target.root),
        store_id=target.store_id,
        config_fingerprint=target.config_fingerprint,
        ignore_fingerprint=publication.ignore_fingerprint,
        embed_config_fingerprint=target.embed_config_fingerprint,
        lease_epoch=0,  # `publish` fills in the epoch it is published under
        git=publication.git,
        segments=tuple(refs),
        tombstones=tombstones,
        segment_map=segment_map,
        visibility=visibility,
        counts=_counts(views, sum(ref.count for ref in tombstones), publication.eligible_files),
        degraded=bool(publication.problems),
        partial=publication.partial,
        errors=publication.problems[:MAX_PROBLEMS],
        errors_total=len(publication.problems),
    )


def _counts(views: Sequence[SegmentView], tombstones: int, eligible_files: int) -> Counts:
    lengths, rows = [0] * SCORED_FIELDS, 0
    for view in views:
        visible = view.visible_rows()
        rows += int(visible.sum())
        for field in range(SCORED_FIELDS):
            lengths[field] += int(view.image.row_lengths(field)[visible].sum(dtype=np.uint64))
    return Counts(
        files_indexed=sum(int(view.visible_files.sum()) for view in views),
        files_eligible=eligible_files,
        chunks_indexed=sum(view.image.rows for view in views),
        chunks_visible=rows,
        tombstones_added=tombstones,
        lengths=tuple(lengths),
    )
