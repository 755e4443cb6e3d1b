"""Scores every visible row of every segment, without candidate sets.

The score of a row depends on the query, the row, its file and the collection statistics (promise
P3), but not on the scores of other rows.
"""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.index.embedding.quantise import Int8, cosines
from ggrep.index.lexical.bm25 import Bm25, FieldWeights, WeightedTerm, inverse_document_frequency
from ggrep.index.lexical.layout import FILE_FIELDS, NAME, SCORED_FIELDS, STEM, SYMBOL
from ggrep.index.lexical.postings import Rows
from ggrep.index.store.segment_image import SegmentImage
from ggrep.model.corpus import CORPORA, Mode
from ggrep.model.files import TEST
from ggrep.model.request import CollectionStatistics
from ggrep.search.query.blend import Part, Signals, blend
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.named import RowShares, files_defining, name_scores, summed
from ggrep.search.query.query_paths import location_shares
from ggrep.search.query.segments import FileRuns, SearchableSegment
from ggrep.search.query.understand import ParsedQuery
from ggrep.search.query.weights import (
    CORPUS_FACTORS,
    FUSION,
    NAMED_TEST,
    TRAIT_FACTORS,
    Fusion,
    Weights,
)

Scores = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
DECIMALS = 9
"""Digits to which scores are rounded before any comparison: lists are ordered by shown scores."""

DEFINITIONS = frozenset(
    {"function", "method", "class", "interface", "enum", "typealias", "module", "constant"}
)
_FUNCTIONS = frozenset({"function", "method"})


class QueryVector(Struct, frozen=True):
    """The encoded query and the weights of its cosines."""

    values: Int8
    scale: float
    fusion: Fusion


class SegmentScores(Struct, frozen=True):
    """Scores of one segment's visible rows with evidence; all others score 0.

    Attributes:
        rows: int64 (n,), ascending.
        files: int64 (n,): the file of each row.
        corpora: uint8 (n,): the position of each row's corpus in CORPORA.
        total: float64 (n,), rounded: the scores that order hits, without the learned factor.
        lexical: float64 (n,), not rounded: the secondary score.
        parts: the components of `total` and its factors, by name.
        stems: float64 (files,): the share of each file's stem that the query spells.
    """

    rows: Places
    files: Places
    corpora: npt.NDArray[np.uint8]
    total: Scores
    lexical: Scores
    parts: dict[str, Part]
    stems: Scores

    def at(self, rows: Places) -> Scores:
        """Return the scores of some rows, which may be rows without evidence."""
        return _picked(self.total, self._places(rows))

    def part_at(self, name: str, row: int) -> float:
        """Return a component of a row's score."""
        places = self._places(np.array([row]))
        return float(self.parts[name].at(places)[0]) if places[0] >= 0 else 0.0

    def only(self, image: SegmentImage, rows: Places) -> "SegmentScores":
        """Return the scores of exactly the rows in `rows`, with or without evidence."""
        places, files = self._places(rows), image.row_files[rows].astype(np.int64)
        parts = {
            name: Part(part.weight, _picked(part.values, places))
            for name, part in self.parts.items()
        }
        total, lexical = _picked(self.total, places), _picked(self.lexical, places)
        corpora = image.row_corpora[rows]
        return SegmentScores(rows, files, corpora, total, lexical, parts, self.stems)

    def _places(self, rows: Places) -> Places:
        """Return the positions of rows among those with evidence; -1 for rows without evidence."""
        if not len(self.rows):
            return np.full(len(rows), -1)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[places] == rows, places, -1)


