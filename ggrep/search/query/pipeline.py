"""The query pipeline over one pinned snapshot: interpret, score, order, cut, format."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import Incompatible, InvalidRequest
from ggrep.config.languages import check_languages
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.embedding.quantise import Int8, quantise
from ggrep.index.lexical.layout import LEXICAL_LAYOUT
from ggrep.index.store.view import SnapshotView
from ggrep.model.confidence import MOST_TOP_FILES, TopFiles
from ggrep.model.filters import check_filters, keys_of_scope
from ggrep.model.limits import LimitHit
from ggrep.model.request import CollectionStatistics, EncodedQuery, Find, SearchRequest
from ggrep.model.sanitise import is_text
from ggrep.search.query.best_rows import BestRows, best_rows
from ggrep.search.query.confidence_features import ConfidenceFeatures
from ggrep.search.query.correction import CORRECTED, Correction
from ggrep.search.query.eligible import Mask, eligible_rows
from ggrep.search.query.file_features import FileFeatures
from ggrep.search.query.finding import (
    VerifiedRows,
    find_rows,
    narrowed,
    only_verified,
    read_query,
    seed_for,
    verified_leaders,
    wants_vector,
)
from ggrep.search.query.own_statistics import collection_statistics
from ggrep.search.query.phrases import rows_verbatim, rows_with_phrases
from ggrep.search.query.score import QueryVector, Scorer, SegmentScores
from ggrep.search.query.segments import SearchableSegment, open_segments
from ggrep.search.query.trees import ranking_forest
from ggrep.search.query.understand import ParsedQuery, parse_query
from ggrep.search.query.weights import DEFAULT_WEIGHTS, FUSION, Fusion, Weights, weights_for

_MOST_VERBATIM = 5000
"""If more chunks contain the query's rarest word, there is no search for its verbatim text."""


class Ranked(Struct, frozen=True):
    """The scores of one query over one snapshot, from which answers are made.

    Attributes:
        eligible: per segment bool (rows,): the rows that may be shown.
        best: per segment the rows that have a score and may be shown, with the factors of their
            files.
        correction: the learned correction of the scores of code; None if there is none.
        verified: the rows that the request's `find` matches; None if every row may be shown.
    """

    view: SnapshotView
    request: SearchRequest
    query: ParsedQuery
    statistics: CollectionStatistics
    segments: tuple[SearchableSegment, ...]
    scores: tuple[SegmentScores, ...]
    eligible: tuple[Mask, ...]
    weights: Weights
    fusion: Fusion
    best: tuple[BestRows, ...] = ()
    correction: Correction | None = None
    verified: VerifiedRows | None = None

    @property
    def limits(self) -> tuple[LimitHit, ...]:
        """Return the limits that the query and the search for verified rows hit."""
        return (*self.query.limits_hit, *(self.verified.limits if self.verified else ()))


def check_request(request: SearchRequest) -> None:
    """Raise if the request is invalid; needs no index.

    Raises:
        InvalidRequest: the query, the scope, a filter or a number is not valid.
    """
    texts = [("query", request.query), ("scope", request.scope)]
    filters = (*request.filters, *request.within)
    texts += [("filter", text) for item in filters for text in (item.key, item.value)]
    for name, text in texts:
        if not is_text(text):
            raise InvalidRequest(f"{name}: {text!r} is not valid Unicode")
    for key in keys_of_scope(request.scope):
        if not {"", ".", ".."}.isdisjoint(key.split("/")):
            raise InvalidRequest(f"scope: {key!r} is not a path inside the repository")
    for name in ("limit", "per_file", "timeout_ms"):
        if (value := getattr(request, name)) < 0:
            raise InvalidRequest(f"{name}: {value} is negative")
    check_filters(filters)
    check_languages(filters)
    read_query(request)


def statistics_of(
    view: SnapshotView, request: SearchRequest, deadline: Deadline
) -> CollectionStatistics:
    """Return the snapshot's statistics for the request's query."""
    segments = open_segments(view)
    seed = seed_for(segments, view, request, deadline)
    query = seed.query if seed else read_query(request)
    return collection_statistics(view, segments, query, deadline)


def rank(  # noqa: PLR0913 - the request, the collection and the weights
    view: SnapshotView,
    request: SearchRequest,
    *,
    encoder: Encoder | None,
    statistics: CollectionStatistics | None,
    deadline: Deadline,
    files: int,
    weights: Weights = DEFAULT_WEIGHTS,
    encoded: EncodedQuery | None = None,
) -> Ranked:
    """Score every visible row.

    Args:
        view: the pinned snapshot.
        request: the request.
        encoder: the encoder of the store; None without vectors.
        statistics: statistics to score against; None for the snapshot's own.
        deadline: checked between segments and stages.
        files: maximum number of files that the answer shows by score; 0 for no learned correction.
        weights: the weights of the score.
        encoded: the query's vector, if it is already encoded.

    Raises:
        InvalidRequest: the query or a filter cannot be understood.
        Incompatible: the statistics are of another lexical layout.
        DeadlineExceeded: time ran out.
    """
    check_filters((*request.filters, *request.within))
    segments = open_segments(view)
    seed = seed_for(segments, view, request, deadline)
    query = seed.query if seed else read_query(request)
    if statistics is None:
        statistics = collection_statistics(view, segments, query, deadline)
    if statistics.layout != LEXICAL_LAYOUT:
        raise Incompatible(
            f"the statistics have layout {statistics.layout} instead of {LEXICAL_LAYOUT}"
        )
    query = narrowed(query, request, statistics)
    vector = _query_vector(query, encoder if wants_vector(request) else None, encoded, deadline)
    weights = weights_for(query.kind, weights)
    scorer = Scorer(query, statistics, weights, request.mode, vector)
    copied = _verbatim_rows(view, segments, query, statistics, deadline)
    scores = tuple(
        scorer.score(segment, deadline, rows)
        for segment, rows in zip(segments, copied, strict=True)
    )
    eligible = tuple(
        _eligible(view, segment, scored, request, query, deadline)
        for segment, scored in zip(segments, scores, strict=True)
    )
    if seed is not None:
        eligible[seed.segment][seed.row] = False  # the place itself is not a hit
    correction = None
    if is_corrected(query, request, weights):
        correction = Correction(ranking_forest(), FileFeatures(query, statistics), deadline)
    ranked = Ranked(
        view=view,
        request=request,
        query=query,
        statistics=statistics,
        segments=segments,
        scores=scores,
        eligible=eligible,
        weights=weights,
        fusion=vector.fusion if vector else FUSION["none"],
        correction=correction,
    )
    return _with_best(_promised(ranked, deadline), files)


