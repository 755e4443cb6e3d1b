"""Decides when a compaction pays off, and which segments it merges."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from ggrep.config.settings import Settings
from ggrep.index.store.row_texts import has_texts
from ggrep.index.store.view import SegmentView, SnapshotView

DEAD_SHARE: Final = 0.2
"""More dead rows than this share make a compaction worth its work."""

DELTA_SHARE: Final = 0.1
"""Small segments are folded into the largest once they hold more than this share of its rows."""

MOST_ROWS: Final = 400_000
"""A segment is put together in memory, so a merged one holds no more; large stores keep several."""

Group = Sequence[SegmentView]


class Plan(Struct, frozen=True):
    """What a compaction is to do.

    Attributes:
        reason: why it is done, or why there is nothing to do.
        groups: segments that become one, each; none when only the journal is written anew.
    """

    reason: str
    groups: tuple[Group, ...] = ()
    journal: bool = False

    @property
    def is_empty(self) -> bool:
        """Return True when there is nothing to do."""
        return not self.groups and not self.journal


def plan(view: SnapshotView, settings: Settings, *, force: bool) -> Plan:
    """Return what to do about a snapshot: all that can be merged, or what policy wants."""
    if force:
        groups = _in_groups(view.segments)
        # Tombstones may be left of segments that were dropped whole.
        journal = not groups and view.manifest.counts.tombstones_added > 0
        return Plan("asked for" if groups or journal else "nothing to merge", groups, journal)
    reason = _complaint(view, settings)
    if reason is None:
        return Plan("not overdue")
    groups = _by_policy(view.segments)
    return Plan(reason if groups else "nothing to merge", groups)


def overdue(view: SnapshotView, settings: Settings) -> str | None:
    """Return why a compaction is worth its work now; None when it is not."""
    found = plan(view, settings, force=False)
    return None if found.is_empty else found.reason


def _complaint(view: SnapshotView, settings: Settings) -> str | None:
    counts, segments = view.manifest.counts, len(view.segments)
    dead = counts.chunks_indexed - counts.chunks_visible
    if segments >= settings.compaction_overdue_segments:
        return f"{segments} segments"
    if counts.tombstones_added >= settings.compaction_overdue_tombstones:
        return f"{counts.tombstones_added} tombstones"
    if dead > DEAD_SHARE * counts.chunks_indexed:
        return f"{dead} of {counts.chunks_indexed} rows are dead"
    if _old(view.segments):
        return "segments of an earlier build"
    return None


def _by_policy(segments: Group) -> tuple[Group, ...]:
    """Return the small segments, and the largest with them when that is worth it."""
    if not segments:
        return ()
    *small, largest = sorted(segments, key=lambda s: (s.image.rows, s.image.name))
    if old := _old(segments):
        return _in_groups(old)
    rows, live = sum(_live(segment) for segment in small), _live(largest)
    worn = largest.image.rows - live > DEAD_SHARE * largest.image.rows
    if (worn or rows > DELTA_SHARE * live) and rows + live <= MOST_ROWS:
        return ((*small, largest),)
    return _in_groups((*small, largest) if worn else small)


def _in_groups(segments: Iterable[SegmentView]) -> tuple[Group, ...]:
    """Return the segments in groups of at most MOST_ROWS visible rows, the small ones first.

    A clean segment of this build on its own is left as it is, and so is one that is too large to be
    put together.
    """
    groups: list[list[SegmentView]] = [[]]
    rows = 0
    for segment in sorted(segments, key=lambda s: (_live(s), s.image.name)):
        live = _live(segment)
        if live > MOST_ROWS:
            continue
        if rows + live > MOST_ROWS:
            groups.append([])
            rows = 0
        groups[-1].append(segment)
        rows += live
    return tuple(group for group in groups if len(group) > 1 or (group and _is_worn(group[0])))


def _live(segment: SegmentView) -> int:
    return int(segment.visible_rows().sum())


def _is_worn(segment: SegmentView) -> bool:
    return _is_old(segment) or not segment.visible_files.all()


def _old(segments: Group) -> Group:
    """Return the segments of earlier builds that are not too large to be written anew."""
    return [each for each in segments if _is_old(each) and _live(each) <= MOST_ROWS]


def _is_old(segment: SegmentView) -> bool:
    """Return whether a segment's texts are read from its table, which takes long."""
    return not has_texts(segment.image)
