"""Answers one request over a workspace: select, gate, ask, merge, respond."""

from collections.abc import Mapping
from dataclasses import replace

from ggrep.clock import Clock
from ggrep.domain.deadline import Deadline
from ggrep.domain.ids import RepoId
from ggrep.domain.response import RepoDescription
from ggrep.errors import Incompatible
from ggrep.federation import cohort
from ggrep.federation.asking import Asking, repo_search
from ggrep.federation.assembly import Found, Question, assemble
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.limits import MERGE_RESERVE_MS
from ggrep.federation.request import FederatedRequest, check_request, in_force
from ggrep.federation.response import FederatedResponse
from ggrep.federation.searcher import SearcherFactory
from ggrep.federation.selection import select_repos
from ggrep.federation.tokens import path_resolver
from ggrep.federation.workspace import Workspace


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
    question = Question(workspace, request, selection)
    return assemble(question, asking, found, elapsed_ms=clock.monotonic_ms() - started_ms)


def _repo_deadline(request: FederatedRequest, clock: Clock) -> Deadline:
    """Return when repositories must have answered: the request's end less time for merging."""
    end = request.deadline
    if end is None:
        timeout_ms = request.search.timeout_ms
        end = Deadline.after(clock, timeout_ms) if timeout_ms else Deadline.never(clock)
    reserve_ms = min(MERGE_RESERVE_MS, end.remaining_ms() / 10)
    return replace(end, at_ms=end.at_ms - reserve_ms)


async def _ask(asking: Asking, request: FederatedRequest) -> Found:
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
        return Found(plan, strategy, descriptions, {})
    admitted = [candidate for candidate in candidates if candidate.repo_id in plan.admitted()]
    if strategy == "global":
        if cohort.comparable(admitted):
            return await _ask_together(asking, plan, descriptions)
        return await _ask_alone(asking, plan, descriptions, "their indexes do not compare")
    return await _ask_alone(asking, plan, descriptions)


async def _ask_together(
    asking: Asking, plan: CohortPlan, descriptions: Mapping[RepoId, RepoDescription]
) -> Found:
    figures = await asking.figures(plan.admitted())
    if not figures or asking.is_over:
        return Found(plan, "global", descriptions, {}, tuple(sorted(figures)))
    try:
        pools, counted = await asking.search_together(plan, figures)
    except Incompatible:
        return await _ask_alone(asking, plan, descriptions, "their term statistics do not add up")
    return Found(plan, "global", descriptions, pools, counted)


async def _ask_alone(
    asking: Asking,
    plan: CohortPlan,
    descriptions: Mapping[RepoId, RepoDescription],
    instead: str = "",
) -> Found:
    pools = await asking.search_alone(plan)
    warnings: tuple[Diagnostic, ...] = ()
    if instead:
        message = f"merged by rank alone instead of global scores: {instead}"
        warnings = (Diagnostic("WARN_FEDERATED_MERGE_FALLBACK", message),)
    return Found(plan, "rrf", descriptions, pools, (), warnings)
