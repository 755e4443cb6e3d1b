"""Chooses the repositories that one process searches together, and reads the lists in the reply.

The reply contains the first hits of each repository's list. Merging these lists gives the same
bytes as querying each repository separately.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.batched_query import BatchedPoolResponse, BatchedQuery, MemberLists
from ggrep.model.confidence import NO_TOP_FILES
from ggrep.model.limits import LimitHit, Notice, sorted_limits, sorted_notices
from ggrep.model.request import RepoStatistics
from ggrep.model.response import PoolResponse, Provenance, RepoDescription

_MOST_RRF_K: Final = 100_000
"""With a larger constant, the rounded scores of neighbouring ranks can be equal."""


class Batch(Struct, frozen=True):
    """The admitted repositories of a query, divided into one batch and separate queries.

    Attributes:
        question: the query for the whole batch.
        members: repositories of the batch; empty if a batch would be slower or is impossible.
        apart: repositories to query separately.
    """

    question: BatchedQuery
    members: tuple[RepoId, ...]
    apart: tuple[RepoId, ...]

    def question_beside(
        self,
        kept: Collection[RepoId],
        figures: Mapping[RepoId, RepoStatistics],
        pools: Mapping[RepoId, PoolResponse],
    ) -> BatchedQuery:
        """Return the query for the batch after the other repositories were searched.

        Args:
            kept: repositories to search; members that are not in `kept` return no lists.
            figures: term statistics of the other repositories.
            pools: lists of the other repositories.
        """
        lists = [hits for pool in pools.values() for _, hits in pool.corpora]
        texts = {hit.chunk_id for hits in lists for hit in hits}
        kept = frozenset(kept)
        return replace(
            self.question,
            silent=tuple(index for index, repo in enumerate(self.members) if repo not in kept),
            others=tuple(counts.statistics for counts in figures.values()),
            texts=tuple(sorted(texts)) if self.question.folds else (),
        )

    def question_by_rank(
        self, members: Sequence[RepoId], repos: Mapping[RepoId, WorkspaceRepo]
    ) -> BatchedQuery:
        """Return the query for a batch whose lists are merged by rank."""
        indexes = range(len(members))
        by_rank = sorted(indexes, key=lambda index: (-repos[members[index]].priority, index))
        return replace(self.question, by_rank=tuple(by_rank))


def plan_batch(session: FanoutSession, *, by_rank: bool) -> Batch:
    """Return the batch of repositories to query together, and the repositories to query separately.

    Repositories are queried together if they search their active snapshots, no profile restricts
    them, their indexes are comparable in every corpus, and their daemons limit answers in the same
    way. More than half of the admitted repositories must qualify. A search for matching lines is
    sent to each repository separately, because each repository limits its hits per file. If lists
    are merged by rank, a batch also requires that copies are not folded and that the scores of
    different ranks differ.
    """
    force = session.force
    admitted = [repo for repo in session.plan.admitted() if repo not in session.failures]
    plain = 0 < force.top <= force.per_repo_top and not session.kept and not session.search.is_exact
    plain = plain and not (by_rank and (force.fold or force.rrf_k > _MOST_RRF_K))
    members = _alike(session, [repo for repo in admitted if plain and _may_join(session, repo)])
    if len(members) < 2 or 2 * len(members) <= len(admitted):
        members = ()
    question = BatchedQuery(
        search=session.search,
        top=force.top,
        per_list=force.per_repo_top,
        folds=force.fold,
        vector=session.vector_of(members[0]) if members else None,
    )
    joined = frozenset(members)
    return Batch(question, members, tuple(repo for repo in admitted if repo not in joined))


def _may_join(session: FanoutSession, repo: RepoId) -> bool:
    facts = session.descriptions[repo]
    plain = facts.snapshot_id and facts.answers_key and not facts.profile
    everywhere = len(session.plan.corpora_of(repo)) == len(session.search.corpora)
    return bool(plain) and everywhere and session.is_described_jointly(repo)


def _alike(session: FanoutSession, repos: Sequence[RepoId]) -> tuple[RepoId, ...]:
    """Return the largest group of repositories with comparable indexes and equal settings."""
    kinds = {repo: _kind(session.descriptions[repo]) for repo in repos}
    most = Counter(kinds.values()).most_common(1)
    return tuple(repo for repo in repos if kinds[repo] == most[0][0])


def _kind(facts: RepoDescription) -> tuple[str, ...]:
    return facts.embed_key, facts.lexical_key, facts.schema_key, facts.answers_key


def verdicts_of(
    members: Sequence[RepoId], silent: Sequence[int], response: BatchedPoolResponse
) -> dict[RepoId, bool]:
    """Return, for each member without returned lists, whether it could have changed the answer."""
    reaching = frozenset(response.reaching)
    return {members[index]: index in reaching for index in silent}


def pools_of(
    session: FanoutSession,
    response: BatchedPoolResponse,
    members: Sequence[RepoId],
    silent: Collection[int],
) -> dict[RepoId, PoolResponse]:
    """Return the lists of each member that is not in `silent`."""
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
    for index, repo in enumerate(members):
        if index in silent:
            continue
        listed = lists.get(index, MemberLists(index, nothing))
        pools[repo] = PoolResponse(
            provenance=_provenance(session.descriptions[repo], partial=index in partial),
            blended=listed.blended,
            corpora=listed.corpora,
            # The reply contains the top files of all members once.
            leading=NO_TOP_FILES if pools else response.leading,
            limits_hit=sorted_limits((*response.limits_hit, *limits.get(index, ()))),
            warnings=sorted_notices(notices.get(index, ())),
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
