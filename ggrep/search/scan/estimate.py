"""Estimates the collection statistics of a tree of which only the best files were chunked.

Those are counted; of all others it is known how often each needle stands in them, and how large
they are. What a needle's count means in chunks is taken to be the same there as here.
"""

from ggrep.model.statistics import CollectionStatistics, TermFrequency
from ggrep.search.scan.sighting import Sighted, Sightings


def estimated(
    counted: CollectionStatistics, seen: Sightings, ranked: list[Sighted]
) -> CollectionStatistics:
    """Return the figures of all that was seen.

    Args:
        counted: those of the files that were cut.
        seen: everything.
        ranked: the files that were cut.
    """
    own_bytes = sum(one.file.size_bytes for one in ranked)
    places = range(len(seen.needles))
    own_counts = [sum(one.counts[place] for one in ranked) for place in places]
    own_holding = [sum(1 for one in ranked if one.counts[place]) for place in places]
    chunks = max(counted.chunks, _scaled(counted.chunks, seen.bytes_read, own_bytes))
    found: dict[str, TermFrequency] = {}
    for place, needle in enumerate(seen.needles):
        for term in needle.terms:
            held = counted.frequency(term)
            more = _scaled(
                held.chunks, seen.totals[place] - own_counts[place], own_counts[place]
            ) or (seen.holding[place] - own_holding[place])
            found[term] = TermFrequency(
                term, min(chunks, held.chunks + more), max(held.files, seen.paths[place])
            )
    return CollectionStatistics(
        layout=counted.layout,
        chunks=chunks,
        files=max(counted.files, seen.files),
        lengths=tuple(_scaled(total, seen.bytes_read, own_bytes) for total in counted.lengths),
        terms=tuple(found.get(entry.term, entry) for entry in counted.terms),
    )


def _scaled(figure: int, whole: int, part: int) -> int:
    """Return what a figure of a part comes to in the whole, rounded up."""
    return -(-figure * whole // part) if part else 0
