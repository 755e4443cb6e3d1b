"""What the repositories gave becomes one answer. Pure: nobody is asked any more."""

from collections.abc import Mapping
from dataclasses import dataclass

from ggrep.domain.confidence import (
    Confidence,
    confidence_notices,
    confidence_of,
    merge_leading,
    shortened_list,
)
from ggrep.domain.corpus import Corpus
from ggrep.domain.ids import RepoId
from ggrep.domain.limits import LimitHit
from ggrep.domain.response import PoolResponse, RepoDescription
from ggrep.federation.answer import RepoLimit
from ggrep.federation.asking import Asking
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.diagnostics import Diagnostic, sorted_diagnostics
from ggrep.federation.fanout import Skipped
from ggrep.federation.limits import SNIPPET_BYTES_PER_HIT
from ggrep.federation.merge import MergedHit, RankedList, blend_global, merge_global, merge_rrf
from ggrep.federation.report import Answers, RepoReport, code_of, first_failure, report
from ggrep.federation.request import FederatedRequest
from ggrep.federation.response import FederatedResponse
from ggrep.federation.selection import Selection
from ggrep.federation.snippets import cap_snippets
from ggrep.federation.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Found:
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


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked of which repositories."""

    workspace: Workspace
    request: FederatedRequest
    selection: Selection


def assemble(
    question: Question, asking: Asking, found: Found, *, elapsed_ms: float
) -> FederatedResponse:
    """Return the answer to a question.

    Args:
        question: as it came.
        asking: as it ended.
        found: what it came to.
        elapsed_ms: for the figures that differ from run to run.
    """
    selection = question.selection
    failures = dict(asking.failures)
    pools = {repo: pool for repo, pool in found.pools.items() if repo not in failures}
    if asking.is_over:
        pools = {}
        for repo in asking.repos:
            failures.setdefault(repo, Skipped("another repository failed first"))
    answers = Answers(found.descriptions, failures, pools, asking.force.per_repo_top)
    reports = report(selection, asking.search.corpora, found.plan, answers)
    merged = _merge(asking, found, pools)
    confidence = confidence_of(merge_leading(pool.leading for pool in pools.values()))
    places, weak_cuts = shortened_list(
        merged.hits,
        confidence,
        file=lambda hit: (hit.repo_id, hit.hit.path),
        keep_weak=question.request.search.keep_weak,
    )
    shown = tuple(merged.hits[place] for place in places)
    capped, cuts = cap_snippets(
        (shown, *(hits for _, hits in merged.corpora)),
        per_hit=SNIPPET_BYTES_PER_HIT,
        total=question.request.snippet_bytes,
    )
    limits = (*merged.limits, *map(RepoLimit, weak_cuts), *cuts)
    return FederatedResponse(
        workspace=question.workspace,
        request=question.request,
        in_force=asking.force,
        strategy=found.strategy,
        selection=selection,
        plan=found.plan,
        reports=reports,
        corpora=tuple(
            (corpus, hits) for (corpus, _), hits in zip(merged.corpora, capped[1:], strict=True)
        ),
        hits=capped[0],
        confidence=confidence,
        limits_hit=tuple(sorted(limits, key=_limit_order)),
        warnings=_warnings(selection, found, pools, confidence),
        errors=_errors(reports),
        statistics_repos=found.statistics_repos,
        error=None if pools else first_failure(reports),
        elapsed_ms=elapsed_ms,
        repo_elapsed_ms=tuple(sorted(asking.elapsed_ms.items())),
    )


def _merge(asking: Asking, found: Found, pools: Mapping[RepoId, PoolResponse]) -> _Merged:
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
    selection: Selection,
    found: Found,
    pools: Mapping[RepoId, PoolResponse],
    confidence: Confidence,
) -> tuple[Diagnostic, ...]:
    notices = [
        Diagnostic(notice.code, notice.message, repo_id=repo, file=notice.path_key)
        for repo, pool in pools.items()
        for notice in pool.warnings
    ]
    if pools:
        notices += [Diagnostic(item.code, item.message) for item in confidence_notices(confidence)]
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
