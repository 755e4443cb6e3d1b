"""The best files of a ranked snapshot, with the features that confidence is computed from."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.index.lexical.bm25 import inverse_document_frequency
from ggrep.index.lexical.layout import FILE_FIELDS, SCORED_FIELDS
from ggrep.index.lexical.postings import Rows
from ggrep.index.lexical.tokens import word_terms
from ggrep.model.confidence import MOST_TOP_FILES, TopFile, TopFiles, Wording, ordered_top_files
from ggrep.model.request import CollectionStatistics
from ggrep.search.query.eligible import Mask
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.score import DECIMALS, SegmentScores
from ggrep.search.query.segments import SearchableSegment, run_starts
from ggrep.search.query.understand import ParsedQuery
from ggrep.search.query.weights import Weights

Scores = npt.NDArray[np.float64]

_LEXICAL_PARTS = ("path", "stem", "symbol", "location", "verbatim")

_SILENT_CHUNKS = 50
"""Chunks that hold none of the words, thought beside those of the collection.

In three files a word that stands in each of them is no common word. In thousands these are nothing.
"""


class _BestRows(Struct, frozen=True):
    """The best eligible row of each file that has one, files in ascending order."""

    files: Rows
    rows: npt.NDArray[np.int64]
    scores: Scores

    def at_least(self, floor: float) -> "_BestRows":
        kept = self.scores >= floor
        return _BestRows(self.files[kept], self.rows[kept], self.scores[kept])


class ConfidenceFeatures:
    """Computes the features of one query over one snapshot.

    Args:
        query: the query that was scored.
        statistics: of the collection it was scored against.
        weights: those in force for its kind.
    """

    def __init__(
        self, query: ParsedQuery, statistics: CollectionStatistics, weights: Weights
    ) -> None:
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
        self._weights = weights

    def leading(
        self,
        segments: Sequence[SearchableSegment],
        scores: Sequence[SegmentScores],
        eligible: Sequence[Mask],
    ) -> TopFiles:
        """Return the files with the best eligible rows.

        All files that tie with the last one are looked at, so that their figures decide and not
        where they lie.
        """
        best = [_best_rows(*part) for part in zip(segments, scores, eligible, strict=True)]
        floor = _floor([item.scores for item in best])
        leaders: list[TopFile] = []
        for segment, scored, rows in zip(segments, scores, best, strict=True):
            leaders += self._leaders(segment, scored, rows.at_least(floor))
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
        self, segment: SearchableSegment, scored: SegmentScores, best: _BestRows
    ) -> list[TopFile]:
        if not len(best.files):
            return []
        found = np.zeros(len(best.files), dtype=np.float64)
        idfs = dict(zip(self._roots, self._idfs, strict=True))
        spelt = np.ones(len(best.files), dtype=np.bool_)
        for term in self._query.terms:
            if term in self._borders:
                continue
            ways = [_held(segment, way, best.files) for way in self._ways_of(term)]
            held = np.logical_or.reduce(ways)
            spelt &= held
            found += idfs.get(term, 0.0) * held
        columns = (
            best.scores,
            np.round(self._evidence(segment, scored, best), DECIMALS),
            np.round(scored.stems[best.files], DECIMALS),
            np.round(found / sum(self._idfs), DECIMALS),
            spelt,
        )
        return [TopFile(*figures) for figures in zip(*(c.tolist() for c in columns), strict=True)]

    def _ways_of(self, term: str) -> list[str]:
        """Return a term, and the words as they are spelt that it is the stem of."""
        return [term, *(word for word, terms in self._spelt if term in terms[1:])]

    def _evidence(
        self, segment: SearchableSegment, scored: SegmentScores, best: _BestRows
    ) -> Scores:
        """Return what words, paths and names give the rows: their scores without an encoder.

        And without what only puts the best files in order. A filter may hide the best row of a
        file; how the others are weighed is no evidence either. A score grows with the rarity of
        the words, which is enlarged where a small collection can have none.
        """
        image, weights, lexical = segment.image, self._weights, scored.exact
        held = np.flatnonzero(lexical)
        own = lexical[held]
        cubes = np.bincount(image.row_files[held], weights=own * own * own, minlength=image.files)
        evidence: Scores = weights.text * lexical[best.rows]
        evidence += weights.file * np.cbrt(cubes[best.files])
        for name in _LEXICAL_PARTS:
            if name in scored.parts:
                evidence += scored.parts[name].at(best.rows)
        evidence *= scored.parts["prior"].at(best.rows) * self._enlarged
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


def _held(segment: SearchableSegment, term: str, files: Rows) -> Mask:
    """Return for each file whether a row of it, or its path, contains `term`."""
    bounds = segment.image.file_rows
    held = np.zeros(len(files), dtype=np.bool_)
    if (place := segment.row_postings.find(term)) is not None:
        starts, ends = bounds[files], bounds[files + np.uint32(1)]
        held |= segment.row_postings.within(place, range(SCORED_FIELDS), starts, ends)
    if (place := segment.file_postings.find(term)) is not None:
        ends = files + np.uint32(1)
        held |= segment.file_postings.within(place, range(FILE_FIELDS), files, ends)
    return held


def _best_rows(segment: SearchableSegment, scored: SegmentScores, mask: Mask) -> _BestRows:
    """Return each file's best eligible row; the first of several."""
    if scored.is_empty:
        return _BestRows(np.zeros(0, np.uint32), np.zeros(0, np.int64), np.zeros(0))
    rows = np.flatnonzero(mask & (scored.total > 0.0))
    if not len(rows):
        return _BestRows(np.zeros(0, np.uint32), rows, np.zeros(0))
    files, scores = segment.image.row_files[rows], scored.total[rows]
    starts = run_starts(files)
    best = np.maximum.reduceat(scores, np.flatnonzero(starts))
    group = np.cumsum(starts) - 1
    hit = np.flatnonzero(scores == best[group])
    first = hit[run_starts(group[hit])]
    return _BestRows(files[first], rows[first], best)


def _floor(best: Sequence[Scores]) -> float:
    """Return the score of the last leading file; 0 if all files lead."""
    scores = np.concatenate([*best, np.zeros(0)])
    if len(scores) <= MOST_TOP_FILES:
        return 0.0
    return float(-np.partition(-scores, MOST_TOP_FILES - 1)[MOST_TOP_FILES - 1])
