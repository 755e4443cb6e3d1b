"""The best files of a ranked snapshot, with the features from which confidence is computed."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.index.lexical.bm25 import inverse_document_frequency
from ggrep.index.lexical.layout import FILE_FIELDS, SCORED_FIELDS
from ggrep.index.lexical.postings import Rows
from ggrep.index.lexical.tokens import query_terms, spelled_words, whole_terms, word_terms
from ggrep.model.confidence import (
    MOST_LACKING,
    MOST_TOP_FILES,
    TopFile,
    TopFiles,
    Wording,
    ordered_top_files,
)
from ggrep.model.request import CollectionStatistics
from ggrep.search.query.best_rows import BestRows, last_of_best
from ggrep.search.query.common_words import general_weight
from ggrep.search.query.correction import CORRECTED
from ggrep.search.query.eligible import Mask
from ggrep.search.query.file_features import holdings
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.score import DECIMALS, Places, SegmentScores
from ggrep.search.query.segments import SearchableSegment, run_starts
from ggrep.search.query.understand import ParsedQuery, is_stop_word

Scores = npt.NDArray[np.float64]

_LEXICAL_PARTS = ("text", "file", "path", "stem", "symbol", "location", "verbatim")

_SPOKEN: Final = CORRECTED | {QueryKind.SYMBOL}
"""Queries in words and names.

Messages, paths and quoted text are omitted, because they can contain values of a program's run,
which no file contains.
"""
_WORDS_BESIDE_A_NAME: Final = 2
"""Maximum number of other words per unknown name in a query that counts as unknown names."""

_SILENT_CHUNKS = 50
"""Number of empty chunks by which the collection is counted as larger than it is.

Without them, a word that occurs in all files of a collection of three files would count as common.
In a collection of thousands of files they make no difference.
"""


class _LeadingRows(Struct, frozen=True):
    """The best row of each leading file, files in ascending order.

    Attributes:
        places: int64: the rows' positions among all rows with a score.
    """

    files: Places
    places: Places
    scores: Scores


class ConfidenceFeatures:
    """Computes the features of one query over one snapshot.

    Args:
        query: the scored query.
        statistics: the statistics of the collection, as used for the scores.
    """

    def __init__(self, query: ParsedQuery, statistics: CollectionStatistics) -> None:
        self._query = query
        roots = [term for term in query.terms if term not in query.spellings]
        # Single letters occur in any collection, so they say nothing in a query with words.
        self._roots = [term for term in roots if not _is_letter(term)] or roots
        # A row with TCPConnector contains the term `tcpconnector`, but not its stem.
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
        self._names = _unknown_names(query, statistics)
        words = sum(shares) + len(self._names)
        self._unknown = round((unknown + len(self._names)) / words, DECIMALS)
        self._lacking = _unknown_words(query, statistics)
        chunks = statistics.chunks + _SILENT_CHUNKS
        self._idfs = [share * inverse_document_frequency(chunks, each) for share, each in pairs]
        self._weight = sum(self._idfs) / math.log(chunks + 2)
        self._general = [
            share * general_weight(term) for term, share in zip(self._roots, shares, strict=True)
        ]
        rarest = math.log(chunks + 2)
        self._topics = [
            max(general - idf / rarest, 0.0)
            for general, idf in zip(self._general, self._idfs, strict=True)
        ]
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

        If several files have the score of the last file, their features, not their positions,
        decide which of them are returned.
        """
        figures = [each.best.max(axis=0) for each in best]
        floor = last_of_best([each[each > 0.0] for each in figures], MOST_TOP_FILES)
        leaders: list[TopFile] = []
        for segment, scored, each, figure in zip(segments, scores, best, figures, strict=True):
            leading = (figure >= floor) & (figure > 0.0)
            if leading.any():
                leaders += self._leaders(segment, scored, _leading_rows(scored, each, leading))
        weight = round(self._weight, DECIMALS)
        return TopFiles(
            leaders=ordered_top_files(leaders),
            weight=weight,
            unknown=self._unknown,
            wording=self._wording(),
            names=self._names[:MOST_LACKING],
            words=self._lacking[:MOST_LACKING],
        )

    def _wording(self) -> Wording:
        query = self._query
        if query.kind is QueryKind.PHRASE or any(" " in phrase for phrase in query.phrases):
            return Wording.QUOTED
        if query.is_vague or all(map(_is_letter, self._roots)):
            return Wording.VAGUE
        others = len(_words_beside_names(query))
        if self._names and others <= _WORDS_BESIDE_A_NAME * len(self._names):
            return Wording.UNKNOWN
        return Wording.NAME if query.kind is QueryKind.SYMBOL else Wording.PLAIN

    def _leaders(
        self, segment: SearchableSegment, scored: SegmentScores, best: _LeadingRows
    ) -> list[TopFile]:
        matched = np.zeros(len(best.files), dtype=np.float64)
        rows, bounds = scored.rows[best.places].astype(np.uint32), segment.image.file_rows
        ranges = (
            np.concatenate((bounds[best.files], rows)),
            np.concatenate((bounds[best.files + np.uint32(1)], rows + np.uint32(1))),
        )
        idfs = dict(zip(self._roots, self._idfs, strict=True))
        spelt = np.ones(len(best.files), dtype=np.bool_)
        row, topic = np.zeros(len(best.files)), np.zeros(len(best.files))
        general = dict(zip(self._roots, zip(self._general, self._topics, strict=True), strict=True))
        ways_of = {
            term: self._ways_of(term) for term in self._query.terms if term not in self._borders
        }
        terms = [*dict.fromkeys(way for ways in ways_of.values() for way in ways)]
        in_files, in_rows = _holding(segment, terms, best.files, ranges)
        for term, ways in ways_of.items():
            in_file = np.logical_or.reduce([in_files[way] for way in ways])
            spelt &= in_file
            if term in idfs:
                in_row = np.logical_or.reduce([in_rows[way] for way in ways])
                matched += idfs[term] * in_file
                row += general[term][0] * in_row
                topic += general[term][1] * in_row
        columns = (
            best.scores,
            np.round(self._evidence(scored, best.places), DECIMALS),
            np.round(row / (sum(self._general) or 1.0), DECIMALS),
            np.round(topic, DECIMALS),
            np.round(matched / sum(self._idfs), DECIMALS),
            spelt,
        )
        return [TopFile(*figures) for figures in zip(*(c.tolist() for c in columns), strict=True)]

    def _ways_of(self, term: str) -> list[str]:
        """Return a term and the words of the query that have the term as stem."""
        return [term, *(word for word, terms in self._spelt if term in terms[1:])]

    def _evidence(self, scored: SegmentScores, places: Places) -> Scores:
        """Return the part of the rows' scores that comes from words, paths and names.

        Factors that only order the best files are left out. Scores grow with the rarity of the
        words. No word can be rare in a small collection, so there the evidence is scaled up.
        """
        evidence = np.zeros(len(places))
        for name in _LEXICAL_PARTS:
            if name in scored.parts:
                evidence += scored.parts[name].at(places)
        evidence *= scored.parts["prior"].at(places) * self._enlarged
        return evidence


