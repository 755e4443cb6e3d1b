"""Turns requests into responses, by the query pipeline; adds limits, provenance and timings."""

from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec.structs import replace

from ggrep.base.cache import CacheKey
from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import SnapshotGone
from ggrep.base.formats import SCHEMA_KEY
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.config.declarations import MAX_SNIPPET_BYTES_PER_RESULT
from ggrep.config.fingerprints import query_fingerprint
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.embedding.identity import NO_ENCODER
from ggrep.index.lexical.layout import LEXICAL_LAYOUT
from ggrep.index.repo_identity import RepoIdentity
from ggrep.index.store.view import SnapshotView
from ggrep.model.confidence import (
    Confidence,
    TopFiles,
    confidence_notices,
    confidence_of,
    hits_kept,
    shortened_list,
)
from ggrep.model.corpus import CORPORA, Allocation, Corpus
from ggrep.model.index_freshness import IndexFreshness, freshness_notices
from ggrep.model.limits import (
    NOTHING_UNSEEN,
    Counts,
    FileReading,
    LimitHit,
    reading_notices,
    sorted_limits,
    sorted_notices,
)
from ggrep.model.request import (
    CollectionStatistics,
    EncodeRequest,
    EncodeResponse,
    PoolRequest,
    RepoStatistics,
    SearchRequest,
    StatisticsRequest,
)
from ggrep.model.response import (
    PoolResponse,
    QueryResponse,
    RepoDescription,
)
from ggrep.search.engine.unknown_words import unknown_word_notices
from ggrep.search.query.answerer import Answerer, Unpinned, parsed_snapshot
from ggrep.search.query.context import Context, Stages, search_notices, state_notices
from ggrep.search.query.explain import explain
from ggrep.search.query.fetch import Caps, show, show_all
from ggrep.search.query.finding import refuse_place, unshown
from ggrep.search.query.match_totals import listing_cuts, match_totals
from ggrep.search.query.order import Candidate
from ggrep.search.query.pipeline import check_request, encode_query, leading, statistics_of
from ggrep.search.query.quota_choice import choose
from ggrep.search.query.selection import absent_notices, selection_notices
from ggrep.search.query.unseen_files import unseen_files
from ggrep.search.query.weights import RANKING_REVISION

if TYPE_CHECKING:
    from ggrep.search.slate.sessions import Sessions

_COUNTS: Final = CacheKey[tuple[tuple[Corpus, int], ...]]()

AS_DEEP_AS_NEEDED: Final = 1 << 40
"""Maximum number of rows of a corpus to order for lists that a coordinator merges: all of them.

With a bound per repository, the answer of several repositories would differ from the answer of a
single store over all their files.
"""

UNBOUNDED: Final = Caps(MAX_SNIPPET_BYTES_PER_RESULT, 1 << 40)
"""Caps of lists that a coordinator merges: none, because the coordinator chooses the shown hits."""


