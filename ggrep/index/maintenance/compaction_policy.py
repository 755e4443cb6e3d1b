"""Decides when a compaction is worth its cost, and which segments are merged."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from ggrep.config.settings import Settings
from ggrep.index.store.row_texts import has_texts
from ggrep.index.store.view import SegmentView, SnapshotView

DEAD_SHARE: Final = 0.2
"""Minimum share of hidden rows that makes a compaction worth its cost."""

DELTA_SHARE: Final = 0.1
"""Small segments with more than this share of the largest segment's rows are merged into it."""

MOST_ROWS: Final = 400_000
"""Maximum rows of a merged segment, which is built in memory; a large store has several."""

Group = Sequence[SegmentView]


class Plan(Struct, frozen=True):
    """The work of a compaction.

    Attributes:
        reason: why to compact, or why not.
        groups: groups of segments, each to be merged into one segment.
        journal: whether the journal is rewritten although no segments are merged.
    """

    reason: str
    groups: tuple[Group, ...] = ()
    journal: bool = False

    @property
    def is_empty(self) -> bool:
        """Return whether the compaction has nothing to do."""
        return not self.groups and not self.journal


def plan(view: SnapshotView, settings: Settings, *, force: bool) -> Plan:
    """Return the plan for a snapshot; `force` plans to merge all segments that can be merged."""
    if force:
        groups = _in_groups(view.segments)
        # There may be tombstones of segments that no longer exist.
        journal = not groups and view.manifest.counts.tombstones_added > 0
        return Plan("requested" if groups or journal else "nothing to merge", groups, journal)
    reason = _complaint(view, settings)
    if reason is None:
        return Plan("not overdue")
    groups = _by_policy(view.segments)
    return Plan(reason if groups else "nothing to merge", groups)


def overdue(view: SnapshotView, settings: Settings) -> str | None:
    """Return why a compaction is worth its cost now; None if it is not."""
    due = plan(view, settings, force=False)
    return None if due.is_empty else due.reason


def _complaint(view: SnapshotView, settings: Settings) -> str | None:
    counts, segments = view.manifest.counts, len(view.segments)
    dead = counts.chunks_indexed - counts.chunks_visible
    if segments >= settings.compaction_overdue_segments:
        return f"{segments} segments"
    if counts.tombstones_added >= settings.compaction_overdue_tombstones:
        return f"{counts.tombstones_added} tombstones"
    if dead > DEAD_SHARE * counts.chunks_indexed:
        return f"{dead} of {counts.chunks_indexed} rows are hidden"
    if _old(view.segments):
        return "segments of an earlier build"
    return None


def _by_policy(segments: Group) -> tuple[Group, ...]:
    """Return the small segments, and the largest segment if merging it is worth the cost."""
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
    """Return the segments in groups of at most MOST_ROWS visible rows, small segments first.

    A group of one segment is omitted if this build wrote the segment and no file is hidden. A
    segment that is too large to be built in memory is also omitted.
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
    """Return the segments of earlier builds that are small enough to rewrite."""
    return [each for each in segments if _is_old(each) and _live(each) <= MOST_ROWS]


def _is_old(segment: SegmentView) -> bool:
    """Return whether a segment's texts must be read from its table, which is slow."""
    return not has_texts(segment.image)
