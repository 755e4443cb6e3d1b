"""Exhaustive scoring: every visible row of every segment, no candidate sets.

The score of a row is a function of the query, the row, its file and the collection statistics
(promise P3). Nothing here looks at which other rows score how.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ggrep.domain.corpus import CORPORA, Mode
from ggrep.domain.deadline import Deadline
from ggrep.domain.statistics import CollectionStatistics
from ggrep.domain.traits import TEST
from ggrep.embedding.quantise import Int8, cosines
from ggrep.lexical.bm25 import Bm25, FieldWeights, WeightedTerm, inverse_document_frequency
from ggrep.lexical.layout import FILE_FIELDS, SCORED_FIELDS, STEM, SYMBOL
from ggrep.query.locations import location_shares
from ggrep.query.segments import SearchableSegment
from ggrep.query.understand import ParsedQuery
from ggrep.query.weights import CORPUS_FACTORS, TEST_FACTORS, TRAIT_FACTORS, Weights

Scores = npt.NDArray[np.float64]
DECIMALS = 9
"""Scores are rounded here, before any comparison, so that every list anywhere is ordered by the
figures it shows."""

_DEFINITIONS = frozenset(
    {"function", "method", "class", "interface", "enum", "typealias", "module", "constant"}
)


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The encoded query and how much its cosines count."""

    values: Int8
    scale: float
    weight: float


@dataclass(frozen=True, slots=True)
class SegmentScores:
    """Scores of one segment's rows, each float64 (rows,).

    Attributes:
        total: what hits are ordered by; 0 for rows that are hidden or have no evidence.
        lexical: the secondary score.
        parts: the components of `total`, by name, before factors; and the factors.
        stems: per file, the share of its stem that the query spells.
    """

    total: Scores
    lexical: Scores
    parts: dict[str, Scores]
    stems: Scores