def answer(
    context: Context, request: SearchRequest, figures: CollectionStatistics | None = None
) -> QueryResponse:
    """Return the full answer to a request.

    Args:
        context: the context of the answer.
        request: the search request.
        figures: statistics of the collection to score against, which includes the snapshot; None
            for the snapshot's own statistics.
    """
    settings, deadline = context.settings, context.deadline
    request, clamps = clamped(request, settings)
    stages = Stages(context.clock)
    ranked = context.rank(request, request.limit, figures)
    stages.end("retrieve")
    most = settings.max_candidates
    chosen = choose(ranked, request.corpora, request.limit, most=most, deadline=deadline)
    stages.end("rank")
    leaders = leading(ranked, deadline)
    confidence = confidence_of(leaders)
    shown, weak_cuts = _shortened(chosen.dealt, confidence, leaders, request)
    caps = Caps(settings.max_snippet_bytes_per_result, settings.max_total_snippet_bytes)
    hits, byte_cuts = show(ranked, shown, caps, deadline)
    stages.end("format")
    passed_over = {
        "per_file": chosen.dealt.over_file,
        "low_confidence": len(chosen.candidates) - len(hits),
    }
    cuts = (*clamps, *ranked.limits, *chosen.limits, *weak_cuts, *byte_cuts)
    readings = (FileReading(hit.path, hit.encoding, hit.traits) for hit in hits)
    notices = (
        *search_notices(request, context.encoder),
        *confidence_notices(confidence),
        *(
            unknown_word_notices(ranked, leaders, confidence, deadline)
            if context.scan is None or context.scan.complete
            else ()
        ),
        *reading_notices(readings),
    )
    if not chosen.candidates:
        notices += selection_notices(ranked.segments, request.scope, request.filters, deadline)
    if not any(notice.code == "nothing_selected" for notice in notices):
        notices += absent_notices(ranked.segments, request.filters, deadline)
    totals = match_totals(ranked)
    limits = (*cuts, *unshown(ranked.verified, request, len(hits)), *listing_cuts(totals))
    if not hits or limits or confidence is not Confidence.STRONG:
        notices += context.unseen(deterministic=request.deterministic)
    return QueryResponse(
        request=request,
        confidence=confidence,
        hits=hits,
        segments=len(context.view.segments),
        explanation=explain(ranked, hits, leaders, passed_over) if request.explain else None,
        matched=totals,
        **context.head(
            query_fingerprint(request, settings=settings, ranking_revision=RANKING_REVISION),
            deterministic=request.deterministic,
            limits=limits,
            notices=notices,
            spans=stages.spans,
        ),
    )


def pool(context: Context, request: PoolRequest) -> PoolResponse:
    """Return the lists that a coordinator merges.

    Snippets are as long as the compiled-in cap allows. The coordinator chooses the shown hits, cuts
    their snippets and reports the cuts.

    Raises:
        SnapshotGone: the statistics in the request are not of the active snapshot.
        InvalidRequest: the query has a meaning in a single repository only.
    """
    refuse_place(request.search)
    view, deadline = context.view, context.deadline
    if request.session:
        _sessions(context.home, view.manifest.name, deadline, context.clock).resume(request.session)
    snapshot_id = view.manifest.snapshot_id
    if request.snapshot_id is not None and request.snapshot_id != snapshot_id:
        raise SnapshotGone(f"snapshot {request.snapshot_id} is no longer active")
    # `limit` does not cut these lists, so its cap must not be reported.
    search, clamps = clamped(replace(request.search, limit=1), context.settings)
    ranked = context.rank(search, request.per_list, request.statistics, request.vector)
    length, deep = request.per_list, AS_DEEP_AS_NEEDED
    lists = [choose(ranked, search.corpora, length, most=deep, deadline=deadline)]
    lists += [
        choose(ranked, (corpus,), length, most=deep, deadline=deadline, by_mode=False)
        for corpus in search.corpora
    ]
    shown = show_all(ranked, [chosen.dealt for chosen in lists], UNBOUNDED, deadline)
    cuts = [limit for chosen in lists for limit in chosen.limits]
    whole = replace(search, limit=request.per_list)
    unlisted = unshown(ranked.verified, whole, len(lists[0].candidates))
    totals = match_totals(ranked)
    return PoolResponse(
        provenance=context.provenance,
        blended=shown[0],
        corpora=tuple(zip(search.corpora, shown[1:], strict=True)),
        leading=leading(ranked, deadline),
        limits_hit=sorted_limits(
            (*clamps, *ranked.limits, *cuts, *unlisted, *listing_cuts(totals))
        ),
        warnings=sorted_notices((*state_notices(view), *search_notices(search, context.encoder))),
        matched=totals,
    )


def describe(
    view: SnapshotView | None,
    identity: RepoIdentity,
    *,
    answers_key: str,
    standing: IndexFreshness,
    skipped: Counts,
    deadline: Deadline,
) -> RepoDescription:
    """Return the description of a repository; `view` is None if the repository has no snapshot."""
    counts = _counts(view, deadline) if view else tuple((corpus, 0) for corpus in CORPORA)
    return RepoDescription(
        store_id=identity.store_id,
        config_fingerprint=identity.config_fingerprint,
        ignore_fingerprint=view.manifest.ignore_fingerprint if view else "",
        snapshot_id=view.manifest.snapshot_id if view else None,
        degraded=view.manifest.degraded if view else False,
        embed_key=identity.encoder.key,
        lexical_key=LEXICAL_LAYOUT,
        schema_key=SCHEMA_KEY,
        counts=counts,
        has_vectors=identity.encoder != NO_ENCODER,
        notices=view.notices if view else (),
        moment=freshness_notices(standing),
        answers_key=answers_key,
        unseen=unseen_files(view, skipped) if view else NOTHING_UNSEEN,
    )


