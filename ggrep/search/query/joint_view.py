"""Combines several snapshots into one view, which is equal to one store of all their files.

Scoring, ordering and reading use the same code as for one snapshot. A row's score is a function of
the query, the row, its file and the collection (promise P3), so the order of the members does not
change it.
"""

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.cache import Cache
from ggrep.base.clock import Deadline
from ggrep.base.errors import NoIndex, SnapshotGone
from ggrep.base.ids import SegmentName
from ggrep.index.lexical.layout import (
    CHUNK_FIELDS,
    FILE_FIELDS,
    LEXICAL_LAYOUT,
    SCORED_FIELDS,
)
from ggrep.index.lexical.postings import Postings
from ggrep.index.packs.pack_image import FILE_RANKS, Pack, PackedSegment, can_pack
from ggrep.index.store.manifest import Counts
from ggrep.index.store.row_texts import RowTexts
from ggrep.index.store.segment_image import FILE_POSTINGS, ROW_POSTINGS
from ggrep.index.store.view import SnapshotView
from ggrep.model.batched_query import BatchedFigures
from ggrep.search.query.segments import SearchableSegment, keep_segments, open_segments
from ggrep.search.query.understand import ParsedQuery

Places = npt.NDArray[np.int64]


class JointView(SnapshotView, frozen=True, eq=False):
    """Snapshots of several stores as one view; its manifest has the sums of their counts.

    Attributes:
        members: the snapshots, in the order that breaks ties between equal rows.
        unpacked: index of the snapshot, and name, of each segment that is in no pack.
    """

    members: tuple[SnapshotView, ...] = ()
    unpacked: tuple[tuple[int, SegmentName], ...] = ()

    def require_intact(self, members: Collection[int]) -> None:
        """Raise if a file of some snapshots has changed since its verification.

        Raises:
            SnapshotGone: a file has changed.
        """
        require_still([self.members[member] for member in sorted(members)])

    def gone(self) -> SnapshotGone | NoIndex | None:
        """Return the error to raise if a snapshot was removed; None while all snapshots exist."""
        return next((error for view in self.members if (error := view.gone())), None)

    def packable(self) -> frozenset[tuple[str, str]]:
        """Return store and name of each segment that is in no pack, but can be packed."""
        segments = set()
        for member, name in self.unpacked:
            for segment in self.members[member].segments:
                if segment.image.name == name and can_pack(segment.image):
                    segments.add((str(self.members[member].manifest.store_id), str(name)))
        return frozenset(segments)

    def require_still(self) -> None:
        """Raise unless the images of segments outside of packs are unchanged since verification.

        Raises:
            SnapshotGone: a file has changed.
        """
        self.require_intact({member for member, _ in self.unpacked})


class _Figures(Struct, frozen=True):
    """Numbers of visible chunks and files that contain a term, per snapshot, int64 (snapshots,)."""

    chunks: Places
    files: Places


def require_still(views: Sequence[SnapshotView]) -> None:
    """Raise if a file of some snapshots has changed since its verification.

    The check is necessary because reading from a mapped file that was truncated kills the process.

    Raises:
        SnapshotGone: a file has changed, or a store is damaged; a request that queries only its
            repository reports the reason.
    """
    for view in views:
        if view.notices or not view.lies_still():
            raise SnapshotGone(
                "files of a repository have changed since they were indexed; query "
                "this repository alone"
            )


