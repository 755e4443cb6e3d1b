"""Exhaustive scoring: every visible row of every segment, no candidate sets.

The score of a row is a function of the query, the row, its file and the collection statistics
(promise P3). Nothing here looks at which other rows score how.
"""

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.index.embedding.quantise import Int8, cosines
from ggrep.index.lexical.bm25 import Bm25, FieldWeights, WeightedTerm, inverse_document_frequency
from ggrep.index.lexical.layout import FILE_FIELDS, SCORED_FIELDS, STEM, SYMBOL
from ggrep.index.lexical.postings import Rows, union
from ggrep.model.corpus import CORPORA, Mode
from ggrep.model.files import TEST
from ggrep.model.request import CollectionStatistics
from ggrep.search.query.blend import Signals, blend
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.named import files_defining, name_scores
from ggrep.search.query.query_paths import location_shares
from ggrep.search.query.segments import SearchableSegment, run_starts
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
DECIMALS = 9
"""Scores are rounded here, before any comparison, so that every list anywhere is ordered by the
figures it shows."""

_ZERO = np.zeros((), dtype=np.float64)
DEFINITIONS = frozenset(
    {"function", "method", "class", "interface", "enum", "typealias", "module", "constant"}
)


class QueryVector(Struct, frozen=True):
    """The encoded query, and the weight of its cosines."""

    values: Int8
    scale: float
    fusion: Fusion


class RowScores(Struct, frozen=True):
    """Figures of some rows, indexed by row.

    Attributes:
        rows: ascending.
        otherwise: the figure of others.
    """

    rows: npt.NDArray[np.int64]
    values: Scores
    otherwise: float = 0.0

    def at(self, rows: npt.NDArray[np.int64]) -> Scores:
        """Return the figures of rows that are all present."""
        found: Scores = self.values[np.searchsorted(self.rows, rows)]
        return found

    def __getitem__(self, row: int) -> float:
        """Return the row's figure."""
        place = int(np.searchsorted(self.rows, row))
        held = place < len(self.rows) and int(self.rows[place]) == row
        return float(self.values[place]) if held else self.otherwise