def answers_key_of(settings: Settings) -> str:
    """Return a key of the settings that affect answers."""
    return query_fingerprint(
        SearchRequest(""), settings=settings, ranking_revision=RANKING_REVISION
    )


def _counts(view: SnapshotView, deadline: Deadline) -> tuple[tuple[Corpus, int], ...]:
    """Return the number of visible chunks per corpus; counted once per snapshot."""
    if (cached := view.derived.get(_COUNTS)) is not None:
        return cached
    counts = np.zeros(len(CORPORA), dtype=np.int64)
    for segment in view.segments:
        deadline.check("counting")
        corpora = segment.image.row_corpora[segment.visible_rows()]
        counts += np.bincount(corpora, minlength=len(CORPORA))
    return view.derived.keep(_COUNTS, tuple(zip(CORPORA, counts.tolist(), strict=True)))


def clamped(
    request: SearchRequest, settings: Settings
) -> tuple[SearchRequest, tuple[LimitHit, ...]]:
    """Return the request with its numbers clamped to the caps, and a limit for each clamped number.

    A `per_file` of 0 means the cap.
    """
    limits = []
    if request.limit > settings.max_query_results:
        limits.append(LimitHit("max_query_results", settings.max_query_results, request.limit))
    if request.per_file > settings.max_query_per_file:
        limits.append(LimitHit("max_query_per_file", settings.max_query_per_file, request.per_file))
    clamped = replace(
        request,
        limit=min(request.limit, settings.max_query_results),
        per_file=min(request.per_file or settings.max_query_per_file, settings.max_query_per_file),
    )
    return clamped, tuple(limits)


def _shortened(
    dealt: Allocation[Candidate], confidence: Confidence, leaders: TopFiles, request: SearchRequest
) -> tuple[Allocation[Candidate], tuple[LimitHit, ...]]:
    places, cuts = shortened_list(
        dealt.items,
        confidence,
        most=hits_kept(leaders),
        file=lambda item: (item.segment, item.file),
        keep_weak=request.keep_weak,
    )
    items = [dealt.items[place] for place in places]
    rules = tuple(dealt.rules[place] for place in places)
    return replace(dealt, items=items, rules=rules), cuts


def _sessions(home: Home, store_id: StoreId, deadline: Deadline, clock: Clock) -> "Sessions":
    # A search has no session, and it starts faster without the modules of sessions.
    from ggrep.search.slate.sessions import sessions_of

    return sessions_of(home, store_id, deadline, clock)


def _session_snapshot(store: Unpinned, request: PoolRequest) -> SnapshotId | None:
    """Return the snapshot of the request's session; None for the active one."""
    if not request.session:
        return None
    sessions = _sessions(store.home, store.store_id, store.deadline, store.clock)
    return sessions.snapshot_of(request.session)


def _statistics(context: Context, request: StatisticsRequest) -> RepoStatistics:
    figures = statistics_of(context.view, request.search, context.deadline)
    return RepoStatistics(context.view.manifest.snapshot_id, figures)


def _encode(context: Context, request: EncodeRequest) -> EncodeResponse:
    return EncodeResponse(encode_query(request.text, context.encoder, context.deadline))


SEARCH: Final = Answerer(answer, check_request, vectors=True)
STATISTICS: Final = Answerer(
    _statistics,
    lambda request: check_request(request.search),
    lambda _, request: parsed_snapshot(request.snapshot_id),
)
ENCODE: Final = Answerer(_encode, vectors=True)
POOL: Final = Answerer(
    pool, lambda request: check_request(request.search), _session_snapshot, vectors=True
)
