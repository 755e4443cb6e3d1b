"""Computes the lines of the whole definition for each chunk that is part of a definition.

A long definition is cut into several chunks. The first chunk has the definition's name; the others
have this name at the end of their breadcrumb.
"""

from collections.abc import Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from ggrep.model.corpus import Corpus
from ggrep.model.files import ANCHOR, Chunk

Trail: TypeAlias = tuple[str, ...]
Extent: TypeAlias = tuple[int, int]
"""First and last line, 1-based."""

MAX_ROWS: Final = 1_000
"""Maximum number of chunks of a file for which these lines are computed."""


class Step(Struct, frozen=True):
    """The position of a chunk among definitions.

    Attributes:
        trail: names of the enclosing definitions and of the chunk's own definition.
        begins: whether a definition begins in the chunk.
    """

    trail: Trail
    begins: bool

    @classmethod
    def of(cls, name: str, breadcrumb: Sequence[str]) -> "Step":
        """Return the step of a chunk with a name and a breadcrumb."""
        return cls((*breadcrumb, name) if name else tuple(breadcrumb), bool(name))


def widened(steps: Sequence[Step], span: tuple[int, int], trail: Trail) -> tuple[int, int]:
    """Return the chunks around `span` that belong to the definition with a trail.

    The result begins with the last chunk up to `span` in which such a definition begins, because
    two consecutive definitions can have the same name.
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


def extents_of(chunks: Sequence[Chunk]) -> list[Extent | None]:
    """Return, for each chunk of a file, the lines of the definition of which it is a part."""
    extents: list[Extent | None] = [None] * len(chunks)
    if len(chunks) > MAX_ROWS:
        return extents
    places = [place for place, chunk in enumerate(chunks) if chunk.kind != ANCHOR]
    steps = [Step.of(chunks[place].name, chunks[place].breadcrumb) for place in places]
    spans: dict[tuple[Trail, int], tuple[int, int]] = {}
    for number, place in enumerate(places):
        if not _is_part(chunks, place):
            continue
        trail = steps[number].trail
        span = spans.get((trail, number))
        if span is None:
            span = widened(steps, (number, number), trail)
            for other in range(span[0], span[1] + 1):
                if steps[other].trail == trail:
                    spans[trail, other] = span
        first, last = span
        if first < last:
            ends = (chunks[each].end_line for each in places[first : last + 1])
            extents[place] = chunks[places[first]].start_line, max(ends)
    return extents


def _is_part(chunks: Sequence[Chunk], place: int) -> bool:
    """Return whether a chunk can be a part of a definition that is cut into several chunks."""
    chunk = chunks[place]
    if chunk.corpus is not Corpus.CODE:
        return False
    if not chunk.name:
        return bool(chunk.breadcrumb)
    return place + 1 < len(chunks) and chunks[place + 1].chunk_type == chunk.chunk_type


def _within(step: Step, trail: Trail) -> bool:
    return step.trail[: len(trail)] == trail


def _begins(step: Step, trail: Trail) -> bool:
    return step.begins and step.trail == trail
