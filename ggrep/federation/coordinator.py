"""Answers one request over a workspace: select, gate, ask, merge, respond."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from anyio import to_thread

from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import Incompatible
from ggrep.base.ids import RepoId
from ggrep.federation import cohort
from ggrep.federation.answer_assembly import Found, Question, assemble, rules_of
from ggrep.federation.arrival import Arrived
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.evidence import repo_evidence
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.folding import deeper, refill_limit
from ggrep.federation.memory import Given, Memory, question_key, size_of
from ggrep.federation.pool_merging import lists_of, unfinished
from ggrep.federation.repo_requests import Figures, RepoRequests, repo_search
from ggrep.federation.request import FederatedRequest, check_request, in_force
from ggrep.federation.request_limits import MERGE_RESERVE_MS
from ggrep.federation.response import FederatedResponse
from ggrep.federation.routing import Routed, route
from ggrep.federation.searcher import Searchers
from ggrep.federation.selection import path_resolver, select_repos
from ggrep.federation.strategies import RRF
from ggrep.federation.workspace import Workspace
from ggrep.model.response import PoolResponse
from ggrep.model.statistics import CollectionStatistics

_MERGED_ASIDE_BYTES: Final = 8 * 1024 * 1024
"""About five thousand hits, which take some 50 ms."""


async def federated_search(
    workspace: Workspace,
    request: FederatedRequest,
    searchers: Searchers,
    clock: Clock,
    *,
    memory: Memory | None = None,
    arrived: Arrived | None = None,
) -> FederatedResponse:
    """Return the merged answer of the selected repositories.

    A repository's failure is reported and fails nothing else, unless the request is strict or
    none is left. Cancellation is passed on to the repositories and to the caller.

    Args:
        workspace: which repositories there are.
        request: the question.
        searchers: who answers for them.
        clock: of the deadline.
        memory: what earlier questions came to; None for none.
        arrived: told of each repository that is done.

    Raises:
        WorkspaceError: the request is invalid, or a cohort that it names is not there.
    """
    ran = await run_search(workspace, request, searchers, clock, memory=memory, arrived=arrived)
    return ran.response


@dataclass(frozen=True, slots=True)
class Ran:
    """A search that was run, with its inputs."""

    asking: RepoRequests
    found: Found
    response: FederatedResponse


async def run_search(  # noqa: PLR0913 - as a search, with a part
    workspace: Workspace,
    request: FederatedRequest,
    searchers: Searchers,
    clock: Clock,
    *,
    memory: Memory | None = None,
    arrived: Arrived | None = None,
    part: float = 1.0,
) -> Ran:
    """Return the answer as `federated_search` does, with what further requests need.

    Args:
        workspace: as there, and so are all others.
        request: its deadline may be of a part of the caller's time.
        searchers: who answers.
        clock: of the deadline.
        memory: of earlier questions.
        arrived: told of each repository.
        part: how much of the caller's time is left until the request's deadline.
    """
    check_request(request)
    started_ms = clock.monotonic_ms()
    resolve = path_resolver((workspace.workspace_dir, *request.base_dirs))
    selection = select_repos(workspace, request, resolve)
    force = in_force(request, workspace)
    rounds = FanoutSession(
        repos={repo.repo_id: repo for repo in selection.repos},
        concurrency=force.concurrency,
        deadline=_repo_deadline(request, clock),
        strict=request.strict,
        part=part,
        arrived=arrived,
    )
    asking = RepoRequests(repo_search(request), force, rounds, searchers, memory or Memory(0))
    question = Question(workspace, request, selection)
    found = await _Search(question, asking).run()

    def assembled() -> FederatedResponse:
        elapsed_ms = clock.monotonic_ms() - started_ms
        return assemble(question, asking, found, elapsed_ms=elapsed_ms)

    # Merging very many hits takes so long that others of this process would wait for it.
    many = size_of(found.given) > _MERGED_ASIDE_BYTES
    answer = await to_thread.run_sync(assembled) if many else assembled()
    rounds.tell_rest(answer.reports, found.given.pools)
    return Ran(asking, found, answer)


def _repo_deadline(request: FederatedRequest, clock: Clock) -> Deadline:
    """Return when repositories must have answered: the request's end less time for merging."""
    end = request.deadline
    if end is None:
        timeout_ms = request.search.timeout_ms
        end = Deadline.after(clock, timeout_ms) if timeout_ms else Deadline.never(clock)
    reserve_ms = min(MERGE_RESERVE_MS, end.remaining_ms() / 10)
    return replace(end, at_ms=end.at_ms - reserve_ms)