def join(members: Sequence[SnapshotView], packs: Sequence[Pack] = ()) -> JointView:
    """Return the view of at least one snapshot.

    Args:
        members: the snapshots, in the order that breaks ties between equal rows.
        packs: packs from which segments can be read; a segment is read from the first pack that
            contains it.

    Raises:
        SnapshotGone: see `require_still`.
    """
    require_still(members)
    joining = _Joining()
    packed = {
        (segment.store_id, segment.segment, segment.image_sha256): (number, segment)
        for number, pack in reversed([*enumerate(packs)])
        for segment in pack.segments
    }
    shown: dict[int, list[tuple[PackedSegment, int, npt.NDArray[np.bool_]]]] = {}
    for member, view in enumerate(members):
        digests = {ref.table: ref.image.sha256 for ref in view.manifest.segments}
        for segment in open_segments(view):
            name = segment.image.name
            key = (view.manifest.store_id, name, digests.get(name, ""))
            if (place := packed.get(key)) is None:
                joining.add_unpacked(segment, member)
                continue
            shown.setdefault(place[0], []).append((place[1], member, segment.visible_files))
    for number, parts in sorted(shown.items()):
        joining.add_pack(packs[number], parts)
    derived = Cache()
    keep_segments(derived, tuple(joining.segments))
    first = members[0]
    manifest = replace(first.manifest, counts=_summed([view.manifest.counts for view in members]))
    return JointView(
        store=first.store,
        manifest=manifest,
        segments=(),
        derived=derived,
        members=tuple(members),
        unpacked=tuple(joining.unpacked),
    )


class _Joining:
    """Collects the segments of a joint view."""

    def __init__(self) -> None:
        self.segments: list[SearchableSegment] = []
        self.unpacked: list[tuple[int, SegmentName]] = []

    def add_unpacked(self, segment: SearchableSegment, member: int) -> None:
        """Add a segment that is in no pack."""
        image = segment.image
        self.unpacked.append((member, image.name))
        owners = np.full(image.files, member, dtype=np.uint32)
        self.segments.append(
            replace(segment, image=replace(image, name=self._name()), owners=owners)
        )

    def add_pack(
        self, pack: Pack, parts: Sequence[tuple[PackedSegment, int, npt.NDArray[np.bool_]]]
    ) -> None:
        """Add a pack: the shown segments, each with its snapshot's index and its visible files."""
        image = pack.image
        visible = np.zeros(image.files, dtype=np.bool_)
        owners = np.zeros(image.files, dtype=np.uint32)
        for segment, member, files in sorted(parts, key=lambda part: part[0].first_row):
            part = slice(segment.first_file, segment.first_file + segment.files)
            visible[part] = files
            owners[part] = member
        self.segments.append(
            SearchableSegment(
                image=replace(image, name=self._name()),
                row_postings=Postings.from_arrays(image.arrays, ROW_POSTINGS, CHUNK_FIELDS),
                file_postings=Postings.from_arrays(image.arrays, FILE_POSTINGS, FILE_FIELDS),
                visible_files=visible,
                visible_rows=visible[image.row_files],
                owners=owners,
                ranks=image.arrays[FILE_RANKS].view(np.uint32),
                texts=RowTexts(image),
                vectors=image.vectors(),
            )
        )

    def _name(self) -> SegmentName:
        return SegmentName(f"{len(self.segments)}")


def owners_of(segment: SearchableSegment) -> Places:
    """Return the index of each file's snapshot in a joint view, int64 (files,).

    Raises:
        ValueError: the segment belongs to the snapshot of one store.
    """
    if segment.owners is None:
        raise ValueError(f"segment {segment.image.name} is not part of the joint view")
    return segment.owners.astype(np.int64)


def member_figures(view: JointView, query: ParsedQuery, deadline: Deadline) -> BatchedFigures:
    """Return each snapshot's statistics for a query; their sums are the statistics of the view."""
    names = sorted({*query.terms, *query.symbols}, key=lambda term: term.encode())
    figures = []
    for name in names:
        deadline.check("statistics")
        figures.append(_figures(view, name))
    counts = [member.manifest.counts for member in view.members]
    return BatchedFigures(
        layout=LEXICAL_LAYOUT,
        chunks=tuple(each.chunks_visible for each in counts),
        files=tuple(each.files_indexed for each in counts),
        lengths=tuple(zip(*(each.lengths for each in counts), strict=True)),
        terms=tuple(names),
        held=tuple(tuple(term.chunks.tolist()) for term in figures),
        named=tuple(tuple(term.files.tolist()) for term in figures),
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
        named = _visible(segment.file_postings, term, range(FILE_FIELDS), segment.visible_files)
        files += np.bincount(owners[named], minlength=number)
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
        lengths=tuple(map(sum, zip(*(each.lengths for each in counts), strict=True))),
    )
