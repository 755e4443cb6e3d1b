"""Computes the collection statistics of one snapshot for one query."""

from ggrep.base.clock import Deadline
from ggrep.index.lexical.layout import FILE_FIELDS, LEXICAL_LAYOUT, SCORED_FIELDS
from ggrep.index.store.view import SnapshotView
from ggrep.model.request import CollectionStatistics, TermFrequency
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.query.understand import ParsedQuery


def collection_statistics(
    view: SnapshotView,
    segments: tuple[SearchableSegment, ...],
    query: ParsedQuery,
    deadline: Deadline,
) -> CollectionStatistics:
    """Return document frequencies of the query's terms and symbols over all visible rows."""
    names = sorted({*query.terms, *query.symbols}, key=lambda term: term.encode())
    frequencies = []
    for term in names:
        deadline.check("statistics")
        frequencies.append(_frequency(segments, term))
    counts = view.manifest.counts
    return CollectionStatistics(
        layout=LEXICAL_LAYOUT,
        chunks=counts.chunks_visible,
        files=counts.files_indexed,
        lengths=counts.lengths,
        terms=tuple(frequencies),
    )


def _frequency(segments: tuple[SearchableSegment, ...], term: str) -> TermFrequency:
    chunks = files = 0
    for segment in segments:
        rows, paths = segment.row_postings, segment.file_postings
        chunks += rows.count_with(term, range(SCORED_FIELDS), segment.visible_rows)
        files += paths.count_with(term, range(FILE_FIELDS), segment.visible_files)
    return TermFrequency(term, chunks, files)