class _Search:
    """One query while it runs."""

    def __init__(self, question: Question, asking: RepoRequests) -> None:
        self._question = question
        self._asking = asking

    async def run(self) -> Found:
        """Return the result of querying the repositories."""
        asking = self._asking
        if not asking.rounds.is_over:
            await asking.prepare()
            await asking.describe()
        plan = self._plan()
        if asking.rounds.is_over:
            return Found(plan, Given(asking.force.strategy.name))
        request, memory = self._question.request, asking.memory
        key = question_key(
            self._question.workspace.workspace_config_hash,
            request,
            asking.search,
            asking.force,
            plan,
            asking.descriptions,
        )
        held = None if asking.rounds.failures else memory.lists.get(key)
        if held is None:
            held = await self._ask(plan)
            if not asking.rounds.failures and held.whole:
                memory.lists.put(key, held, size_of(held))
            return Found(plan, held)
        return Found(plan, held, from_memory=True)

    def _plan(self) -> CohortPlan:
        asking, request = self._asking, self._question.request
        # Of a failure that decides already, no cohort that it leaves empty may take the place.
        return cohort.plan_cohorts(
            self._candidates(sorted(asking.descriptions)),
            asking.search.corpora,
            policy="default" if asking.rounds.is_over else request.cohort_policy,
            selectors=cohort.parse_selectors(() if asking.rounds.is_over else request.cohort),
            allow_unsafe_mix=request.allow_unsafe_mix,
        )

    def _candidates(self, repos: Sequence[RepoId]) -> list[cohort.Candidate]:
        asking = self._asking
        return [
            cohort.Candidate(repo, asking.repos[repo].priority, asking.descriptions[repo])
            for repo in repos
        ]

    async def _ask(self, plan: CohortPlan) -> Given:
        """Search the repositories by the requested strategy, or by its fallback."""
        asking, force = self._asking, self._asking.force
        weak = "" if self._compare(plan) else "their indexes do not compare"
        await asking.encode(plan)
        figures: dict[RepoId, Figures] = {}
        if force.max_repos or (force.strategy.counts and not weak):
            figures = await asking.figures(plan.admitted())
        routed = self._route(plan, figures)
        if not asking.rounds.is_over and force.strategy.compares and not weak:
            try:
                pools, figures = await asking.search_together(plan, figures, routed.kept)
                return await self._filled(plan, self._given("", pools, routed, figures), figures)
            except Incompatible:
                weak = "their term statistics do not add up"
        pools = {} if asking.rounds.is_over else await asking.search_alone(plan, routed.kept)
        given = self._given(weak, pools, routed, figures)
        return await self._filled(plan, given, {})

    def _compare(self, plan: CohortPlan) -> bool:
        """Return whether scores are comparable, or need not be."""
        strategy = self._asking.force.strategy
        return not strategy.compares or cohort.comparable(self._candidates(plan.admitted()))

    def _route(self, plan: CohortPlan, figures: Mapping[RepoId, Figures]) -> Routed:
        """Return the repositories to search, when the request limits their number."""
        asking, statistics = self._asking, _statistics(figures)
        return route(
            [asking.repos[repo] for repo in plan.admitted()],
            statistics,
            repo_evidence(statistics),
            asking.search.query,
            max_repos=asking.force.max_repos,
            explicit=self._question.selection.named,
        )

    def _given(
        self,
        weak: str,
        pools: Mapping[RepoId, PoolResponse],
        routed: Routed,
        figures: Mapping[RepoId, Figures],
    ) -> Given:
        force = self._asking.force
        return Given(
            strategy=RRF if weak else force.strategy.name,
            pools=pools,
            figures=_statistics(figures),
            fallback=weak,
            skipped=routed.skipped,
            asked=dict.fromkeys(pools, force.per_repo_top),
            limits=tuple((None, limit) for limit in routed.limits),
            warnings=routed.warnings,
        )

    async def _filled(
        self, plan: CohortPlan, given: Given, figures: Mapping[RepoId, Figures]
    ) -> Given:
        """Return the result with longer lists, to replace the hits that folding removes."""
        asking = self._asking
        while not asking.rounds.is_over:
            lists = lists_of(plan, asking.repos, given.pools)
            named = unfinished(lists, rules_of(asking, given), given.asked)
            lengths = deeper(named, given.asked) if self._may_refill else {}
            longer = await asking.refill(plan, lengths, figures)
            fitting = {
                repo: pool for repo, pool in longer.items() if _same(pool, given.pools[repo])
            }
            if not fitting:
                told = refill_limit(named, given.asked)
                return replace(given, limits=(*given.limits, *told), whole=not lengths)
            given = replace(
                given,
                pools={**given.pools, **fitting},
                asked={**given.asked, **{repo: lengths[repo] for repo in fitting}},
            )
        return given

    @property
    def _may_refill(self) -> bool:
        """Return whether the request leaves the length of the lists open."""
        return self._question.request.per_repo_top is None


def _same(pool: PoolResponse, other: PoolResponse) -> bool:
    return pool.provenance.snapshot_id == other.provenance.snapshot_id


def _statistics(figures: Mapping[RepoId, Figures]) -> dict[RepoId, CollectionStatistics]:
    return {repo: held.statistics for repo, held in sorted(figures.items())}
