"""The publish of a sync: which segments stay, which are merged, what is hidden.

The view that results never depends on how often and in what portions files were published; a
file's rows are always whole in one segment.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ggrep.base.ids import PathKey, SegmentName, SnapshotId
from ggrep.base.lease import Lease
from ggrep.config.layout import names
from ggrep.config.settings import Settings
from ggrep.index.store.journal import Tombstone
from ggrep.index.store.manifest import MAX_PROBLEMS, Problem, SegmentRef
from ggrep.index.store.segment import write_segment
from ggrep.index.store.segment_image import open_segment_image
from ggrep.index.store.view import SegmentView, SnapshotView
from ggrep.index.sync import segment_merging as merging
from ggrep.index.sync.budget import require_room
from ggrep.index.sync.segment_builder import SegmentBuilder
from ggrep.index.sync.snapshot_assembly import Additions, Facts, ShownSegment, publish_snapshot
from ggrep.index.sync.target import SyncTarget
from ggrep.model.response import GitState


@dataclass(frozen=True, slots=True)
class Publication:
    """What one publish brings.

    Attributes:
        builder: holds the rows of `indexed`.
        indexed: paths with new rows; their older rows are hidden.
        gone: visible paths that are to be hidden for good.
        renamed: those of them whose content stands under another path now.
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
    renamed: frozenset[PathKey] = frozenset()


@dataclass(frozen=True, slots=True)
class Published:
    """A snapshot that is now active, and how many segments were folded for it."""

    view: SnapshotView
    merged_segments: int


def most_segments(settings: Settings) -> int:
    """Return how many segments a snapshot may have: no more than a query may open."""
    return min(settings.max_segments, settings.max_open_segments_per_query)


def is_needed(
    publication: Publication, view: SnapshotView | None, *, root: Path, most: int
) -> bool:
    """Return whether the snapshot would differ from the active one.

    A view with notices is not what the pointer names: publishing anew heals that.

    Args:
        publication: what it would bring.
        view: the active one.
        root: the directory it would be of; a clone's may be another than its source's.
        most: segments that it may have.
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
        or manifest.canonical_root != str(root)
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
        BudgetExceeded: the store would be over its budget; the same.
    """
    snapshot_id = SnapshotId(target.new_id())
    alive = _alive(view, (*publication.indexed, *publication.gone))
    folded = merging.choose(
        alive,
        most=most_segments(target.settings),
        most_hidden=target.settings.max_tombstones_per_snapshot,
    )
    carried = _fold(target, folded, publication.builder)
    shown = _kept(view, [segment for segment in alive if segment not in folded])
    # What was wrong with the parent may be its journal.
    whole = not shown or bool(view and view.notices)
    new: SegmentName | None = None
    if publication.builder.files:
        new = names.segment_name(snapshot_id, 0)
        shown.append(_write(target, new, publication.builder, folded=bool(folded)))
    additions = Additions(
        tombstones=tuple(_tombstones(publication, carried, view)),
        places=_places(publication, carried, new),
    )
    published = publish_snapshot(
        target,
        lease,
        snapshot_id,
        shown,
        _facts(publication),
        parent=view.manifest if view else None,
        additions=None if whole else additions,
    )
    return Published(published, len(folded))


def _facts(publication: Publication) -> Facts:
    return Facts(
        ignore_fingerprint=publication.ignore_fingerprint,
        git=publication.git,
        problems=publication.problems,
        problems_total=len(publication.problems),
        eligible_files=publication.eligible_files,
        partial=publication.partial,
    )


def _alive(view: SnapshotView | None, hidden: Sequence[PathKey]) -> list[SegmentView]:
    """Return the old segments that still show something once `hidden` is hidden."""
    segments = view.segments if view else ()
    shown = [SegmentView(segment.image, _mask(segment, hidden)) for segment in segments]
    return [segment for segment in shown if segment.visible_files.any()]


def _mask(segment: SegmentView, hidden: Sequence[PathKey]) -> npt.NDArray[np.bool_]:
    mask = segment.visible_files.copy()
    mask[segment.image.find_all(hidden)] = False
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


def _kept(view: SnapshotView | None, kept: Sequence[SegmentView]) -> list[ShownSegment]:
    refs: dict[SegmentName, SegmentRef] = {}
    if view is not None:
        refs = {ref.table: ref for ref in view.manifest.segments}
    return [ShownSegment(refs[segment.image.name], segment) for segment in kept]


def _write(
    target: SyncTarget, name: SegmentName, builder: SegmentBuilder, *, folded: bool
) -> ShownSegment:
    kind = "compacted" if folded else "delta"
    ref = write_segment(target.store, name, builder.finish(), kind=kind)
    image = open_segment_image(target.store, name)
    view = SegmentView(image, np.ones(ref.files, dtype=np.bool_))
    require_room(target, fresh=view)
    return ShownSegment(ref, view)


def _tombstones(
    publication: Publication, carried: Sequence[PathKey], view: SnapshotView | None
) -> Iterable[Tombstone]:
    """Yield a tombstone for every path whose rows in a kept or dropped segment are dead."""
    for key in publication.gone:
        yield Tombstone(key, "rename_from" if key in publication.renamed else "delete")
    if view is not None:
        shown = view.shown_of(publication.indexed)
        yield from (Tombstone(key, "replace") for key in publication.indexed if key in shown)
    yield from (Tombstone(key, "merge") for key in carried)


def _places(
    publication: Publication, carried: Sequence[PathKey], new: SegmentName | None
) -> Mapping[PathKey, SegmentName | None]:
    places: dict[PathKey, SegmentName | None] = dict.fromkeys(publication.gone)
    return places | dict.fromkeys((*publication.indexed, *carried), new)