def _picked(values: Scores, places: Places) -> Scores:
    """Return the values at some positions; 0 for the position -1."""
    if not len(values):
        return np.zeros(len(places))
    return np.where(places >= 0, values[places], 0.0)


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
        self._symbol_total = sum(term.idf for term in self._terms("chunks"))

    def score(
        self,
        segment: SearchableSegment,
        deadline: Deadline,
        verbatim: npt.NDArray[np.int64] | None = None,
    ) -> SegmentScores:
        """Return the scores of the rows of one segment; rows without evidence score 0.

        `verbatim` are the rows that contain the query word for word, found by the caller.
        """
        if not self._may_score(segment):
            return _no_scores(segment)
        return self._scored(segment, deadline, verbatim)

    def _scored(
        self,
        segment: SearchableSegment,
        deadline: Deadline,
        verbatim: npt.NDArray[np.int64] | None,
    ) -> SegmentScores:
        signals, runs, stem = self.signals(segment, deadline, verbatim)
        fusion = self._vector.fusion if self._vector else FUSION["none"]
        total, parts = blend(signals, runs, self._weights, fusion)
        np.round(total, DECIMALS, out=total)
        corpora = segment.image.row_corpora.take(signals.rows)
        return SegmentScores(
            signals.rows, signals.files, corpora, total, signals.lexical, parts, stem
        )

    def signals(
        self,
        segment: SearchableSegment,
        deadline: Deadline,
        verbatim: npt.NDArray[np.int64] | None = None,
    ) -> tuple[Signals, FileRuns, Scores]:
        """Return the unweighted evidence for all rows with any evidence, and these rows' files.

        The last value is the share of each file's stem that the query spells.
        """
        image = segment.image
        lengths = [image.row_lengths(field) for field in range(SCORED_FIELDS)]
        lexical = self._rows.score(segment.row_postings, lengths, image.rows)
        hidden = None if segment.visible_files.all() else ~segment.visible_rows
        if hidden is not None:
            lexical[hidden] = 0.0
        deadline.check("lexical scoring")
        cosine, floor = self._cosines(segment)
        deadline.check("dense scoring")
        path, stem = self._path_scores(segment)
        symbol = self._symbol_scores(segment)
        location = location_shares(segment, self._query.places) if self._query.places else None
        grounded = lexical > 0.0
        grounded[symbol.rows] = True
        if cosine is not None:
            grounded |= cosine > floor
        if location is not None:
            grounded |= location > 0.0
        grounded[segment.rows_of_files(np.flatnonzero(path + stem))] = True  # both are at least 0
        if hidden is not None:
            grounded[hidden] = False
        rows = np.flatnonzero(grounded)
        # `take` needs half the time of indexing.
        files = image.row_files.take(rows).astype(np.int64)
        anchors, runs = image.row_anchors.take(rows), FileRuns.of(files)
        row_lexical, near = lexical.take(rows), None
        if cosine is not None:
            cosine, near = nearness(cosine.take(rows), floor)
        signals = Signals(
            rows=rows,
            files=files,
            anchors=anchors,
            lexical=row_lexical,
            evidence=runs.repeated(_file_evidence(files, row_lexical, image.files)[runs.files]),
            path=runs.repeated(path[runs.files]),
            stem=runs.repeated(stem[runs.files]),
            symbol=symbol.among(rows),
            location=None if location is None else location[rows],
            verbatim=_is_verbatim(rows, verbatim),
            cosine=np.zeros(len(rows)) if cosine is None else cosine,
            near=near,
            near_file=None if near is None else _best_shown(runs, anchors, near),
            prior=self._priors(segment, rows, runs),
            substance=self._substance(segment, rows) if self._weights.passage else None,
        )
        return signals, runs, stem

    def _may_score(self, segment: SearchableSegment) -> bool:
        dense = self._vector is not None and bool(segment.vectors)
        if dense or self._query.places:
            return True
        names = {*self._query.terms, *self._query.symbols}
        sets = (segment.row_postings, segment.file_postings)
        return any(postings.find(name) is not None for name in names for postings in sets)

    def _terms(self, space: str) -> list[WeightedTerm]:
        """Return the query's terms with weighted idf, counted in `space`: chunks or files."""
        documents = getattr(self._statistics, space)
        weighted = []
        for term in self._query.terms:
            if (entry := self._by_term.get(term)) is not None:
                spelling = self._weights.spelling if term in self._query.spellings else 1.0
                share = spelling * self._query.share(term)
                idf = inverse_document_frequency(documents, getattr(entry, space))
                weighted.append(WeightedTerm(term, share * idf))
        return weighted

    def _cosines(self, segment: SearchableSegment) -> tuple[Scores | None, float]:
        """Return each row's cosine, and the floor above which it counts.

        Without an encoder, or if its weight is 0, return None instead of the cosines.
        """
        vector = self._vector
        if vector is None or not segment.vectors or not self._weights.dense:
            return None, 0.0
        parts, start = [], 0
        for part in segment.vectors:
            scales = segment.image.scales[start : start + len(part)]
            parts.append(cosines(part, scales, vector.values, vector.scale))
            start += len(part)
        cosine = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return cosine, vector.fusion.floor

    def _path_scores(self, segment: SearchableSegment) -> tuple[Scores, Scores]:
        """Return, per file, BM25 of its path and the share of its stem that the query spells."""
        files = segment.image.files
        lengths = [segment.image.file_lengths(field) for field in range(FILE_FIELDS)]
        path = self._paths.score(segment.file_postings, lengths, files)
        matched = np.zeros(files, dtype=np.float64)
        for term in self._query.terms:
            matched[segment.file_postings.rows_with(term, range(STEM, STEM + 1))] += 1.0
        stem = np.minimum(matched / np.maximum(lengths[STEM], 1), 1.0)
        return path, stem

    def _symbol_scores(self, segment: SearchableSegment) -> RowShares:
        """Return the idf of the query's names that rows define, as a share of all terms' idf."""
        if self._symbol_total <= 0.0:
            return RowShares(np.zeros(0, np.int64), np.zeros(0))
        shares: list[tuple[Rows, float]] = []
        for name in self._query.symbols:
            entry = self._by_term.get(name)
            holding = entry.chunks if entry else 0
            share = inverse_document_frequency(self._statistics.chunks, holding)
            rows = segment.row_postings.rows_with(name, range(SYMBOL, SYMBOL + 1))
            shares.append((rows, share))
        spelled = summed(shares)
        parts = RowShares(spelled.rows, np.minimum(spelled.shares / self._symbol_total, 1.0))
        if self._query.kind is QueryKind.SYMBOL and self._query.names:
            return name_scores(segment, self._query.names[0], parts)
        return parts

    def _priors(self, segment: SearchableSegment, rows: Places, runs: FileRuns) -> Scores:
        """Return, for each of `rows`, the product of the factors of its path, corpus and type."""
        image = segment.image
        by_file = np.ones(image.files, dtype=np.float64)
        kinds = np.array(
            [self._weights.definition if name in DEFINITIONS else 1.0 for name in image.types]
            or [1.0]
        )
        prior: Scores = kinds.take(image.row_types.take(rows))
        if not self._weights.priors:
            return prior
        for trait, factor in TRAIT_FACTORS.items():
            if trait == TEST:
                factor = 1.0 if self._query.wants_tests else factor  # noqa: PLW2901 - an override
            factors = np.where((image.file_traits & trait) != 0, factor, 1.0)
            if trait == TEST and self._query.names:
                named = files_defining(segment, self._query.names)
                factors[named] = np.where(factors[named] < NAMED_TEST, NAMED_TEST, factors[named])
            by_file *= factors
        corpora = np.array([CORPUS_FACTORS[self._mode][corpus] for corpus in CORPORA])
        by_corpus = runs.repeated(by_file[runs.files])
        by_corpus *= corpora.take(image.row_corpora.take(rows))
        by_corpus *= prior
        return by_corpus

    def _substance(self, segment: SearchableSegment, rows: Places) -> Scores:
        """Return, for each of `rows`, how good an answer the row alone can be.

        The value is the eighth root of the row's number of lines; higher for functions and for
        names in the query.
        """
        image, weights = segment.image, self._weights
        starts, ends = image.row_lines(0, image.rows)
        further_lines = ends.take(rows) - starts.take(rows)
        roots = np.arange(1.0, further_lines.max(initial=0) + 2.0)
        for _ in range(3):
            np.sqrt(roots, out=roots)
        substance: Scores = roots.take(further_lines)
        kinds = np.array(
            [1.0 + weights.function * (name in _FUNCTIONS) for name in image.types] or [1.0]
        )
        substance *= kinds.take(image.row_types.take(rows))
        substance *= 1.0 + weights.name * self._named(segment).take(rows)
        return substance

    def _named(self, segment: SearchableSegment) -> Scores:
        """Return the share of the query's terms, weighted by idf, in each row's names, 0 to 1."""
        terms = [term for term in self._terms("chunks") if term.term not in self._query.spellings]
        total = sum(term.idf for term in terms)
        shares = np.zeros(segment.image.rows)
        for term in terms if total > 0.0 else ():
            named = segment.row_postings.rows_with(term.term, range(NAME, NAME + 1))
            shares[named] += term.idf / total
        return shares


