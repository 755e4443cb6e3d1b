"""Publishes the changes of a sync: selects segments to keep or merge, and files to hide.

The visible content does not depend on the number of publishes. All rows of a file are in one
segment.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.ids import PathKey, SegmentName, SnapshotId
from ggrep.base.lease import Lease
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.store.journal import Tombstone
from ggrep.index.store.view import SegmentView, SnapshotView
from ggrep.index.sync import segment_merging as merging
from ggrep.index.sync.segment_builder import SegmentBuilder
from ggrep.index.sync.snapshot_assembly import (
    Additions,
    Facts,
    ShownSegment,
    publish_snapshot,
    shown_by,
    write_shown,
)
from ggrep.index.sync.target import SyncTarget


class Publication(Struct, frozen=True):
    """The changes of one publish.

    Attributes:
        builder: contains the rows of `indexed`.
        indexed: paths with new rows; their older rows are hidden.
        gone: visible paths to hide.
        facts: facts about the work tree that the snapshot represents.
        renamed: paths in `gone` whose content now has another path.
    """

    builder: SegmentBuilder
    indexed: Sequence[PathKey]
    gone: Sequence[PathKey]
    facts: Facts
    renamed: frozenset[PathKey] = frozenset()


class Published(Struct, frozen=True):
    """A snapshot that is now active, and the number of segments that were merged into a new one."""

    view: SnapshotView
    merged_segments: int


def most_segments(settings: Settings) -> int:
    """Return the maximum number of segments of a snapshot; a query must be able to open them."""
    return min(settings.max_segments, settings.max_open_segments_per_query)


def is_needed(
    publication: Publication, view: SnapshotView | None, *, root: Path, most: int
) -> bool:
    """Return whether the new snapshot would differ from the active snapshot.

    The result is always True for a damaged store, because a publish repairs the store.

    Args:
        publication: the changes.
        view: the active snapshot.
        root: the indexed directory, which for a clone can differ from the directory in the
            manifest.
        most: maximum number of segments.
    """
    if view is None or view.damage:
        return True
    if publication.indexed or publication.gone:
        return True
    if publication.facts.partial:
        return False  # other changes are published with the last portion
    manifest = view.manifest
    return bool(
        Facts.of(manifest) != publication.facts
        or manifest.canonical_root != str(root)
        or len(manifest.segments) > most
    )


def publish_changes(
    target: SyncTarget, lease: Lease, view: SnapshotView | None, publication: Publication
) -> Published:
    """Write, stage and publish a snapshot that follows `view`.

    Raises:
        LeaseLost: another writer took over; the active snapshot is unchanged.
        BudgetExceeded: the store would exceed its budget; the active snapshot is unchanged.
    """
    snapshot_id = SnapshotId(target.new_id())
    alive = _alive(view, (*publication.indexed, *publication.gone))
    folded = merging.choose(
        [item.view for item in alive],
        most=most_segments(target.settings),
        most_hidden=target.settings.max_tombstones_per_snapshot,
    )
    carried = _fold(target, folded, publication.builder)
    shown = [item for item in alive if item.view not in folded]
    # If the previous snapshot is damaged, its journal can be the damaged part.
    whole = not shown or bool(view and view.damage)
    new: SegmentName | None = None
    if publication.builder.files:
        new = store_files.segment_name(snapshot_id, 0)
        kind = "compacted" if folded else "delta"
        shown.append(write_shown(target, new, publication.builder, kind=kind))
    additions = Additions(
        tombstones=tuple(_tombstones(publication, carried, view)),
        places=_places(publication, carried, new),
    )
    published = publish_snapshot(
        target,
        lease,
        snapshot_id,
        shown,
        publication.facts,
        parent=view.manifest if view else None,
        additions=None if whole else additions,
    )
    return Published(published, len(folded))


def _alive(view: SnapshotView | None, hidden: Sequence[PathKey]) -> list[ShownSegment]:
    """Return the old segments that have visible files after the paths in `hidden` are hidden."""
    shown = [
        replace(item, view=SegmentView(item.view.image, _mask(item.view, hidden)))
        for item in (shown_by(view) if view else ())
    ]
    return [item for item in shown if item.view.visible_files.any()]


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


def _tombstones(
    publication: Publication, carried: Sequence[PathKey], view: SnapshotView | None
) -> Iterable[Tombstone]:
    """Yield a tombstone for every path whose rows in an older segment are no longer visible."""
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
