"""Several snapshots shown as one: what a single store over all their files would show.

Scoring, ordering and reading go the same way as over one snapshot. A row's score is a function of
the query, the row, its file and the collection (promise P3), so it is the same to the bit whoever
else is in the view.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np
import numpy.typing as npt

from ggrep.base.cache import Cache
from ggrep.base.deadline import Deadline
from ggrep.base.ids import SegmentName
from ggrep.index.lexical.layout import FILE_FIELDS, LEXICAL_LAYOUT, SCORED_FIELDS
from ggrep.index.lexical.postings import Postings
from ggrep.index.store.manifest import Counts
from ggrep.index.store.view import SnapshotView, TableRows
from ggrep.model.joint_pools import JointFigures
from ggrep.search.query.segments import SearchableSegment, keep_segments, open_segments
from ggrep.search.query.understand import ParsedQuery

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stretch:
    """The rows of one member's segment, among those of a segment of the view.

    Attributes:
        first: the row that its first one is.
        segment: what the member calls it.
    """

    first: int
    member: int
    segment: SegmentName


@dataclass(frozen=True, slots=True)
class JointView(SnapshotView):
    """Snapshots of several stores as one view; its manifest counts all of them and is nobody's.

    Attributes:
        members: their snapshots, in the order that breaks ties between equal rows.
        stretches: of each segment of the view, what it is made of, ascending.
    """

    members: tuple[SnapshotView, ...] = ()
    stretches: Mapping[SegmentName, tuple[Stretch, ...]] = field(default_factory=dict)

    def tables(self, segment: SegmentName, rows: Sequence[int]) -> tuple[TableRows, ...]:
        """Return where the table rows of ascending rows lie, in the order of the rows."""
        stretches = self.stretches[segment]
        starts = [stretch.first for stretch in stretches]
        return tuple(
            TableRows(
                self.members[stretches[place].member],
                stretches[place].segment,
                [row - starts[place] for row in own],
            )
            for place, own in groupby(rows, lambda row: bisect_right(starts, row) - 1)
        )


@dataclass(frozen=True, slots=True)
class _Figures:
    """A term's visible chunks and files, of each member, int64 (members,)."""

    chunks: Places
    files: Places


def join(members: Sequence[SnapshotView]) -> JointView:
    """Return the view of several snapshots, in the order that breaks ties between equal rows.

    Requires: at least one.
    """
    segments: list[SearchableSegment] = []
    stretches: dict[SegmentName, tuple[Stretch, ...]] = {}
    for member, view in enumerate(members):
        for segment in open_segments(view):
            name = SegmentName(f"{len(segments)}")
            stretches[name] = (Stretch(0, member, segment.image.name),)
            owners = np.full(segment.image.files, member, dtype=np.uint32)
            image = replace(segment.image, name=name)
            segments.append(replace(segment, image=image, owners=owners))
    derived = Cache()
    keep_segments(derived, tuple(segments))
    first = members[0]
    manifest = replace(first.manifest, counts=_summed([view.manifest.counts for view in members]))
    return JointView(
        store=first.store,
        manifest=manifest,
        segments=(),
        derived=derived,
        members=tuple(members),
        stretches=stretches,
    )


def member_figures(view: JointView, query: ParsedQuery, deadline: Deadline) -> JointFigures:
    """Return each member's own statistics of a query; their sum is the view's."""
    names = sorted({*query.terms, *query.symbols}, key=lambda term: term.encode())
    figures = []
    for name in names:
        deadline.check("statistics")
        figures.append(_figures(view, name))
    counts = [member.manifest.counts for member in view.members]
    return JointFigures(
        layout=LEXICAL_LAYOUT,
        chunks=tuple(each.chunks_visible for each in counts),
        files=tuple(each.files_indexed for each in counts),
        lengths=tuple(zip(*(each.lengths for each in counts), strict=True)),
        terms=tuple(names),
        held=tuple(tuple(found.chunks.tolist()) for found in figures),
        named=tuple(tuple(found.files.tolist()) for found in figures),
    )


def _figures(view: JointView, term: str) -> _Figures:
    number = len(view.members)
    chunks, files = np.zeros(number, np.int64), np.zeros(number, np.int64)
    for segment in open_segments(view):
        owners = segment.owners
        if owners is None:
            continue
        rows = _visible(segment.row_postings, term, range(SCORED_FIELDS), segment.visible_rows)
        chunks += np.bincount(owners[segment.image.row_files[rows]], minlength=number)
        held = _visible(segment.file_postings, term, range(FILE_FIELDS), segment.visible_files)
        files += np.bincount(owners[held], minlength=number)
    return _Figures(chunks, files)


def _visible(
    postings: Postings, term: str, fields: range, visible: npt.NDArray[np.bool_]
) -> Places:
    if postings.find(term) is None:
        return np.zeros(0, np.int64)
    rows = postings.rows_with(term, fields).astype(np.int64)
    return rows[visible[rows]]


def _summed(counts: Sequence[Counts]) -> Counts:
    return Counts(
        files_indexed=sum(each.files_indexed for each in counts),
        files_eligible=sum(each.files_eligible for each in counts),
        chunks_indexed=sum(each.chunks_indexed for each in counts),
        chunks_visible=sum(each.chunks_visible for each in counts),
        tombstones_added=sum(each.tombstones_added for each in counts),
        lengths=tuple(sum(own) for own in zip(*(each.lengths for each in counts), strict=True)),
    )
