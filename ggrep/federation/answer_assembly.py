"""Assembles one answer from the repositories' replies. Pure: sends no requests."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.federation.coordinator_cache import PoolSet
from ggrep.federation.diagnostics import Diagnostic, sorted_diagnostics
from ggrep.federation.fanout import Skipped
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.federated_request import SNIPPET_BYTES_PER_HIT, EffectiveSettings
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.merge import MergedHit, Rules, lists_of, merge_lists
from ggrep.federation.repo_outcomes import (
    Answers,
    Known,
    RepoLimit,
    coverage_of,
    failure_diagnostics,
    first_failure,
    report,
)
from ggrep.federation.workspace_draft import GLOBAL
from ggrep.model.confidence import (
    UNKNOWN_WORDS,
    Confidence,
    TopFiles,
    confidence_notices,
    confidence_of,
    hits_kept,
    lacking_words,
    merge_top_files,
    shortened_list,
    unknown_words_message,
)
from ggrep.model.limits import FileReading, LimitHit, reading_notices
from ggrep.model.response import Hit, PoolResponse, shortened


def assemble(
    session: FanoutSession, pool_set: PoolSet, *, from_memory: bool, elapsed_ms: float
) -> FederatedResponse:
    """Return the answer to a workspace search.

    Equal inputs give equal answers apart from `elapsed_ms`. `pool_set` may come from the cache.
    """
    selection, plan, counted = session.selection, session.plan, pool_set.strategy == GLOBAL
    failures, pools = _outcomes(session, pool_set)
    lists = lists_of(plan, session.repos, pools)
    merged = merge_lists(lists, rules_of(session, pool_set))
    leaders = merge_top_files(pool.leading for pool in pools.values())
    confidence = confidence_of(leaders)
    (shown, *corpora), weak_cuts = _shortened(
        (merged.hits, *(hits for _, hits in merged.corpora)),
        confidence,
        most=hits_kept(leaders),
        keep_weak=session.request.search.keep_weak,
    )
    capped, cuts = cap_snippets(
        (shown, *corpora),
        per_hit=SNIPPET_BYTES_PER_HIT,
        total=session.request.snippet_bytes,
    )
    shown_of = Counter(
        (hit.repo_id, corpus)
        for (corpus, _), hits in zip(merged.corpora, capped[1:], strict=True)
        for hit in hits
    )
    answers = Answers(session.descriptions, failures, pools, shown_of)
    reports = report(selection, session.search.corpora, plan, answers)
    limits = (
        *_limits(pool_set, pools, session.force, lists.longest),
        *session.limits(),
        *map(RepoLimit, weak_cuts),
        *map(RepoLimit, selection.disabled_cut() if pools and not shown else ()),
        *cuts,
    )
    known = Known(
        query=session.search.query,
        figures=pool_set.figures,
        summed=counted,
        counted=pool_set.figures,
        by_words=not session.search.is_exact,
        verdicts=pool_set.verdicts,
    )
    return FederatedResponse(
        workspace=session.workspace,
        request=session.request,
        in_force=session.force,
        strategy=pool_set.strategy,
        selection=selection,
        plan=plan,
        reports=reports,
        corpora=tuple(
            (corpus, hits) for (corpus, _), hits in zip(merged.corpora, capped[1:], strict=True)
        ),
        hits=capped[0],
        confidence=confidence,
        limits_hit=tuple(sorted(limits, key=RepoLimit.order)),
        warnings=_warnings(session, pool_set, pools, leaders, capped, cut=bool(limits)),
        errors=failure_diagnostics(
            item for item in reports if item.repo.repo_id not in pool_set.skipped
        ),
        statistics_repos=tuple(pool_set.figures) if counted else (),
        error=None if pools else first_failure(item.error for item in reports),
        elapsed_ms=elapsed_ms,
        repo_elapsed_ms=tuple(sorted(session.elapsed_ms.items())),
        coverage=coverage_of(reports, known),
        freshness=tuple(
            (repo, description.freshness)
            for repo, description in sorted(session.descriptions.items())
        ),
        from_memory=from_memory,
        matched=tuple(
            (repo, pool.matched) for repo, pool in sorted(pools.items()) if pool.matched is not None
        ),
    )


def cap_snippets(
    lists: Sequence[Sequence[MergedHit]], *, per_hit: int, total: int
) -> tuple[tuple[tuple[MergedHit, ...], ...], tuple[RepoLimit, ...]]:
    """Return the lists with shortened snippets, and the limits that shortened them.

    The snippet of a hit has at most `per_hit` bytes; all snippets have at most `total` bytes, which
    are given to earlier lists first. A hit in several lists counts once and has the same text in
    each list.
    """
    shown: dict[str, Hit] = {}
    cuts: dict[tuple[str, str], RepoLimit] = {}
    left, wanted = total, 0
    for merged in (merged for hits in lists for merged in hits):
        if merged.global_id in shown:
            continue
        size = len(merged.hit.content.encode())
        if size > per_hit:
            cut = LimitHit("max_snippet_bytes_per_result", per_hit, size, merged.hit.path)
            cuts.setdefault((merged.repo_id, merged.hit.path), RepoLimit(cut, merged.repo_id))
        allowed = min(size, per_hit)
        granted = min(allowed, left)
        wanted += allowed
        left -= granted
        shown[merged.global_id] = merged.hit if granted == size else shortened(merged.hit, granted)
    capped = tuple(
        tuple(replace(merged, hit=shown[merged.global_id]) for merged in hits) for hits in lists
    )
    limits = list(cuts.values())
    if wanted > total:
        limits.append(RepoLimit(LimitHit("max_total_snippet_bytes", total, wanted)))
    return capped, tuple(limits)


def _shortened(
    lists: Sequence[Sequence[MergedHit]], confidence: Confidence, *, most: int, keep_weak: bool
) -> tuple[list[tuple[MergedHit, ...]], tuple[LimitHit, ...]]:
    """Return the lists without the hits that low confidence hides, and the limit that was hit.

    If several lists are shortened, only the limit of the first of these lists is returned.
    """
    kept: list[tuple[MergedHit, ...]] = []
    cuts: list[LimitHit] = []
    for hits in lists:
        indexes, cut = shortened_list(
            hits,
            confidence,
            most=most,
            file=lambda merged: (merged.repo_id, merged.hit.path),
            keep_weak=keep_weak,
        )
        kept.append(tuple(hits[index] for index in indexes))
        cuts += cut
    return kept, tuple(cuts[:1])


def _outcomes(
    session: FanoutSession, pool_set: PoolSet
) -> tuple[dict[RepoId, GgrepError], dict[RepoId, PoolResponse]]:
    """Return the errors of failed and unfinished repositories, and the lists of all others."""
    failures = dict(session.failures)
    for repo in pool_set.skipped:
        failures.setdefault(repo, Skipped("other repositories fit the query better"))
    pools = {repo: pool for repo, pool in pool_set.pools.items() if repo not in failures}
    if session.is_over:
        pools = {}
        for repo in session.repos:
            failures.setdefault(repo, Skipped("another repository failed first"))
    return failures, pools


def rules_of(session: FanoutSession, pool_set: PoolSet) -> Rules:
    """Return the settings for merging the lists."""
    force = session.force
    return Rules(
        strategy=pool_set.strategy,
        mode=session.search.mode,
        top=force.top,
        per_file=session.search.per_file,
        rrf_k=force.rrf_k,
        per_repo_top=max([force.per_repo_top, *pool_set.asked.values()]),
        folds=force.fold,
        spread=session.search.is_exact,
    )


def _limits(
    pool_set: PoolSet, pools: Mapping[RepoId, PoolResponse], force: EffectiveSettings, longest: int
) -> list[RepoLimit]:
    limits = [RepoLimit(limit, repo) for repo, pool in pools.items() for limit in pool.limits_hit]
    limits += [RepoLimit(limit, repo) for repo, limit in pool_set.limits]
    if force.per_repo_top < force.top and longest >= force.per_repo_top:
        limits.append(RepoLimit(LimitHit("per_repo_top", force.per_repo_top, force.top)))
    return limits


def _warnings(
    session: FanoutSession,
    pool_set: PoolSet,
    pools: Mapping[RepoId, PoolResponse],
    leaders: TopFiles,
    lists: Sequence[Sequence[MergedHit]],
    *,
    cut: bool,
) -> tuple[Diagnostic, ...]:
    confidence = confidence_of(leaders)
    is_lacking = cut or not lists[0] or confidence is not Confidence.STRONG
    readings: dict[RepoId, list[FileReading]] = {}
    for merged in chain.from_iterable(lists):
        reading = FileReading(merged.hit.path, merged.hit.encoding, merged.hit.traits)
        readings.setdefault(merged.repo_id, []).append(reading)
    notices = [
        Diagnostic(notice.code, notice.message, repo_id=repo, file=notice.path_key)
        for repo, pool in pools.items()
        for notice in (
            *pool.warnings,
            *session.notices_of(repo),
            *(session.unseen_in(repo) if is_lacking else ()),
        )
    ]
    notices += [
        Diagnostic(notice.code, notice.message, repo_id=repo)
        for repo, shown in readings.items()
        for notice in reading_notices(shown)
    ]
    notices += pool_set.warnings
    if pool_set.fallback:
        message = f"hits are merged by rank instead of {GLOBAL} scores: {pool_set.fallback}"
        notices.append(Diagnostic("WARN_FEDERATED_MERGE_FALLBACK", message))
    if pools:
        notices += [Diagnostic(item.code, item.message) for item in confidence_notices(confidence)]
    if leaders.leaders and (unknown := lacking_words(leaders, confidence)):
        searched = "" if len(pools) == len(session.workspace.repos) else " among those searched"
        message = unknown_words_message(f"no repository{searched} contains", unknown)
        notices.append(Diagnostic(UNKNOWN_WORDS, message))
    notices += session.workspace.strategy_warnings
    return sorted_diagnostics((*session.selection.warnings, *session.plan.warnings, *notices))