class SegmentScores(Struct, frozen=True):
    """Scores of one segment's rows, each float64 (rows,).

    Attributes:
        total: what hits are ordered by; 0 for rows that are hidden or have no evidence.
        lexical: the secondary score.
        parts: the components of `total`, by name, before factors; and the factors.
        stems: per file, the share of its stem that the query spells.
        exact: `lexical` of every row before it is rounded, of those too that score 0.
    """

    total: Scores
    lexical: Scores
    parts: dict[str, RowScores]
    stems: Scores
    exact: Scores

    @property
    def is_empty(self) -> bool:
        """Return whether all rows score 0, as known without looking at them."""
        return not self.parts


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
        """Return the scores of all rows of one segment.

        Only rows with evidence of their own are blended; the others score 0. Those that hold the
        query word for word are handed in, as that takes their text.
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
        image = segment.image
        signals, lexical, stem = self.signals(segment, deadline, verbatim)
        fusion = self._vector.fusion if self._vector else FUSION["none"]
        total, parts = blend(signals, self._weights, fusion)
        return SegmentScores(
            _spread(image.rows, signals.rows, np.round(total, DECIMALS)),
            _spread(image.rows, signals.rows, np.round(signals.lexical, DECIMALS)),
            {name: RowScores(signals.rows, part) for name, part in parts.items()},
            stem,
            lexical,
        )

    def signals(
        self,
        segment: SearchableSegment,
        deadline: Deadline,
        verbatim: npt.NDArray[np.int64] | None = None,
    ) -> tuple[Signals, Scores, Scores]:
        """Return the unweighted evidence for the rows that have any.

        And the lexical score of every row, and per file the share of its stem that is queried.
        """
        image = segment.image
        lengths = [image.row_lengths(field) for field in range(SCORED_FIELDS)]
        lexical = self._rows.score(segment.row_postings, lengths, image.rows)
        hidden = None if segment.visible_files.all() else ~segment.visible_rows
        if hidden is not None:
            lexical[hidden] = 0.0
        deadline.check("lexical scoring")
        cosine, near = self._cosines(segment, hidden)
        deadline.check("dense scoring")
        path, stem = self._path_scores(segment)
        symbol = self._symbol_scores(segment)
        location = location_shares(segment, self._query.places) if self._query.places else None
        rows = self._grounded(segment, lexical, (near, symbol, location), path + stem, hidden)
        files = image.row_files[rows].astype(np.int64)
        found = Signals(
            rows=rows,
            files=files,
            anchors=image.row_anchors[rows],
            lexical=lexical[rows],
            evidence=_file_evidence(files, lexical[rows], image.files)[files],
            path=path[files],
            stem=stem[files],
            symbol=symbol[rows],
            location=None if location is None else location[rows],
            verbatim=_held(rows, verbatim),
            cosine=cosine[rows],
            near=None if near is None else near[rows],
            near_file=None if near is None else _best_shown(segment, near)[files],
            prior=self._priors(segment, rows, files),
        )
        return found, lexical, stem

    def _may_score(self, segment: SearchableSegment) -> bool:
        """Return False where no row can have evidence: nothing of the query is in any of them."""
        dense = self._vector is not None and bool(segment.vectors)
        if dense or self._query.places:
            return True
        names = {*self._query.terms, *self._query.symbols}
        sets = (segment.row_postings, segment.file_postings)
        return any(postings.find(name) is not None for name in names for postings in sets)

    def _grounded(
        self,
        segment: SearchableSegment,
        own: Scores,
        of_rows: tuple[Scores | None, ...],
        of_files: Scores,
        hidden: npt.NDArray[np.bool_] | None,
    ) -> npt.NDArray[np.int64]:
        """Return the visible rows with evidence of their own, ascending."""
        grounded = own > 0.0
        for found in of_rows:
            if found is not None:
                grounded |= found > 0.0
        if (held := of_files > 0.0).any():
            grounded |= held[segment.image.row_files]
        if hidden is not None:
            grounded[hidden] = False
        return np.flatnonzero(grounded)

    def _terms(self, space: str) -> list[WeightedTerm]:
        """Return the query's terms with their idf among chunks or files; unknown ones too."""
        documents = getattr(self._statistics, space)
        weighted = []
        for term in self._query.terms:
            if (entry := self._by_term.get(term)) is not None:
                spelling = self._weights.spelling if term in self._query.spellings else 1.0
                share = spelling * self._query.share(term)
                idf = inverse_document_frequency(documents, getattr(entry, space))
                weighted.append(WeightedTerm(term, share * idf))
        return weighted

    def _cosines(
        self, segment: SearchableSegment, hidden: npt.NDArray[np.bool_] | None
    ) -> tuple[Scores, Scores | None]:
        """Return each row's cosine, and its weight, 0 to 1.

        Zeros and None where there is no encoder, or it is switched off.
        """
        if self._vector is None or not segment.vectors or not self._weights.dense:
            return np.broadcast_to(_ZERO, segment.image.rows), None
        vector = self._vector
        parts, start = [], 0
        for part in segment.vectors:
            scales = segment.image.scales[start : start + len(part)]
            parts.append(cosines(part, scales, vector.values, vector.scale))
            start += len(part)
        cosine = parts[0] if len(parts) == 1 else np.concatenate(parts)
        if hidden is not None:
            cosine[hidden] = 0.0
        np.maximum(cosine, 0.0, out=cosine)
        floor = vector.fusion.floor
        near: Scores = np.maximum(cosine - floor, 0.0)
        near *= 1.0 / (1.0 - floor)
        return cosine, near

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
        touched: list[Rows] = []
        for name in self._query.symbols:
            entry = self._by_term.get(name)
            holding = entry.chunks if entry else 0
            share = inverse_document_frequency(self._statistics.chunks, holding)
            rows = segment.row_postings.rows_with(name, range(SYMBOL, SYMBOL + 1))
            scores[rows] += share
            if len(rows):
                touched.append(rows)
        if touched:
            rows = union(touched)
            scores[rows] = np.minimum(scores[rows] / self._symbol_total, 1.0)
        if self._query.kind is QueryKind.SYMBOL and self._query.names:
            return name_scores(segment, self._query.names[0], scores)
        return scores

    def _priors(
        self, segment: SearchableSegment, rows: npt.NDArray[np.int64], files: npt.NDArray[np.int64]
    ) -> Scores:
        """Return, for each of `rows`, the product of its path's, corpus' and kind's factors."""
        image = segment.image
        by_file = np.ones(image.files, dtype=np.float64)
        kinds = np.array(
            [self._weights.definition if name in DEFINITIONS else 1.0 for name in image.types]
            or [1.0]
        )
        prior: Scores = kinds[image.row_types[rows]]
        if not self._weights.priors:
            return prior
        for trait, factor in TRAIT_FACTORS.items():
            if trait == TEST:
                factor = 1.0 if self._query.wants_tests else factor  # noqa: PLW2901 - spared
            factors = np.where((image.file_traits & trait) != 0, factor, 1.0)
            if trait == TEST and self._query.names:
                named = files_defining(segment, self._query.names)
                factors[named] = np.where(factors[named] < NAMED_TEST, NAMED_TEST, factors[named])
            by_file *= factors
        corpora = np.array([CORPUS_FACTORS[self._mode][corpus] for corpus in CORPORA])
        by_corpus: Scores = by_file[files] * corpora[image.row_corpora[rows]]
        return by_corpus * prior


def _file_evidence(files: npt.NDArray[np.int64], own: Scores, number: int) -> Scores:
    """Return, per file, the 3-norm of its visible rows' evidence.

    Several good chunks add up, many weak ones hardly. Summed in source order by `bincount`, and
    rooted value by value: the figure does not depend on where in a segment the file lies. Rows
    without evidence add nothing, and need not be among `files`.
    """
    cubes = np.bincount(files, weights=own * own * own, minlength=number)
    evidence: Scores = np.cbrt(cubes)
    return evidence


def _held(rows: npt.NDArray[np.int64], verbatim: npt.NDArray[np.int64] | None) -> Scores | None:
    """Return 1 for those of `rows` that are in `verbatim`, else 0; None where that is empty."""
    if verbatim is None or not len(verbatim):
        return None
    held: Scores = np.isin(rows, verbatim).astype(np.float64)
    return held


def _best_shown(segment: SearchableSegment, near: Scores) -> Scores:
    """Return, per file, the best figure of its rows, header chunks aside; 0 without any."""
    image = segment.image
    files = image.row_files
    best = np.zeros(image.files, dtype=np.float64)
    if len(files):
        begins = np.flatnonzero(run_starts(files))
        shown = np.where(image.row_anchors == 0, near, 0.0)
        best[files[begins]] = np.maximum.reduceat(shown, begins)
    return best


def _spread(size: int, rows: npt.NDArray[np.int64], values: Scores) -> Scores:
    spread = np.zeros(size, dtype=np.float64)
    spread[rows] = values
    return spread


def _no_scores(segment: SearchableSegment) -> SegmentScores:
    rows = np.broadcast_to(_ZERO, segment.image.rows)
    return SegmentScores(rows, rows, {}, np.broadcast_to(_ZERO, segment.image.files), rows)