def nearness(cosine: Scores, floor: float) -> tuple[Scores, Scores]:
    """Return the cosines, at least 0, and the same cosines scaled so that the floor becomes 0."""
    cosine = np.maximum(cosine, 0.0)
    near: Scores = np.maximum(cosine - floor, 0.0)
    near *= 1.0 / (1.0 - floor)
    return cosine, near


def _file_evidence(files: npt.NDArray[np.int64], lexical: Scores, number: int) -> Scores:
    """Return, per file, the 3-norm of its visible rows' evidence.

    In the 3-norm, several good chunks count more than one, but many weak chunks hardly count.
    `bincount` sums in source order, so the value does not depend on the position of the file in a
    segment. Rows without evidence add nothing and can be left out.
    """
    cubes = np.bincount(files, weights=lexical * lexical * lexical, minlength=number)
    evidence: Scores = np.cbrt(cubes)
    return evidence


def _best_shown(runs: FileRuns, anchors: npt.NDArray[np.uint8], near: Scores) -> Scores:
    """Return, for each row, the best value among the rows of its file, except header chunks."""
    return runs.repeated(runs.highest(near * (anchors == 0)))


def _is_verbatim(
    rows: npt.NDArray[np.int64], verbatim: npt.NDArray[np.int64] | None
) -> Scores | None:
    """Return 1 for each of `rows` that is in `verbatim`, else 0; None if `verbatim` is empty."""
    if verbatim is None or not len(verbatim):
        return None
    marks: Scores = np.isin(rows, verbatim).astype(np.float64)
    return marks


def _no_scores(segment: SearchableSegment) -> SegmentScores:
    rows, none = np.zeros(0, np.int64), np.zeros(0)
    corpora = np.zeros(0, np.uint8)
    return SegmentScores(rows, rows, corpora, none, none, {}, np.zeros(segment.image.files))
