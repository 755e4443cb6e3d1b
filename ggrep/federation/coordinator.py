"""Answers a request over a workspace: selects and queries repositories, and merges their lists."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Clock, Deadline
from ggrep.base.ids import RepoId
from ggrep.federation import cohort
from ggrep.federation.answer_assembly import assemble
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.coordinator_cache import CoordinatorCache, PoolSet, query_key, size_of
from ggrep.federation.fanout_session import Arrived, FanoutSession
from ggrep.federation.federated_request import MERGE_RESERVE_MS, FederatedRequest, check_request
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.pool_rounds import search_repos
from ggrep.federation.searcher import Searchers
from ggrep.federation.selection import select_repos
from ggrep.federation.workspace import Workspace

_MERGE_IN_THREAD_BYTES: Final = 8 * 1024 * 1024
"""Minimum size of lists that are merged in a thread: about 5,000 hits, which take some 50 ms."""
_MERGE_IN_THREAD_REPOS: Final = 256


async def federated_search(
    workspace: Workspace,
    request: FederatedRequest,
    searchers: Searchers,
    clock: Clock,
    *,
    memory: CoordinatorCache | None = None,
    arrived: Arrived | None = None,
) -> FederatedResponse:
    """Return the merged answer over the selected repositories.

    If a repository fails, the answer reports its error and contains the hits of the other
    repositories. The request fails only if it is strict or all repositories fail. Cancellation also
    cancels the queries to repositories.

    `memory` is the cache of earlier replies; `arrived` is called for each finished repository.

    Raises:
        WorkspaceError: the request is invalid or names a cohort that does not exist.
    """
    ran = await run_search(workspace, request, searchers, clock, memory=memory, arrived=arrived)
    return ran.response


class CompletedSearch(Struct, frozen=True):
    """A finished search: its session, the repositories' replies and the merged answer."""

    session: FanoutSession
    given: PoolSet
    response: FederatedResponse


async def run_search(  # noqa: PLR0913 - the arguments of a search, and its share of the time
    workspace: Workspace,
    request: FederatedRequest,
    searchers: Searchers,
    clock: Clock,
    *,
    memory: CoordinatorCache | None = None,
    arrived: Arrived | None = None,
    part: float = 1.0,
    kept: Mapping[RepoId, str] = MappingProxyType({}),
) -> CompletedSearch:
    """Return the answer of `federated_search`, with the session and replies for later requests.

    `part` is the share of the caller's time that this search may use; `kept` contains the session
    tokens by repository.
    """
    check_request(request)
    started_ms = clock.monotonic_ms()
    session = FanoutSession(
        workspace,
        request,
        select_repos(workspace, request),
        searchers,
        memory or CoordinatorCache(0),
        deadline_of(request, clock),
        part,
        arrived,
        kept,
    )
    pool_set, from_memory = await _pools_of(session)

    def assembled() -> FederatedResponse:
        elapsed_ms = clock.monotonic_ms() - started_ms
        return assemble(session, pool_set, from_memory=from_memory, elapsed_ms=elapsed_ms)

    # A large merge would block the other clients of this event loop.
    many = len(session.repos) > _MERGE_IN_THREAD_REPOS or size_of(pool_set) > _MERGE_IN_THREAD_BYTES
    answer = await to_thread.run_sync(assembled, abandon_on_cancel=True) if many else assembled()
    session.report_rest(answer.reports, pool_set.pools)
    return CompletedSearch(session, pool_set, answer)


def deadline_of(request: FederatedRequest, clock: Clock) -> Deadline:
    """Return the deadline for repositories: the request's deadline minus the time for merging."""
    end = request.deadline
    if end is None:
        timeout_ms = request.search.timeout_ms
        end = Deadline.after(clock, timeout_ms) if timeout_ms else Deadline.never(clock)
    reserve_ms = min(MERGE_RESERVE_MS, end.remaining_ms() / 10)
    return replace(end, at_ms=end.at_ms - reserve_ms)


async def _pools_of(session: FanoutSession) -> tuple[PoolSet, bool]:
    """Return the repositories' replies, and whether they come from the cache."""
    await session.begin()
    session.plan = _plan(session)
    if session.is_over:
        return PoolSet(session.force.strategy), False
    memory = session.memory
    key = query_key(
        session.workspace.workspace_config_hash,
        session.request,
        session.search,
        session.force,
        session.plan,
        session.descriptions,
    )
    # Each query extends the lease of a session's snapshots; a cached reply would let it expire.
    pool_set = None if session.failures or session.kept else memory.lists.get(key)
    if pool_set is not None:
        return pool_set, True
    pool_set = await search_repos(session)
    if not session.failures and pool_set.whole:
        memory.lists.put(key, pool_set, size_of(pool_set))
    return pool_set, False


def _plan(session: FanoutSession) -> CohortPlan:
    request = session.request
    # A failure that decides the request takes precedence over an empty cohort.
    return cohort.plan_cohorts(
        [
            cohort.Candidate(repo, session.repos[repo].priority, description)
            for repo, description in sorted(session.descriptions.items())
        ],
        session.search.corpora,
        policy="default" if session.is_over else request.cohort_policy,
        selectors=cohort.parse_selectors(() if session.is_over else request.cohort),
        allow_unsafe_mix=request.allow_unsafe_mix,
    )