def _borders_of_words(query: ParsedQuery, counted: Mapping[str, int]) -> frozenset[str]:
    """Return the query's letter pairs that no text contains, between pairs that texts contain.

    A pair at the border of two words consists of the last letter of one word and the first letter
    of the next word.
    """
    pairs = [term for term, chunks in counted.items() if chunks and query.share(term) < 1.0]
    firsts = {letter for pair in pairs for letter in word_terms(pair)[1:]}
    lasts = {pair.removeprefix(word_terms(pair)[-1]) for pair in pairs}
    borders = set()
    for pair, chunks in counted.items():
        if not chunks and query.share(pair) < 1.0:
            _, first = word_terms(pair)
            if first in lasts and pair.removeprefix(first) in firsts:
                borders.add(pair)
    return frozenset(borders)


def _unknown_names(query: ParsedQuery, statistics: CollectionStatistics) -> tuple[str, ...]:
    """Return the query's names, as typed, that no chunk and no path of the collection contains.

    For a query of one plain word, other forms of the word also count.
    """
    if query.kind not in _SPOKEN:
        return ()
    names = []
    for name in query.names:
        last = name.rpartition(".")[2]
        whole = whole_terms(last)
        if len(whole) == 1 and whole[0] in query.terms:
            terms = query_terms(last) if last.isalpha() and last.islower() else whole
            if not any(_occurs(statistics, term) for term in terms):
                names.append(name)
    return tuple(names)


def _unknown_words(query: ParsedQuery, statistics: CollectionStatistics) -> tuple[str, ...]:
    """Return the query's words, except names, of which no form occurs in the collection."""
    if query.kind not in _SPOKEN:
        return ()
    unknown = [
        word
        for word in _words_beside_names(query)
        if not any(_occurs(statistics, term) for term in query_terms(word))
        and all(term in query.terms for term in query_terms(word))
    ]
    return tuple(dict.fromkeys(unknown))


def _words_beside_names(query: ParsedQuery) -> list[str]:
    """Return the query's words that are neither parts of names nor question words."""
    parts = {part for name in query.names for part in spelled_words(name)}
    words = spelled_words(query.text)
    return [word for word in words if word not in parts and not is_stop_word(word)]


def _occurs(statistics: CollectionStatistics, term: str) -> bool:
    frequency = statistics.frequency(term)
    return bool(frequency.chunks or frequency.files)


def _is_letter(term: str) -> bool:
    """Return whether a term is one ASCII character.

    In scripts other than Latin, one character can be a word.
    """
    return len(term) == 1 and term.isascii()


def _holding(
    segment: SearchableSegment, terms: Sequence[str], files: Places, ranges: tuple[Rows, Rows]
) -> tuple[Mapping[str, Mask], Mapping[str, Mask]]:
    """For each term, return the files that contain it in text or path, and the best rows with it.

    Args:
        segment: the segment of the files.
        terms: distinct terms.
        files: files of the segment.
        ranges: the starts and the ends of row ranges: each file's rows, then each file's best row.
    """
    rows = holdings(segment.row_postings, terms, SCORED_FIELDS, *ranges)
    paths = holdings(segment.file_postings, terms, FILE_FIELDS, files, files + 1)
    in_ranges: Mask = np.logical_or.reduce(rows.numbers, 1)
    in_files = in_ranges[:, : len(files)] | np.logical_or.reduce(paths.numbers, 1)
    return dict(zip(terms, in_files, strict=True)), dict(
        zip(terms, in_ranges[:, len(files) :], strict=True)
    )


def _leading_rows(scored: SegmentScores, best: BestRows, files: Mask) -> _LeadingRows:
    """Return the best row of each of some files; of equal rows, the first."""
    numbers, at = best.rows_of(files)
    total = best.scores(scored, numbers, at)
    hit = np.flatnonzero(total == best.best.max(axis=0)[at])
    first = hit[run_starts(at[hit])]
    return _LeadingRows(best.runs.files[files], best.places[numbers[first]], total[first])
