"""Fetches the lists of admitted repositories: counts words, chooses repositories, searches.

Repositories that one host process can read are counted and searched in one request
(`batched_query`); all other repositories are queried separately. With `global`, scores use the sum
of all statistics.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from msgspec.structs import replace

from ggrep.base.errors import Incompatible
from ggrep.base.ids import RepoId
from ggrep.federation.answer_assembly import rules_of
from ggrep.federation.batched_query import Batch, plan_batch, pools_of, verdicts_of
from ggrep.federation.cohort import comparable
from ggrep.federation.coordinator_cache import PoolSet
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.merge import deeper, lists_of, refill_limit, unfinished
from ggrep.federation.routing import Routed, repo_scores, route
from ggrep.federation.workspace_draft import GLOBAL, RRF
from ggrep.model.batched_query import BatchedFigures, FiguresByMember
from ggrep.model.request import CollectionStatistics, RepoStatistics
from ggrep.model.response import PoolResponse


async def search_repos(session: FanoutSession) -> PoolSet:
    """Search the admitted repositories by the requested merge strategy, or by its fallback."""
    if session.force.strategy != GLOBAL:
        return await _searched(session, _search_by_rank)
    if not comparable(session.descriptions[repo] for repo in session.plan.admitted()):
        why = "their indexes are not comparable"
        return await _searched(session, partial(_search_by_rank, fallback=why))
    try:
        return await _searched(session, _search_by_sum, by_rank=False)
    except Incompatible:
        why = "their term statistics have different layouts"
        return await _searched(session, partial(_search_by_rank, fallback=why, counts=True))


async def _searched(
    session: FanoutSession,
    search: Callable[[FanoutSession, Batch], Awaitable[PoolSet | None]],
    *,
    by_rank: bool = True,
) -> PoolSet:
    """Return the result of a search; if a batch fails, search again."""
    batch = plan_batch(session, by_rank=by_rank)
    while (pool_set := await search(session, batch)) is None:
        anew = await session.is_described_anew()
        batch = plan_batch(session, by_rank=by_rank)
        if not anew:
            # Separate queries show which repository fails.
            batch = replace(batch, members=(), apart=tuple(sorted((*batch.members, *batch.apart))))
    return pool_set


async def _search_by_rank(
    session: FanoutSession, batch: Batch, *, fallback: str = "", counts: bool = False
) -> PoolSet | None:
    """Search each repository with its own statistics; None if the batch failed."""
    counts = counts or session.force.max_repos > 0
    counted = await _counted(session, batch) if counts and batch.members else None
    if counts and batch.members and counted is None:
        return None
    figures = await session.figures(batch.apart) if counts else {}
    statistics = _by_repo(figures, batch.members, counted)
    routed = _route(session, statistics)
    members = [repo for repo in batch.members if repo in routed.kept]
    pools: dict[RepoId, PoolResponse] = {}
    if members and not session.is_over:
        question = batch.question_by_rank(members, session.repos)
        response = await session.search_jointly(question, members)
        if response is None:
            return None
        pools = pools_of(session, response, members, ())
    if not session.is_over:
        await session.encode(batch.apart)
        pools |= await session.search_alone(set(routed.kept) & set(batch.apart))
    pool_set = _pool_set(session, dict(sorted(pools.items())), statistics, routed)
    return replace(pool_set, strategy=RRF, fallback=fallback)


async def _counted(session: FanoutSession, batch: Batch) -> BatchedFigures | None:
    """Return the statistics of the batch's members; None if they cannot be counted together."""
    question = replace(batch.question, counting=True)
    answer = await session.search_jointly(question, batch.members)
    return None if answer is None else answer.figures


