"""Asks many repositories at once, where one process serves most of them.

The replies are merged as the repositories' own lists would be, to the same bytes. A few
repositories that must be asked by themselves are; with more obstacles, all are.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.federation.answer_assembly import rules_of
from ggrep.federation.coordinator_cache import PoolSet
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.merge import lists_of, unfinished
from ggrep.federation.routing import Routed, repo_scores, route
from ggrep.federation.validation import GLOBAL
from ggrep.model.batched_query import (
    BatchedPoolResponse,
    BatchedQuery,
    FiguresByMember,
    MemberLists,
)
from ggrep.model.confidence import NO_TOP_FILES
from ggrep.model.limits import LimitHit, Notice, sorted_limits, sorted_notices
from ggrep.model.request import CollectionStatistics, sum_statistics
from ggrep.model.response import PoolResponse, Provenance, RepoDescription


class BatchPlan(Struct, frozen=True):
    """Repositories that are asked at once."""

    question: BatchedQuery
    members: tuple[RepoId, ...]
    apart: tuple[RepoId, ...]


async def batched_pools(session: FanoutSession) -> PoolSet | None:
    """Return the replies of the admitted repositories; None where each must be asked by itself.

    Asking them one by one tells which of them fails.
    """
    joint = await _given(session)
    return await _given(session) if joint is None and await session.is_described_anew() else joint


async def _given(session: FanoutSession) -> PoolSet | None:
    plan = None if session.is_over else batch_plan(session)
    if plan is None:
        return None
    in_rounds = bool(plan.apart or session.force.max_repos)
    pool_set = await (_in_rounds(session, plan) if in_rounds else _in_one(session, plan))
    if pool_set is None:
        return None
    # Longer lists would hold texts whose copies were not looked for here.
    lists = lists_of(session.plan, session.repos, pool_set.pools)
    return None if unfinished(lists, rules_of(session, pool_set), pool_set.asked) else pool_set


def batch_plan(session: FanoutSession) -> BatchPlan | None:
    """Return which repositories are asked at once; None where each must be asked by itself.

    At once are those that compare in every corpus, cut their answers alike, and show plain lists
    of their active snapshots: most of them must. Lines are matched by each repository itself, as
    its hits are spread over its files.
    """
    force = session.force
    plain = (
        force.strategy == GLOBAL
        and 0 < force.top <= force.per_repo_top
        and not session.kept
        and not session.search.is_exact
    )
    if not plain:
        return None
    admitted = session.plan.admitted()
    members = _alike(session, [repo for repo in admitted if _may_join(session, repo)])
    if len(members) < 2 or 2 * len(members) <= len(admitted):
        return None
    question = BatchedQuery(
        search=session.search,
        top=force.top,
        per_list=force.per_repo_top,
        folds=force.fold,
        vector=session.vector_of(members[0]),
    )
    joined = frozenset(members)
    return BatchPlan(question, members, tuple(repo for repo in admitted if repo not in joined))


def _may_join(session: FanoutSession, repo: RepoId) -> bool:
    facts = session.descriptions[repo]
    plain = facts.snapshot_id and facts.answers_key and not facts.profile
    everywhere = len(session.plan.corpora_of(repo)) == len(session.search.corpora)
    return bool(plain) and everywhere and session.is_described_jointly(repo)


def _alike(session: FanoutSession, repos: Sequence[RepoId]) -> tuple[RepoId, ...]:
    """Return the most repositories whose indexes and answers are of one kind."""
    kinds = {repo: _kind(session.descriptions[repo]) for repo in repos}
    most = Counter(kinds.values()).most_common(1)
    return tuple(repo for repo in repos if kinds[repo] == most[0][0])


def _kind(facts: RepoDescription) -> tuple[str, ...]:
    return facts.embed_key, facts.lexical_key, facts.schema_key, facts.answers_key


async def _in_one(session: FanoutSession, plan: BatchPlan) -> PoolSet | None:
    """Return the replies of all repositories to one request."""
    response = await session.search_jointly(plan.question, plan.members)
    if response is None:
        return None
    return PoolSet(
        strategy=session.force.strategy,
        pools=_pools(session, response, plan.members),
        figures=FiguresByMember(plan.members, response.figures),
        asked=dict.fromkeys(plan.members, session.force.per_repo_top),
    )


async def _in_rounds(session: FanoutSession, plan: BatchPlan) -> PoolSet | None:
    """Return the replies of repositories that are all counted before any is searched.

    So it is where some are asked by themselves, and where the request limits their number.
    """
    counted = await session.search_jointly(replace(plan.question, counting=True), plan.members)
    if counted is None:
        return None
    apart = await session.figures(plan.apart)
    others = {repo: figures.statistics for repo, figures in apart.items()}
    statistics = dict(sorted({**FiguresByMember(plan.members, counted.figures), **others}.items()))
    routed = routed_by(session, statistics)
    kept = frozenset(routed.kept)
    searched = {repo: figures for repo, figures in apart.items() if repo in kept}
    pools = await session.search_counted(searched, sum_statistics(statistics.values()))
    if pools is None or session.is_over:
        return None
    question = replace(
        plan.question,
        silent=tuple(place for place, repo in enumerate(plan.members) if repo not in kept),
        others=tuple(others.values()),
        texts=_texts(pools) if plan.question.folds else (),
    )
    response = await session.search_jointly(question, plan.members)
    if response is None:
        return None
    joined = _pools(session, response, plan.members, question.silent)
    pools = dict(sorted({**pools, **joined}.items()))
    return PoolSet(
        strategy=session.force.strategy,
        pools=pools,
        figures=statistics,
        skipped=routed.skipped,
        asked=dict.fromkeys(pools, session.force.per_repo_top),
        limits=tuple((None, limit) for limit in routed.limits),
        warnings=routed.warnings,
        verdicts=_verdicts(plan.members, question.silent, response),
    )


def routed_by(session: FanoutSession, statistics: Mapping[RepoId, CollectionStatistics]) -> Routed:
    """Return the repositories to search, when the request limits their number."""
    return route(
        [session.repos[repo] for repo in session.plan.admitted()],
        statistics,
        repo_scores(statistics),
        session.search.query,
        max_repos=session.force.max_repos,
        explicit=session.selection.named,
    )


def _texts(pools: Mapping[RepoId, PoolResponse]) -> tuple[str, ...]:
    lists = [hits for pool in pools.values() for _, hits in pool.corpora]
    return tuple(sorted({hit.chunk_id for hits in lists for hit in hits}))


def _verdicts(
    members: Sequence[RepoId], silent: Sequence[int], response: BatchedPoolResponse
) -> dict[RepoId, bool]:
    """Return of each silent member whether the answer with it may be another one."""
    reaching = frozenset(response.reaching)
    return {members[place]: place in reaching for place in silent}


def _pools(
    session: FanoutSession,
    response: BatchedPoolResponse,
    members: Sequence[RepoId],
    silent: Collection[int] = (),
) -> dict[RepoId, PoolResponse]:
    """Return the lists of each member that is not silent."""
    lists = {listed.member: listed for listed in response.lists}
    notices: dict[int, list[Notice]] = {}
    for item in response.notices:
        notices.setdefault(item.member, []).append(item.notice)
    limits: dict[int, list[LimitHit]] = {}
    for cut in response.limits:
        limits.setdefault(cut.member, []).append(cut.limit)
    partial, silent = frozenset(response.partial), frozenset(silent)
    nothing = tuple((corpus, ()) for corpus in session.search.corpora)
    pools: dict[RepoId, PoolResponse] = {}
    for place, repo in enumerate(members):
        if place in silent:
            continue
        listed = lists.get(place, MemberLists(place, nothing))
        pools[repo] = PoolResponse(
            provenance=_provenance(session.descriptions[repo], partial=place in partial),
            blended=(),
            corpora=listed.corpora,
            # The top files of all members are reported once.
            leading=NO_TOP_FILES if pools else response.leading,
            limits_hit=sorted_limits((*response.limits_hit, *limits.get(place, ()))),
            warnings=sorted_notices(notices.get(place, ())),
        )
    return pools


def _provenance(description: RepoDescription, *, partial: bool) -> Provenance:
    return Provenance(
        store_id=description.store_id,
        config_fingerprint=description.config_fingerprint,
        ignore_fingerprint=description.ignore_fingerprint,
        embed_config_fingerprint="",
        snapshot_id=description.snapshot_id or "",
        git=None,
        degraded=description.degraded,
        partial=partial,
        indexed_files=0,
        eligible_files=0,
    )
