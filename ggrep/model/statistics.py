"""Collection statistics: the basis of relevance scores, and how they add up.

They are those of the visible rows of a whole snapshot, never of one segment, and those of
several repositories are sums. That is why a workspace can score as one collection (design,
promises P2 and P4).
"""

from collections.abc import Iterable
from typing import Annotated

from msgspec import Struct

from ggrep.base.errors import Incompatible
from ggrep.model.says import MOST_COUNT, MOST_QUERY_BYTES, Sent


class TermFrequency(Struct, frozen=True):
    """How many visible chunks and files hold a term in any field."""

    term: Annotated[str, Sent(MOST_QUERY_BYTES)]
    chunks: Annotated[int, Sent(MOST_COUNT)]
    files: Annotated[int, Sent(MOST_COUNT)]


class CollectionStatistics(Struct, frozen=True):
    """The figures that scoring needs beside the row itself.

    Attributes:
        layout: revision of the lexical layout; figures of different layouts do not add up.
        chunks: visible chunks, anchors included.
        files: visible files, empty ones included.
        lengths: total weighted length of all visible rows, one figure per field, in the
            layout's order. Integers, so that sums are exact in any order.
        terms: one entry per query term, by the bytes of the term.
    """

    layout: Annotated[str, Sent(128)]
    chunks: Annotated[int, Sent(MOST_COUNT)]
    files: Annotated[int, Sent(MOST_COUNT)]
    lengths: Annotated[tuple[int, ...], Sent(64, each=(0, MOST_COUNT))]
    terms: Annotated[tuple[TermFrequency, ...], Sent(1024)]

    def frequency(self, term: str) -> TermFrequency:
        """Return the figures of `term`; zeros when it was not asked for."""
        for entry in self.terms:
            if entry.term == term:
                return entry
        return TermFrequency(term, 0, 0)


def sum_statistics(parts: Iterable[CollectionStatistics]) -> CollectionStatistics:
    """Return the figures of the union of disjoint collections.

    Raises:
        Incompatible: the parts use different lexical layouts.
    """
    items = list(parts)
    layouts = {part.layout for part in items}
    if len(layouts) != 1:
        raise Incompatible(f"statistics of different lexical layouts: {sorted(layouts)}")
    totals: dict[str, tuple[int, int]] = {}
    for part in items:
        for entry in part.terms:
            chunks, files = totals.get(entry.term, (0, 0))
            totals[entry.term] = (chunks + entry.chunks, files + entry.files)
    return CollectionStatistics(
        layout=items[0].layout,
        chunks=sum(part.chunks for part in items),
        files=sum(part.files for part in items),
        lengths=tuple(sum(column) for column in zip(*(p.lengths for p in items), strict=True)),
        terms=tuple(
            TermFrequency(term, *totals[term])
            for term in sorted(totals, key=lambda term: term.encode())
        ),
    )