async def _search_by_sum(session: FanoutSession, batch: Batch) -> PoolSet | None:
    """Search all repositories with the sum of their statistics.

    Returns None if the batch failed, or if folding needs longer lists than a batch can return.
    Without a batch the result is never None.
    """
    members, counted = batch.members, None
    if members and (batch.apart or session.force.max_repos):
        counted = await _counted(session, batch)
        if counted is None:
            return None
    await session.encode(batch.apart)
    figures: Mapping[RepoId, RepoStatistics] = await session.figures(batch.apart)
    routed = _route(session, _by_repo(figures, members, counted))
    pools: dict[RepoId, PoolResponse] = {}
    if not session.is_over:
        others = counted.total() if counted else None
        pools, figures = await session.search_counted(figures, routed.kept, others)
    if session.is_over or not members:
        pool_set = _pool_set(session, pools, _by_repo(figures, members, counted), routed)
        return await _refilled(session, pool_set, figures)
    question = batch.question_beside(routed.kept, figures, pools)
    response = await session.search_jointly(question, members)
    if response is None:
        return None
    pools |= pools_of(session, response, members, question.silent)
    statistics = _by_repo(figures, members, response.figures)
    pool_set = replace(
        _pool_set(session, dict(sorted(pools.items())), statistics, routed),
        verdicts=verdicts_of(members, question.silent, response),
    )
    # Longer lists would contain texts whose copies the batch was not searched for.
    lists = lists_of(session.plan, session.repos, pool_set.pools)
    return None if unfinished(lists, rules_of(session, pool_set), pool_set.asked) else pool_set


def _by_repo(
    figures: Mapping[RepoId, RepoStatistics],
    members: tuple[RepoId, ...] = (),
    counted: BatchedFigures | None = None,
) -> Mapping[RepoId, CollectionStatistics]:
    """Return the statistics of a batch and of separately counted repositories."""
    batched = FiguresByMember(members, counted) if counted else {}
    if not figures:
        return batched
    apart = {repo: counts.statistics for repo, counts in figures.items()}
    return dict(sorted({**batched, **apart}.items()))


def _route(session: FanoutSession, statistics: Mapping[RepoId, CollectionStatistics]) -> Routed:
    """Return the repositories to search, at most as many as the request allows."""
    most = session.force.max_repos
    return route(
        [session.repos[repo] for repo in session.plan.admitted()],
        statistics if most else {},
        repo_scores(statistics) if most else {},
        session.search.query,
        max_repos=most,
        explicit=session.selection.named,
    )


def _pool_set(
    session: FanoutSession,
    pools: Mapping[RepoId, PoolResponse],
    statistics: Mapping[RepoId, CollectionStatistics],
    routed: Routed,
) -> PoolSet:
    return PoolSet(
        strategy=session.force.strategy,
        pools=pools,
        figures=statistics,
        skipped=routed.skipped,
        asked=dict.fromkeys(pools, session.force.per_repo_top),
        limits=tuple((None, limit) for limit in routed.limits),
        warnings=routed.warnings,
    )


async def _refilled(
    session: FanoutSession, pool_set: PoolSet, figures: Mapping[RepoId, RepoStatistics]
) -> PoolSet:
    """Return the result with longer lists, which replace the hits that folding removed."""
    # If the request sets the length of lists, they are not extended.
    may_refill = session.request.per_repo_top is None
    while not session.is_over:
        lists = lists_of(session.plan, session.repos, pool_set.pools)
        named = unfinished(lists, rules_of(session, pool_set), pool_set.asked)
        lengths = deeper(named, pool_set.asked) if may_refill else {}
        longer = await session.refill(lengths, figures)
        fitting = {repo: pool for repo, pool in longer.items() if _same(pool, pool_set.pools[repo])}
        if not fitting:
            cuts = refill_limit(named, pool_set.asked)
            return replace(pool_set, limits=(*pool_set.limits, *cuts), whole=not lengths)
        pool_set = replace(
            pool_set,
            pools={**pool_set.pools, **fitting},
            asked={**pool_set.asked, **{repo: lengths[repo] for repo in fitting}},
        )
    return pool_set


def _same(pool: PoolResponse, other: PoolResponse) -> bool:
    return pool.provenance.snapshot_id == other.provenance.snapshot_id
