"""The query path over one pinned snapshot: understood, scored, ordered, cut, shown."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ggrep.domain.confidence import Leading
from ggrep.domain.corpus import CORPORA, Bucket, Corpus, bucket_of
from ggrep.domain.deadline import Deadline
from ggrep.domain.hit import Hit
from ggrep.domain.limits import LimitHit
from ggrep.domain.quota import Dealt, deal, quotas
from ggrep.domain.request import SearchRequest
from ggrep.domain.statistics import CollectionStatistics
from ggrep.embedding.encoder import Encoder
from ggrep.embedding.quantise import quantise
from ggrep.errors import Incompatible, InvalidRequest
from ggrep.lexical.layout import LEXICAL_LAYOUT
from ggrep.query.eligible import Mask, check_filters, eligible_rows
from ggrep.query.fetch import Caps, Scored, fetch_hits
from ggrep.query.leaders import Leaders
from ggrep.query.order import Candidate, ordered_candidates
from ggrep.query.phrases import rows_verbatim, rows_with_phrases
from ggrep.query.score import QueryVector, Scorer, SegmentScores
from ggrep.query.segments import SearchableSegment, open_segments
from ggrep.query.statistics import collection_statistics
from ggrep.query.understand import ParsedQuery, parse_query
from ggrep.query.weights import DEFAULT_WEIGHTS, Weights, weights_for
from ggrep.store.view import SnapshotView

_MOST_VERBATIM = 5000
"""Chunks that hold a query's rarest word, beyond which nobody looks for all of it."""
_FIRST_LOOK = 256
"""Candidates ordered at first; nearly every answer is complete within them."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Everything about one query over one snapshot that its answers are cut from.

    Attributes:
        eligible: per segment bool (rows,): the rows that may be shown.
    """

    view: SnapshotView
    request: SearchRequest
    query: ParsedQuery
    statistics: CollectionStatistics
    segments: tuple[SearchableSegment, ...]
    scores: tuple[SegmentScores, ...]
    eligible: tuple[Mask, ...]
    weights: Weights
    vector_weight: float


def check_request(request: SearchRequest) -> None:
    """Do nothing when the request can be understood; needs no index.

    Raises:
        InvalidRequest: names what is wrong with the query, a filter or a figure.
    """
    texts = [("query", request.query), ("scope", request.scope)]
    texts += [("filter", text) for item in request.filters for text in (item.key, item.value)]
    for name, text in texts:
        if not _is_text(text):
            raise InvalidRequest(f"{name}: {text!r} is not valid Unicode")
    for name in ("limit", "per_file", "timeout_ms"):
        if (value := getattr(request, name)) < 0:
            raise InvalidRequest(f"{name}: {value} is negative")
    check_filters(request.filters)
    parse_query(request.query)


def statistics_of(
    view: SnapshotView, request: SearchRequest, deadline: Deadline
) -> CollectionStatistics:
    """Return the snapshot's own statistics for the request's query."""
    return collection_statistics(view, open_segments(view), parse_query(request.query), deadline)


def rank(
    view: SnapshotView,
    request: SearchRequest,
    *,
    encoder: Encoder | None,
    statistics: CollectionStatistics | None,
    deadline: Deadline,
    weights: Weights = DEFAULT_WEIGHTS,
) -> Ranked:
    """Score every visible row.

    Args:
        view: the pinned snapshot.
        request: its query, mode and corpora matter here.
        encoder: the store's own.
        statistics: of the collection to score against; None for the snapshot's own.
        deadline: checked between segments and stages.
        weights: the blend.

    Raises:
        InvalidRequest: the query or a filter cannot be understood.
        Incompatible: the statistics are of another lexical layout.
        DeadlineExceeded: time ran out.
    """
    check_filters(request.filters)
    query = parse_query(request.query)
    segments = open_segments(view)
    if statistics is None:
        statistics = collection_statistics(view, segments, query, deadline)
    if statistics.layout != LEXICAL_LAYOUT:
        raise Incompatible(f"statistics of layout {statistics.layout}, not {LEXICAL_LAYOUT}")
    vector = _encode(query, encoder)
    weights = weights_for(query.kind, weights)
    scorer = Scorer(query, statistics, weights, request.mode, vector)
    copied = _verbatim_rows(view, segments, query, statistics, deadline)
    scores = tuple(
        scorer.score(segment, deadline, rows)
        for segment, rows in zip(segments, copied, strict=True)
    )
    return Ranked(
        view=view,
        request=request,
        query=query,
        statistics=statistics,
        segments=segments,
        scores=scores,
        eligible=tuple(
            _eligible(view, segment, scored, request, query, deadline)
            for segment, scored in zip(segments, scores, strict=True)
        ),
        weights=weights,
        vector_weight=vector.weight if vector else 0.0,
    )


def _verbatim_rows(
    view: SnapshotView,
    segments: Sequence[SearchableSegment],
    query: ParsedQuery,
    statistics: CollectionStatistics,
    deadline: Deadline,
) -> Sequence[npt.NDArray[np.int64] | None]:
    """Return, per segment, the rows that hold the query word for word, where that is looked for.

    It is not where even its rarest word stands in very many chunks of the collection: reading all
    of those would take long, and says little.
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
    mask &= scored.total > 0.0  # text of other rows need not be read
    return rows_with_phrases(view, segment, query.phrases, mask, deadline)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What an answer shows, and why.

    Attributes:
        dealt: the candidates, each with the rule that picked it.
        limits: the cut that may have shortened the list.
    """

    dealt: Dealt[Candidate]
    limits: tuple[LimitHit, ...]

    @property
    def candidates(self) -> list[Candidate]:
        """Return the candidates in the order they are shown."""
        return self.dealt.items


