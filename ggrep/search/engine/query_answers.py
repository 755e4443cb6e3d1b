"""Turns requests into responses: limits, provenance and timings around the query pipeline."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import InvalidRequest, SnapshotGone
from ggrep.base.formats import SCHEMA_KEY
from ggrep.base.identifiers import derived_id
from ggrep.config.caps import MAX_SNIPPET_BYTES_PER_RESULT
from ggrep.config.identity.fingerprints import query_fingerprint
from ggrep.config.settings import Settings
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.embedding.identity import NO_ENCODER, EncoderIdentity
from ggrep.index.lexical.layout import LEXICAL_LAYOUT
from ggrep.index.store.manifest import SnapshotManifest
from ggrep.index.store.view import SnapshotView
from ggrep.model.confidence import (
    Confidence,
    confidence_notices,
    confidence_of,
    shortened_list,
)
from ggrep.model.corpus import CORPORA
from ggrep.model.limits import LimitHit, Notice, sorted_limits, sorted_notices
from ggrep.model.quota import Dealt
from ggrep.model.request import EncodedQuery, Find, PoolRequest, SearchRequest
from ggrep.model.response import (
    Admitted,
    PoolResponse,
    Provenance,
    QueryResponse,
    RepoDescription,
)
from ggrep.model.sanitise import without_directories
from ggrep.model.statistics import CollectionStatistics
from ggrep.search.query.explain import explain
from ggrep.search.query.fetch import Caps
from ggrep.search.query.finding import refuse_place, unshown
from ggrep.search.query.order import Candidate
from ggrep.search.query.pipeline import Ranked, leading, rank, show, show_all
from ggrep.search.query.quota_choice import choose
from ggrep.search.query.weights import RANKING_REVISION


@dataclass(frozen=True, slots=True)
class Context:
    """What answering needs besides the snapshot."""

    root: Path
    settings: Settings
    encoder: Encoder | None
    clock: Clock
    new_id: Callable[[], str]
    request_id: str = ""
    admitted: Admitted | None = None
    snapshot_read_ms: float = 0.0


def answer(
    context: Context,
    view: SnapshotView,
    request: SearchRequest,
    deadline: Deadline,
    figures: CollectionStatistics | None = None,
) -> QueryResponse:
    """Return the full answer to a request.

    Args:
        context: what answering needs.
        view: the snapshot.
        request: the question.
        deadline: when to give up.
        figures: of the collection to score against; None for the snapshot's own.
    """
    request, clamps = _clamped(request, context.settings)
    marks = [context.clock.monotonic_ms()]
    ranked = ranked_for(context, view, request, figures, deadline)
    marks.append(context.clock.monotonic_ms())
    chosen = choose(
        ranked,
        request.corpora,
        request.limit,
        most=context.settings.max_candidates,
        deadline=deadline,
    )
    marks.append(context.clock.monotonic_ms())
    leaders = leading(ranked, deadline)
    confidence = confidence_of(leaders)
    shown, weak_cuts = _shortened(chosen.dealt, confidence, keep_weak=request.keep_weak)
    hits, byte_cuts = show(ranked, shown, _caps(context.settings), deadline)
    marks.append(context.clock.monotonic_ms())
    passed_over = {
        "per_file": chosen.dealt.over_file,
        "low_confidence": len(chosen.candidates) - len(hits),
    }
    fingerprint = query_fingerprint(
        request, settings=context.settings, ranking_revision=RANKING_REVISION
    )
    return QueryResponse(
        request=request,
        request_id=(
            derived_id(fingerprint, view.manifest.store_id)
            if request.deterministic
            else context.request_id or context.new_id()
        ),
        query_fingerprint=fingerprint,
        provenance=provenance(view),
        confidence=confidence,
        hits=hits,
        limits_hit=sorted_limits(
            (
                *(*clamps, *ranked.limits, *chosen.limits, *weak_cuts, *byte_cuts),
                *unshown(ranked.found, request, len(hits)),
            )
        ),
        warnings=sorted_notices(
            (*search_notices(context, view, request), *confidence_notices(confidence))
        ),
        segments=len(view.segments),
        timings_ms=() if request.deterministic else timings(context, marks),
        explanation=explain(ranked, hits, leaders, passed_over) if request.explain else None,
        admitted=None if request.deterministic else context.admitted,
    )


def pool(
    context: Context, view: SnapshotView, request: PoolRequest, deadline: Deadline
) -> PoolResponse:
    """Return the lists a coordinator merges.

    Snippets come as long as the compiled-in cap allows: which of the hits are shown, and so which
    cuts are to be made and said, only the coordinator knows.

    Raises:
        SnapshotGone: the statistics came from another snapshot than the active one.
        InvalidRequest: the query means something in one repository alone.
    """
    refuse_place(request.search)
    snapshot_id = view.manifest.snapshot_id
    if request.snapshot_id is not None and request.snapshot_id != snapshot_id:
        raise SnapshotGone(f"snapshot {request.snapshot_id} is no longer active")
    # Its `limit` cuts nothing here, so no bound on it may be said to have.
    search, clamps = _clamped(replace(request.search, limit=1), context.settings)
    ranked = ranked_for(context, view, search, request.statistics, deadline, request.vector)
    most = max(context.settings.max_candidates, request.per_list)
    lists = [choose(ranked, search.corpora, request.per_list, most=most, deadline=deadline)]
    lists += [
        choose(ranked, (corpus,), request.per_list, most=most, deadline=deadline, by_mode=False)
        for corpus in search.corpora
    ]
    unbounded = Caps(MAX_SNIPPET_BYTES_PER_RESULT, 1 << 40)
    shown = show_all(ranked, [chosen.dealt for chosen in lists], unbounded, deadline)
    cuts = [limit for chosen in lists for limit in chosen.limits]
    whole = replace(search, limit=request.per_list)
    unlisted = unshown(ranked.found, whole, len(lists[0].candidates))
    return PoolResponse(
        provenance=provenance(view),
        blended=shown[0],
        corpora=tuple(zip(search.corpora, shown[1:], strict=True)),
        leading=leading(ranked, deadline),
        limits_hit=sorted_limits((*clamps, *ranked.limits, *cuts, *unlisted)),
        warnings=sorted_notices(search_notices(context, view, search)),
    )


def describe(
    view: SnapshotView | None, encoder: EncoderIdentity, deadline: Deadline
) -> RepoDescription:
    """Return the description of a snapshot; the store's own fields are left empty."""
    counts = dict.fromkeys(CORPORA, 0)
    for segment in view.segments if view else ():
        deadline.check("counting")
        visible = segment.visible_rows()
        found = np.bincount(segment.image.row_corpora[visible], minlength=len(CORPORA))
        for corpus, number in zip(CORPORA, found.tolist(), strict=True):
            counts[corpus] += number
    return RepoDescription(
        store_id="",
        config_fingerprint="",
        ignore_fingerprint=view.manifest.ignore_fingerprint if view else "",
        snapshot_id=view.manifest.snapshot_id if view else None,
        degraded=view.manifest.degraded if view else False,
        embed_key=encoder.key,
        lexical_key=LEXICAL_LAYOUT,
        schema_key=SCHEMA_KEY,
        counts=tuple(counts.items()),
        has_vectors=encoder != NO_ENCODER,
        notices=view.notices if view else (),
    )


