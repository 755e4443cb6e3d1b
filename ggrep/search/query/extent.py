"""How far the definition reaches of which a chunk is a part.

A long definition is cut into several chunks. Its first one has its name; the others have it at the
end of their breadcrumb.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from ggrep.index.store.rows import ShownRow
from ggrep.index.store.view import SnapshotView
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.search.query.order import Candidate
from ggrep.search.query.row_reading import row_columns
from ggrep.search.query.segments import SearchableSegment

Trail: TypeAlias = tuple[str, ...]
Extent: TypeAlias = tuple[int, int]
"""First and last line, 1-based."""

MAX_ROWS: Final = 1_000
"""Chunks of a file that are looked at; of one with more no extent is told."""


class Step(Struct, frozen=True):
    """What a chunk says of where it stands.

    Attributes:
        trail: the definitions around it, including its own.
        begins: a definition begins in it.
    """

    trail: Trail
    begins: bool


def widened(steps: Sequence[Step], span: tuple[int, int], trail: Trail) -> tuple[int, int]:
    """Return the chunks around `span` that are of the definition with that trail.

    One chunk in which a definition of that trail begins is its first: two of one name may stand
    behind each other.
    """
    first, last = span
    while first > 0 and not _begins(steps[first], trail) and _within(steps[first - 1], trail):
        first -= 1
    while (
        last + 1 < len(steps)
        and _within(steps[last + 1], trail)
        and not _begins(steps[last + 1], trail)
    ):
        last += 1
    return first, last


def extents(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    candidates: Sequence[Candidate],
    shown: Sequence[ShownRow],
) -> list[Extent | None]:
    """Return the lines of the definition that each candidate is only a part of, if it is.

    Nothing is read for one that is whole by what the chunk behind it is.

    Args:
        view: the snapshot.
        segments: of it.
        candidates: of code, documents have no definitions.
        shown: their rows, in the same order.

    Raises:
        CorruptStore, SnapshotGone, NoIndex: as `row_columns`.
    """
    parts = [
        _is_part(segments[one.segment], one, row)
        for one, row in zip(candidates, shown, strict=True)
    ]
    files: dict[int, set[int]] = defaultdict(set)
    for one, part in zip(candidates, parts, strict=True):
        if part:
            files[one.segment].add(one.file)
    told = {place: _steps(view, segments[place], sorted(wanted)) for place, wanted in files.items()}
    return [
        _extent(segments[one.segment], one, told[one.segment]) if part else None
        for one, part in zip(candidates, parts, strict=True)
    ]


def _is_part(segment: SearchableSegment, candidate: Candidate, row: ShownRow) -> bool:
    """Return whether a chunk may be a part: it has no name of its own, or one of its kind follows.

    A chunk with signature and name that no chunk of its kind follows is whole.
    """
    image = segment.image
    if CORPORA[candidate.corpus] is not Corpus.CODE or image.row_anchors[candidate.row]:
        return False
    if len(segment.rows_of(candidate.file)) > MAX_ROWS:
        return False
    if not row.name:
        return bool(row.breadcrumb)
    after = candidate.row + 1
    if after >= segment.rows_of(candidate.file).stop:
        return False
    return bool(image.row_types[after] == image.row_types[candidate.row])


def _steps(
    view: SnapshotView, segment: SearchableSegment, files: Sequence[int]
) -> Mapping[int, Step]:
    """Return what the chunks of some files say, by row."""
    image = segment.image
    rows = sorted(
        row for file in files for row in segment.rows_of(file) if not image.row_anchors[row]
    )
    names, crumbs = row_columns(view, segment, rows, ("name", "breadcrumb"))
    return {
        row: Step((*crumb, name) if name else tuple(crumb), bool(name))
        for row, name, crumb in zip(rows, names, crumbs, strict=True)
    }


def _extent(
    segment: SearchableSegment, candidate: Candidate, told: Mapping[int, Step]
) -> Extent | None:
    image = segment.image
    rows = [row for row in segment.rows_of(candidate.file) if row in told]
    place, steps = rows.index(candidate.row), [told[row] for row in rows]
    first, last = widened(steps, (place, place), steps[place].trail)
    if first == last:
        return None
    return image.lines(rows[first])[0], max(image.lines(row)[1] for row in rows[first : last + 1])


def _within(step: Step, trail: Trail) -> bool:
    return step.trail[: len(trail)] == trail


def _begins(step: Step, trail: Trail) -> bool:
    return step.begins and step.trail == trail
