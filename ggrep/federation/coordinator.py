"""Answers one request over a workspace: select, gate, ask, merge, respond."""

from collections.abc import Mapping
from dataclasses import dataclass

from ggrep.clock import Clock
from ggrep.domain.corpus import Corpus
from ggrep.domain.deadline import Deadline
from ggrep.domain.ids import RepoId
from ggrep.domain.limits import LimitHit
from ggrep.domain.response import PoolResponse, RepoDescription
from ggrep.errors import Incompatible
from ggrep.federation import cohort
from ggrep.federation.asking import Asking, repo_search
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.diagnostics import Diagnostic, sorted_diagnostics
from ggrep.federation.fanout import Skipped
from ggrep.federation.limits import MERGE_RESERVE_MS
from ggrep.federation.merge import MergedHit, RankedList, blend_global, merge_global, merge_rrf
from ggrep.federation.report import Answers, RepoReport, code_of, first_failure, report
from ggrep.federation.request import FederatedRequest, check_request, in_force
from ggrep.federation.response import FederatedResponse, RepoLimit
from ggrep.federation.searcher import SearcherFactory
from ggrep.federation.selection import Selection, select_repos
from ggrep.federation.snippets import cap_snippets
from ggrep.federation.tokens import path_resolver
from ggrep.federation.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _Found:
    """What asking came to."""

    plan: CohortPlan
    strategy: str
    descriptions: Mapping[RepoId, RepoDescription]
    pools: Mapping[RepoId, PoolResponse]
    statistics_repos: tuple[RepoId, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class _Merged:
    corpora: tuple[tuple[Corpus, tuple[MergedHit, ...]], ...]
    hits: tuple[MergedHit, ...]
    limits: tuple[RepoLimit, ...]


async def federated_search(
    workspace: Workspace, request: FederatedRequest, searchers: SearcherFactory, clock: Clock
) -> FederatedResponse:
    """Return the merged answer of the selected repositories.

    A repository's failure is reported and fails nothing else, unless the request is strict or
    none is left. Cancellation is passed on to the repositories and to the caller.

    Raises:
        WorkspaceError: the request is invalid, or a cohort that it names is not there.
    """
    check_request(request)
    started_ms = clock.monotonic_ms()
    resolve = path_resolver((workspace.workspace_dir, *request.base_dirs))
    selection = select_repos(workspace, request, resolve)
    asking = Asking(
        search=repo_search(request),
        force=in_force(request, workspace),
        deadline=_repo_deadline(request, clock),
        strict=request.strict,
        factory=searchers,
        repos={repo.repo_id: repo for repo in selection.repos},
    )
    found = await _ask(asking, request)
    return _respond(
        workspace, request, selection, (asking, found), clock.monotonic_ms() - started_ms
    )


def _repo_deadline(request: FederatedRequest, clock: Clock) -> Deadline:
    """Return when repositories must have answered: the request's end less time for merging."""
    end = request.deadline
    if end is None:
        timeout_ms = request.search.timeout_ms
        end = Deadline.after(clock, timeout_ms) if timeout_ms else Deadline.never(clock)
    reserve_ms = min(MERGE_RESERVE_MS, end.remaining_ms() / 10)
    return Deadline(end.clock, end.at_ms - reserve_ms)


async def _ask(asking: Asking, request: FederatedRequest) -> _Found:
    descriptions = await asking.describe()
    candidates = [
        cohort.Candidate(repo, asking.repos[repo].priority, description)
        for repo, description in sorted(descriptions.items())
    ]
    plan = cohort.plan_cohorts(
        candidates,
        asking.search.corpora,
        policy=request.cohort_policy,
        selectors=cohort.parse_selectors(request.cohort),
        allow_unsafe_mix=request.allow_unsafe_mix,
    )
    strategy = asking.force.strategy
    if asking.is_over:
        return _Found(plan, strategy, descriptions, {})
    admitted = [candidate for candidate in candidates if candidate.repo_id in plan.admitted()]
    if strategy == "global":
        if cohort.comparable(admitted):
            return await _ask_together(asking, plan, descriptions)
        return await _ask_alone(asking, plan, descriptions, "their indexes do not compare")
    return await _ask_alone(asking, plan, descriptions)


async def _ask_together(
    asking: Asking, plan: CohortPlan, descriptions: Mapping[RepoId, RepoDescription]
) -> _Found:
    figures = await asking.figures(plan.admitted())
    if not figures or asking.is_over:
        return _Found(plan, "global", descriptions, {}, tuple(sorted(figures)))
    try:
        pools, counted = await asking.search_together(plan, figures)
    except Incompatible:
        return await _ask_alone(asking, plan, descriptions, "their term statistics do not add up")
    return _Found(plan, "global", descriptions, pools, counted)


async def _ask_alone(
    asking: Asking,
    plan: CohortPlan,
    descriptions: Mapping[RepoId, RepoDescription],
    instead: str = "",
) -> _Found:
    pools = await asking.search_alone(plan)
    warnings = ()
    if instead:
        message = f"merged by rank alone instead of global scores: {instead}"
        warnings = (Diagnostic("WARN_FEDERATED_MERGE_FALLBACK", message),)
    return _Found(plan, "rrf", descriptions, pools, (), warnings)


def _respond(
    workspace: Workspace,
    request: FederatedRequest,
    selection: Selection,
    asked: tuple[Asking, _Found],
    elapsed_ms: float,
) -> FederatedResponse:
    asking, found = asked
    failures = dict(asking.failures)
    pools = {repo: pool for repo, pool in found.pools.items() if repo not in failures}
    if asking.is_over:
        pools = {}
        for repo in asking.repos:
            failures.setdefault(repo, Skipped("another repository failed first"))
    answers = Answers(found.descriptions, failures, pools, asking.force.per_repo_top)
    reports = report(selection, asking.search.corpora, found.plan, answers)
    merged = _merge(asking, found, pools)
    capped, cut = cap_snippets(
        (merged.hits, *(hits for _, hits in merged.corpora)), request.snippet_bytes
    )
    limits = merged.limits if cut is None else (*merged.limits, RepoLimit(cut))
    return FederatedResponse(
        workspace=workspace,
        request=request,
        in_force=asking.force,
        strategy=found.strategy,
        selection=selection,
        plan=found.plan,
        reports=reports,
        corpora=tuple(
            (corpus, hits) for (corpus, _), hits in zip(merged.corpora, capped[1:], strict=True)
        ),
        hits=capped[0],
        limits_hit=tuple(sorted(limits, key=_limit_order)),
        warnings=_warnings(selection, found, pools),
        errors=_errors(reports),
        statistics_repos=found.statistics_repos,
        error=None if pools else first_failure(reports),
        elapsed_ms=elapsed_ms,
        repo_elapsed_ms=tuple(sorted(asking.elapsed_ms.items())),
    )


def _merge(asking: Asking, found: _Found, pools: Mapping[RepoId, PoolResponse]) -> _Merged:
    force, search = asking.force, asking.search
    by_corpus = [
        (part.corpus, _lists(asking, pools, part.corpus, part.admitted))
        for part in found.plan.corpora
    ]
    blended = [
        _ranked(asking, repo, pool, found.plan.corpora_of(repo))
        for repo, pool in sorted(pools.items())
    ]
    bounds = {"top": force.top, "per_repo_top": force.per_repo_top}
    if found.strategy == "global":
        corpora = [(corpus, merge_global(lists, **bounds)) for corpus, lists in by_corpus]
        hits = blend_global(by_corpus, mode=search.mode, per_file=search.per_file, **bounds)
    else:
        corpora = [
            (corpus, merge_rrf(lists, rrf_k=force.rrf_k, **bounds)) for corpus, lists in by_corpus
        ]
        hits = merge_rrf(blended, rrf_k=force.rrf_k, **bounds)
    longest = max((len(item.hits) for _, lists in by_corpus for item in lists), default=0)
    longest = max([longest, *(len(item.hits) for item in blended)])
    limits = [RepoLimit(limit, repo) for repo, pool in pools.items() for limit in pool.limits_hit]
    if force.per_repo_top < force.top and longest >= force.per_repo_top:
        limits.append(RepoLimit(LimitHit("per_repo_top", force.per_repo_top, force.top)))
    return _Merged(tuple(corpora), hits, tuple(limits))


def _lists(
    asking: Asking,
    pools: Mapping[RepoId, PoolResponse],
    corpus: Corpus,
    admitted: tuple[RepoId, ...],
) -> list[RankedList]:
    lists = []
    for repo_id in admitted:
        if repo_id in pools:
            repo = asking.repos[repo_id]
            hits = dict(pools[repo_id].corpora).get(corpus, ())
            lists.append(RankedList(repo_id, repo.alias, repo.priority, hits))
    return lists


def _ranked(
    asking: Asking, repo_id: RepoId, pool: PoolResponse, corpora: tuple[Corpus, ...]
) -> RankedList:
    repo = asking.repos[repo_id]
    hits = tuple(hit for hit in pool.blended if hit.corpus in corpora)
    return RankedList(repo_id, repo.alias, repo.priority, hits)


def _warnings(
    selection: Selection, found: _Found, pools: Mapping[RepoId, PoolResponse]
) -> tuple[Diagnostic, ...]:
    notices = [
        Diagnostic(notice.code, notice.message, repo_id=repo, file=notice.path_key)
        for repo, pool in pools.items()
        for notice in pool.warnings
    ]
    return sorted_diagnostics(
        (*selection.warnings, *found.plan.warnings, *found.warnings, *notices)
    )


def _errors(reports: tuple[RepoReport, ...]) -> tuple[Diagnostic, ...]:
    return sorted_diagnostics(
        Diagnostic(code_of(item.error), str(item.error), repo_id=item.repo.repo_id)
        for item in reports
        if item.error is not None
    )


def _limit_order(item: RepoLimit) -> tuple[str, str, str]:
    return item.repo_id or "", item.limit.code, item.limit.path_key or ""