def is_corrected(query: ParsedQuery, request: SearchRequest, weights: Weights) -> bool:
    """Return whether the learned correction applies."""
    in_words = request.find in (Find.AUTO, Find.CONCEPT) and query.kind in CORRECTED
    return in_words and bool(weights.learned)


def ranked_within(ranked: Ranked, within: Sequence[Mask], files: int) -> Ranked:
    """Return the ranking restricted to some eligible rows; the answer shows at most `files` files.

    The scores are not computed again, so they refer to the whole collection.
    """
    masks = tuple(mask & allowed for mask, allowed in zip(ranked.eligible, within, strict=True))
    verified = ranked.verified and ranked.verified.within(masks)
    return _with_best(replace(ranked, eligible=masks, verified=verified), files)


def _with_best(ranked: Ranked, files: int) -> Ranked:
    """Set the best rows of a ranking; unless `files` is 0, apply the learned correction."""
    parts = zip(ranked.scores, ranked.eligible, strict=True)
    best = tuple(best_rows(*part) for part in parts)
    if ranked.correction is not None and files:
        most = max(files, MOST_TOP_FILES)
        best = ranked.correction.corrected(ranked.segments, ranked.scores, best, most)
    return replace(ranked, best=best)


def _promised(ranked: Ranked, deadline: Deadline) -> Ranked:
    """Return the ranking without the rows that the request's `find` does not match."""
    verified = find_rows(ranked.view, ranked.segments, ranked.request, ranked.eligible, deadline)
    if verified is None:
        return ranked
    parts = zip(ranked.segments, ranked.scores, verified.matches, strict=True)
    kept = [only_verified(*part) for part in parts]
    return replace(
        ranked,
        scores=tuple(scores for scores, _ in kept),
        eligible=tuple(mask for _, mask in kept),
        verified=verified,
    )


def _verbatim_rows(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    query: ParsedQuery,
    statistics: CollectionStatistics,
    deadline: Deadline,
) -> Sequence[npt.NDArray[np.int64] | None]:
    """Return, per segment, the rows that contain the query word for word; None if not searched for.

    Such rows are not searched for if very many chunks of the collection contain even the query's
    rarest word, because reading these chunks would take long.
    """
    rarest = min((statistics.frequency(term).chunks for term in query.terms), default=0)
    if not query.verbatim or not 0 < rarest <= _MOST_VERBATIM or query.limits_hit:
        return [None] * len(segments)
    return [rows_verbatim(view, segment, query.verbatim, deadline) for segment in segments]


def _eligible(
    view: SnapshotView,
    segment: SearchableSegment,
    scored: SegmentScores,
    request: SearchRequest,
    query: ParsedQuery,
    deadline: Deadline,
) -> Mask:
    mask = eligible_rows(segment, request, deadline)
    if not query.phrases:
        return mask
    scoring = np.zeros(len(mask), dtype=np.bool_)  # the text of other rows need not be read
    scoring[scored.rows[scored.total > 0.0]] = True
    mask &= scoring
    return rows_with_phrases(view, segment, query.phrases, mask, deadline)


def leading(ranked: Ranked, deadline: Deadline) -> TopFiles:
    """Return the features from which the answer's confidence is computed."""
    deadline.check("confidence")
    if ranked.verified is not None:
        return verified_leaders(ranked.verified, ranked.scores)
    finder = ConfidenceFeatures(ranked.query, ranked.statistics)
    return finder.leading(ranked.segments, ranked.scores, ranked.best)


def encode_query(text: str, encoder: Encoder | None, deadline: Deadline) -> EncodedQuery | None:
    """Return the vector of a query; None without an encoder."""
    if encoder is None:
        return None
    values, scale = _encoded(parse_query(text).text, encoder, deadline)
    return EncodedQuery(tuple(values.tolist()), scale)


def _encoded(text: str, encoder: Encoder, deadline: Deadline) -> tuple[Int8, float]:
    """Return a text's vector, quantised like stored vectors: int8 (dimension,), and its scale."""
    values, scales = quantise(encoder.encode_query(text, deadline)[None, :])
    return values[0], float(scales[0])


def _query_vector(
    query: ParsedQuery,
    encoder: Encoder | None,
    encoded: EncodedQuery | None,
    deadline: Deadline,
) -> QueryVector | None:
    if encoder is None:
        return None
    fusion = FUSION[encoder.identity.name]
    if encoded is None:
        return QueryVector(*_encoded(query.text, encoder, deadline), fusion)
    if len(encoded.values) != encoder.dimension:
        raise Incompatible(
            f"the query vector has dimension {len(encoded.values)}, but the encoder has "
            f"{encoder.dimension}"
        )
    return QueryVector(np.asarray(encoded.values, dtype=np.int8), encoded.scale, fusion)
