"""The repository's own collection statistics for one query."""

import numpy as np
import numpy.typing as npt

from ggrep.base.clock import Deadline
from ggrep.index.lexical.layout import FILE_FIELDS, LEXICAL_LAYOUT, SCORED_FIELDS
from ggrep.index.lexical.postings import Postings
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
        chunks += _count(segment.row_postings, term, range(SCORED_FIELDS), segment.visible_rows)
        files += _count(segment.file_postings, term, range(FILE_FIELDS), segment.visible_files)
    return TermFrequency(term, chunks, files)


def _count(postings: Postings, term: str, fields: range, visible: npt.NDArray[np.bool_]) -> int:
    if postings.find(term) is None:
        return 0
    return int(np.count_nonzero(visible[postings.rows_with(term, fields)]))
