"""The best files of a ranked snapshot, with the features that confidence is computed from."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.index.lexical.bm25 import inverse_document_frequency
from ggrep.index.lexical.layout import FILE_FIELDS, SCORED_FIELDS
from ggrep.index.lexical.tokens import word_terms
from ggrep.model.confidence import MOST_TOP_FILES, TopFile, TopFiles, Wording, ordered_top_files
from ggrep.model.request import CollectionStatistics
from ggrep.search.query.best_rows import BestRows, last_of_best
from ggrep.search.query.eligible import Mask
from ggrep.search.query.file_features import holdings
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.score import DECIMALS, Places, SegmentScores
from ggrep.search.query.segments import SearchableSegment, run_starts
from ggrep.search.query.understand import ParsedQuery

Scores = npt.NDArray[np.float64]

_LEXICAL_PARTS = ("text", "file", "path", "stem", "symbol", "location", "verbatim")

_SILENT_CHUNKS = 50
"""Chunks that hold none of the words, thought beside those of the collection.

In three files a word that stands in each of them is no common word. In thousands these are nothing.
"""


class _LeadingRows(Struct, frozen=True):
    """The best row of each leading file, files in ascending order.

    Attributes:
        places: int64: the rows' places among all that score.
    """

    files: Places
    places: Places
    scores: Scores


class ConfidenceFeatures:
    """Computes the features of one query over one snapshot.

    Args:
        query: the query that was scored.
        statistics: of the collection it was scored against.
    """

    def __init__(self, query: ParsedQuery, statistics: CollectionStatistics) -> None:
        self._query = query
        roots = [term for term in query.terms if term not in query.spellings]
        # A letter stands somewhere in any collection, which says nothing beside a word.
        self._roots = [term for term in roots if not _is_letter(term)] or roots
        # Where TCPConnector stands, so does `tcpconnector`, and not what would be its stem.
        self._spelt = [(word, word_terms(word)) for word in sorted(query.spellings)]
        counted = {
            term: max(statistics.frequency(each).chunks for each in self._ways_of(term))
            for term in self._roots
        }
        self._borders = _borders_of_words(query, counted)
        self._roots = [term for term in self._roots if term not in self._borders]
        frequencies = [counted[term] for term in self._roots]
        shares = [query.share(term) for term in self._roots]
        pairs = list(zip(shares, frequencies, strict=True))
        unknown = sum(share for share, frequency in pairs if not frequency)
        self._unknown = round(unknown / sum(shares), DECIMALS)
        chunks = statistics.chunks + _SILENT_CHUNKS
        self._idfs = [share * inverse_document_frequency(chunks, each) for share, each in pairs]
        self._weight = sum(self._idfs) / math.log(chunks + 2)
        scored = sum(
            share * inverse_document_frequency(statistics.chunks, each) for share, each in pairs
        )
        self._enlarged = self._weight / (scored / math.log(statistics.chunks + 2))

    def leading(
        self,
        segments: Sequence[SearchableSegment],
        scores: Sequence[SegmentScores],
        best: Sequence[BestRows],
    ) -> TopFiles:
        """Return the files with the best rows that may be shown.

        All files that tie with the last one are looked at, so that their figures decide and not
        where they lie.
        """
        figures = [each.best.max(axis=0) for each in best]
        floor = last_of_best([each[each > 0.0] for each in figures], MOST_TOP_FILES)
        leaders: list[TopFile] = []
        for segment, scored, each, figure in zip(segments, scores, best, figures, strict=True):
            leading = (figure >= floor) & (figure > 0.0)
            if leading.any():
                leaders += self._leaders(segment, scored, _leading_rows(scored, each, leading))
        weight = round(self._weight, DECIMALS)
        return TopFiles(ordered_top_files(leaders), weight, self._unknown, self._wording())

    def _wording(self) -> Wording:
        query = self._query
        if query.kind is QueryKind.PHRASE or any(" " in phrase for phrase in query.phrases):
            return Wording.QUOTED
        if query.is_vague or all(map(_is_letter, self._roots)):
            return Wording.VAGUE
        return Wording.NAME if query.kind is QueryKind.SYMBOL else Wording.PLAIN

    def _leaders(
        self, segment: SearchableSegment, scored: SegmentScores, best: _LeadingRows
    ) -> list[TopFile]:
        found = np.zeros(len(best.files), dtype=np.float64)
        idfs = dict(zip(self._roots, self._idfs, strict=True))
        spelt = np.ones(len(best.files), dtype=np.bool_)
        holding = _holding(segment, self._query.terms, best.files)
        for term in self._query.terms:
            if term in self._borders:
                continue
            held = np.logical_or.reduce([holding[way] for way in self._ways_of(term)])
            spelt &= held
            found += idfs.get(term, 0.0) * held
        columns = (
            best.scores,
            np.round(self._evidence(scored, best.places), DECIMALS),
            np.round(scored.stems[best.files], DECIMALS),
            np.round(found / sum(self._idfs), DECIMALS),
            spelt,
        )
        return [TopFile(*figures) for figures in zip(*(c.tolist() for c in columns), strict=True)]

    def _ways_of(self, term: str) -> list[str]:
        """Return a term, and the words as they are spelt that it is the stem of."""
        return [term, *(word for word, terms in self._spelt if term in terms[1:])]

    def _evidence(self, scored: SegmentScores, places: Places) -> Scores:
        """Return what words, paths and names give the rows: their scores without an encoder.

        And without what only puts the best files in order. A filter may hide the best row of a
        file; how the others are weighed is no evidence either. A score grows with the rarity of
        the words, which is enlarged where a small collection can have none.
        """
        evidence = np.zeros(len(places))
        for name in _LEXICAL_PARTS:
            if name in scored.parts:
                evidence += scored.parts[name].at(places)
        evidence *= scored.parts["prior"].at(places) * self._enlarged
        return evidence


def _borders_of_words(query: ParsedQuery, counted: Mapping[str, int]) -> frozenset[str]:
    """Return the pairs of letters that stand nowhere, between two pairs that stand somewhere.

    In a run of two words the last letter of the first and the first letter of the second are one.
    """
    held = [term for term, chunks in counted.items() if chunks and query.share(term) < 1.0]
    firsts = {letter for pair in held for letter in word_terms(pair)[1:]}
    lasts = {pair.removeprefix(word_terms(pair)[-1]) for pair in held}
    borders = set()
    for pair, chunks in counted.items():
        if not chunks and query.share(pair) < 1.0:
            _, first = word_terms(pair)
            if first in lasts and pair.removeprefix(first) in firsts:
                borders.add(pair)
    return frozenset(borders)


def _is_letter(term: str) -> bool:
    """Return whether a term is one letter or digit; in other scripts one sign may be a word."""
    return len(term) == 1 and term.isascii()


def _holding(segment: SearchableSegment, terms: Sequence[str], files: Places) -> Mapping[str, Mask]:
    """Return for each term and file whether a row of the file, or its path, contains the term."""
    bounds = segment.image.file_rows
    rows = holdings(segment.row_postings, terms, SCORED_FIELDS, bounds[files], bounds[files + 1])
    paths = holdings(segment.file_postings, terms, FILE_FIELDS, files, files + 1)
    held: Mask = np.logical_or.reduce(rows.numbers, 1) | np.logical_or.reduce(paths.numbers, 1)
    return dict(zip(terms, held, strict=True))


def _leading_rows(scored: SegmentScores, best: BestRows, files: Mask) -> _LeadingRows:
    """Return the best row of some files; the first of several."""
    numbers, at = best.rows_of(files)
    total = best.scores(scored, numbers, at)
    hit = np.flatnonzero(total == best.best.max(axis=0)[at])
    first = hit[run_starts(at[hit])]
    return _LeadingRows(best.runs.files[files], best.places[numbers[first]], total[first])