def choose(
    ranked: Ranked,
    corpora: Sequence[Corpus],
    limit: int,
    *,
    most: int,
    deadline: Deadline,
    by_mode: bool = True,
) -> Chosen:
    """Return at most `limit` candidates of `corpora`.

    Args:
        ranked: the scored snapshot.
        corpora: rows of others are passed over.
        limit: most candidates returned.
        most: bound on the rows of a corpus that are ordered.
        deadline: checked before and between looks.
        by_mode: deal quotas as the request's mode says; else the list's own order stands.
    """
    request = ranked.request
    masks = _of_corpora(ranked, corpora)
    mode = request.mode if by_mode else type(request.mode).BALANCED
    dealt = quotas(mode, limit)

    def pick(bound: int) -> _Pick:
        deadline.check("ordering")
        candidates, counts = ordered_candidates(ranked.segments, ranked.scores, masks, most=bound)
        picked = deal(
            candidates,
            mode=mode,
            limit=limit,
            per_file=request.per_file,
            bucket=lambda candidate: bucket_of(CORPORA[candidate.corpus]),
            file=lambda candidate: (candidate.segment, candidate.file),
        )
        cut = frozenset(corpus for corpus, number in counts.items() if number > bound)
        return _Pick(candidates, picked, cut, max(counts.values(), default=0))

    first = min(max(_FIRST_LOOK, 8 * limit), most)
    found = pick(first)
    if first < most and _short(found, limit, dealt):
        found = pick(most)
    if not _short(found, limit, dealt):
        return Chosen(found.dealt, ())
    return Chosen(found.dealt, (LimitHit("max_candidates", most, found.largest),))


def leading(ranked: Ranked, deadline: Deadline) -> Leading:
    """Return what the answer's confidence is judged by."""
    deadline.check("confidence")
    finder = Leaders(ranked.query, ranked.statistics, ranked.weights)
    return finder.leading(ranked.segments, ranked.scores, ranked.eligible)


def show(
    ranked: Ranked, dealt: Dealt[Candidate], caps: Caps, deadline: Deadline
) -> tuple[tuple[Hit, ...], tuple[LimitHit, ...]]:
    """Return what was dealt as hits with their snippets."""
    deadline.check("format")
    return fetch_hits(
        Scored(ranked.view, ranked.segments, ranked.scores),
        dealt,
        request=ranked.request,
        terms=frozenset(ranked.query.terms),
        caps=caps,
    )


def _encode(query: ParsedQuery, encoder: Encoder | None) -> QueryVector | None:
    if encoder is None:
        return None
    values, scales = quantise(encoder.encode_query(query.text)[None, :])
    return QueryVector(values[0], float(scales[0]), encoder.weight)


def _of_corpora(ranked: Ranked, corpora: Sequence[Corpus]) -> Sequence[Mask]:
    """Return the eligible rows of those corpora, per segment."""
    if len(corpora) == len(CORPORA):
        return ranked.eligible
    wanted = np.array([corpus in corpora for corpus in CORPORA])
    pairs = zip(ranked.segments, ranked.eligible, strict=True)
    return [mask & wanted[segment.image.row_corpora] for segment, mask in pairs]


def _is_text(text: str) -> bool:
    """Return False for lone surrogates: bytes of a command line that were no UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Pick:
    """What was picked from the ordered candidates.

    Attributes:
        cut: corpora with more rows than were ordered.
        largest: rows of the corpus that has most.
    """

    candidates: list[Candidate]
    dealt: Dealt[Candidate]
    cut: frozenset[int]
    largest: int


def _short(found: _Pick, limit: int, dealt: dict[Bucket, int]) -> bool:
    """Return whether ordering more rows could have changed what was picked."""
    if not found.cut:
        return False
    picked = found.dealt.items
    taken = Counter(_bucket(candidate.corpus) for candidate in picked)
    buckets = {_bucket(corpus) for corpus in found.cut}
    if len(picked) < limit or any(taken[bucket] < dealt.get(bucket, 0) for bucket in buckets):
        return True
    return _went_past_a_cut(found, dealt)


def _went_past_a_cut(found: _Pick, dealt: dict[Bucket, int]) -> bool:
    """Return whether something was picked from behind the last ordered row of a cut corpus.

    An unordered row of that corpus might have come before it, if both compete for one place:
    in a bucket's quota only rows of the bucket do, elsewhere all.
    """
    places = {(item.segment, item.row): place for place, item in enumerate(found.candidates)}
    ends = {item.corpus: place for place, item in enumerate(found.candidates)}
    taken: Counter[Bucket] = Counter()
    for item in found.dealt.items:
        bucket = _bucket(item.corpus)
        in_quota = taken[bucket] < dealt.get(bucket, 0)
        taken[bucket] += 1
        rivals = [c for c in found.cut if not in_quota or _bucket(c) is bucket]
        if any(ends[corpus] < places[item.segment, item.row] for corpus in rivals):
            return True
    return False


def _bucket(corpus: int) -> Bucket:
    return bucket_of(CORPORA[corpus])