def provenance(view: SnapshotView) -> Provenance:
    """Return which store and snapshot an answer over `view` comes from."""
    manifest = view.manifest
    return Provenance(
        store_id=manifest.store_id,
        config_fingerprint=manifest.config_fingerprint,
        ignore_fingerprint=manifest.ignore_fingerprint,
        embed_config_fingerprint=manifest.embed_config_fingerprint,
        snapshot_id=manifest.snapshot_id,
        git=manifest.git,
        degraded=manifest.degraded,
        partial=manifest.partial,
        indexed_files=manifest.counts.files_indexed,
        eligible_files=manifest.counts.files_eligible,
    )


def state_notices(view: SnapshotView) -> tuple[Notice, ...]:
    """Return the notices that every answer over `view` carries."""
    notices = list(view.notices)
    manifest = view.manifest
    if manifest.degraded:
        notices.append(Notice("degraded_snapshot", without_directories(_degraded(manifest))))
    if manifest.partial:
        counts = manifest.counts
        notices.append(
            Notice(
                "partial_index",
                f"{counts.files_indexed} of {counts.files_eligible} files are indexed so far",
            )
        )
    return tuple(notices)


def _degraded(manifest: SnapshotManifest) -> str:
    """Return the problems of a degraded snapshot."""
    first = "".join(f", first {one.path_key}: {one.message}" for one in manifest.errors[:1])
    return f"problems while indexing: {manifest.problems}{first}; ggrep health names them"


def ranked_for(
    context: Context,
    view: SnapshotView,
    request: SearchRequest,
    figures: CollectionStatistics | None,
    deadline: Deadline,
    vector: EncodedQuery | None = None,
) -> Ranked:
    """Return the scores of all rows of a snapshot, unless it has too many segments.

    Raises:
        InvalidRequest: it has more segments than one query may open.
    """
    if len(view.segments) > context.settings.max_open_segments_per_query:
        raise InvalidRequest(
            f"snapshot {view.manifest.snapshot_id} has {len(view.segments)} segments, more than "
            "max_open_segments_per_query; run: ggrep index"
        )
    return rank(
        view,
        request,
        encoder=context.encoder,
        statistics=figures,
        deadline=deadline,
        encoded=vector,
    )


def _clamped(
    request: SearchRequest, settings: Settings
) -> tuple[SearchRequest, tuple[LimitHit, ...]]:
    """Return the request within the caps, and what was clamped.

    A `per_file` of 0 asks for as many as there may be: the cap itself.
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


def search_notices(
    context: Context, view: SnapshotView, request: SearchRequest
) -> tuple[Notice, ...]:
    """Return the notices of an answer about the index and about the request."""
    notices = list(state_notices(view))
    if request.find is Find.SIMILAR_CODE and (context.encoder is None or not request.vectors):
        told = "no vectors are compared; code is similar here that shares rare words"
        notices.append(Notice("no_vectors", told))
    return tuple(notices)


def _shortened(
    dealt: Dealt[Candidate], confidence: Confidence, *, keep_weak: bool
) -> tuple[Dealt[Candidate], tuple[LimitHit, ...]]:
    places, cuts = shortened_list(
        dealt.items, confidence, file=lambda item: (item.segment, item.file), keep_weak=keep_weak
    )
    items = [dealt.items[place] for place in places]
    rules = tuple(dealt.rules[place] for place in places)
    return replace(dealt, items=items, rules=rules), cuts


def _caps(settings: Settings) -> Caps:
    return Caps(settings.max_snippet_bytes_per_result, settings.max_total_snippet_bytes)


def timings(context: Context, marks: list[float]) -> tuple[tuple[str, int], ...]:
    """Return the time of each stage in whole milliseconds.

    Args:
        context: says how long the request waited, and the snapshot took to open.
        marks: times before retrieval, before ranking, before formatting and after it.
    """
    waited_ms = context.admitted.waited_ms if context.admitted else 0.0
    stages = ("admission", "snapshot_read", "retrieve", "rank", "format")
    spans = (waited_ms, context.snapshot_read_ms, *(end - start for start, end in pairwise(marks)))
    return tuple((stage, round(span)) for stage, span in zip(stages, spans, strict=True))