class Scorer:
    """Scores segments for one query over one collection."""

    def __init__(
        self,
        query: ParsedQuery,
        statistics: CollectionStatistics,
        weights: Weights,
        mode: Mode,
        vector: QueryVector | None,
    ) -> None:
        self._query = query
        self._weights = weights
        self._mode = mode
        self._vector = vector
        self._by_term = {entry.term: entry for entry in statistics.terms}
        self._statistics = statistics
        averages = [total / max(statistics.chunks, 1) for total in statistics.lengths]
        self._rows = Bm25(self._terms("chunks"), weights.fields, averages, k1=weights.k1)
        plain = [FieldWeights(1.0, 0.0)] * FILE_FIELDS
        self._paths = Bm25(self._terms("files"), plain, [1.0] * FILE_FIELDS, k1=weights.k1)
        self._symbol_total = sum(term.idf for term in self._rows_terms(query.terms))

    def score(self, segment: SearchableSegment, deadline: Deadline) -> SegmentScores:
        """Return the scores of all rows of one segment."""
        image, weights = segment.image, self._weights
        lengths = [image.row_lengths(field) for field in range(SCORED_FIELDS)]
        lexical = self._rows.score(segment.row_postings, lengths, image.rows)
        lexical[~segment.visible_rows] = 0.0
        deadline.check("lexical scoring")
        own, cosine = self._blend(segment, lexical)
        deadline.check("dense scoring")
        evidence = _file_evidence(image.row_files, own, image.files)
        path, stem = self._path_scores(segment)
        symbol = self._symbol_scores(segment)
        by_row = image.row_files
        parts = {
            "text": weights.text * own,
            "file": weights.file * evidence[by_row],
            "path": weights.path * path[by_row],
            "stem": weights.stem * stem[by_row],
            "symbol": weights.symbol * symbol,
        }
        total = parts["text"] + parts["file"] + parts["path"] + parts["stem"] + parts["symbol"]
        grounded = (own > 0.0) | (symbol > 0.0) | ((path + stem)[by_row] > 0.0)
        if self._query.paths:
            location = location_shares(segment, self._query.paths)[by_row]
            parts["location"] = weights.location * location
            total += parts["location"]
            grounded |= location > 0.0
        prior = self._priors(segment)
        total = np.where(grounded & segment.visible_rows, total * prior, 0.0)
        further = _further(segment, total, weights.further)
        total *= further
        parts |= {"lexical": lexical, "cosine": cosine, "prior": prior, "further": further}
        return SegmentScores(np.round(total, DECIMALS), np.round(lexical, DECIMALS), parts, stem)

    def _terms(self, space: str) -> list[WeightedTerm]:
        """Return the query's terms with their idf among chunks or files; unknown ones too."""
        documents = getattr(self._statistics, space)
        weighted = []
        for term in self._query.terms:
            if (entry := self._by_term.get(term)) is not None:
                share = self._weights.spelling if term in self._query.spellings else 1.0
                idf = inverse_document_frequency(documents, getattr(entry, space))
                weighted.append(WeightedTerm(term, share * idf))
        return weighted

    def _rows_terms(self, terms: Sequence[str]) -> list[WeightedTerm]:
        return [term for term in self._terms("chunks") if term.term in terms]

    def _blend(self, segment: SearchableSegment, lexical: Scores) -> tuple[Scores, Scores]:
        """Return each row's own evidence, and its cosine (zeros without an encoder)."""
        vectors = segment.image.vectors
        if self._vector is None or vectors is None:
            return lexical, np.zeros_like(lexical)
        vector = self._vector
        cosine = cosines(vectors, segment.image.scales, vector.values, vector.scale)
        cosine = np.maximum(cosine, 0.0)
        cosine[~segment.visible_rows] = 0.0
        return vector.weight * cosine + (1.0 - vector.weight) * lexical, cosine

    def _path_scores(self, segment: SearchableSegment) -> tuple[Scores, Scores]:
        """Return, per file, BM25 of its path and the share of its stem that is queried."""
        files = segment.image.files
        lengths = [segment.image.file_lengths(field) for field in range(FILE_FIELDS)]
        path = self._paths.score(segment.file_postings, lengths, files)
        matched = np.zeros(files, dtype=np.float64)
        for term in self._query.terms:
            matched[segment.file_postings.rows_with(term, range(STEM, STEM + 1))] += 1.0
        stem = np.minimum(matched / np.maximum(lengths[STEM], 1), 1.0)
        return path, stem

    def _symbol_scores(self, segment: SearchableSegment) -> Scores:
        """Return, per row, how much of the query's weight it defines, 0 to 1."""
        scores = np.zeros(segment.image.rows, dtype=np.float64)
        if self._symbol_total <= 0.0:
            return scores
        for name in self._query.symbols:
            entry = self._by_term.get(name)
            holding = entry.chunks if entry else 0
            share = inverse_document_frequency(self._statistics.chunks, holding)
            rows = segment.row_postings.rows_with(name, range(SYMBOL, SYMBOL + 1))
            scores[rows] += share
        return np.minimum(scores / self._symbol_total, 1.0)

    def _priors(self, segment: SearchableSegment) -> Scores:
        """Return, per row, the product of its path's, corpus' and kind's factors."""
        image = segment.image
        by_file = np.ones(image.files, dtype=np.float64)
        kinds = np.array(
            [self._weights.definition if name in _DEFINITIONS else 1.0 for name in image.types]
            or [1.0]
        )
        prior: Scores = kinds[image.row_types]
        if not self._weights.priors:
            return prior
        for trait, factor in TRAIT_FACTORS.items():
            if trait == TEST:
                factor = 1.0 if self._query.wants_tests else TEST_FACTORS.get(self._mode, factor)  # noqa: PLW2901 - the intent's own factor
            by_file[(image.file_traits & trait) != 0] *= factor
        corpora = np.array([CORPUS_FACTORS[self._mode][corpus] for corpus in CORPORA])
        by_corpus: Scores = by_file[image.row_files] * corpora[image.row_corpora]
        return by_corpus * prior


def _file_evidence(row_files: npt.NDArray[np.uint32], own: Scores, files: int) -> Scores:
    """Return, per file, the 3-norm of its visible rows' evidence.

    Several good chunks add up, many weak ones hardly. Summed in source order by `bincount`, and
    rooted value by value: the figure does not depend on where in a segment the file lies.
    """
    cubes = np.bincount(row_files, weights=own * own * own, minlength=files)
    evidence: Scores = np.cbrt(cubes)
    return evidence


def _further(segment: SearchableSegment, total: Scores, factor: float) -> Scores:
    """Return, per row, 1 for the best of its file, else `factor`.

    Header chunks are not counted among the best: they are hardly ever shown.
    """
    image = segment.image
    starts = image.file_rows[:-1].astype(np.int64)
    filled = np.flatnonzero(np.diff(image.file_rows.astype(np.int64)))
    best = np.zeros(image.files, dtype=np.float64)
    if len(filled):
        shown = np.where(image.row_anchors == 0, total, 0.0)
        best[filled] = np.maximum.reduceat(shown, starts[filled])
    return np.where(total < best[image.row_files], factor, 1.0)
