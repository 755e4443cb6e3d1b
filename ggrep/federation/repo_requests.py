"""Queries the selected repositories in rounds: identity, term statistics, hits."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import anyio

from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError, NoIndex
from ggrep.base.ids import RepoId
from ggrep.config.caps import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.fanout import Call, RepoOutcome, fan_out
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.memory import Memory, figures_size, plain_search, snapshot_key
from ggrep.federation.request import FederatedRequest, InForce
from ggrep.federation.searcher import RepoSearcher, Searchers
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.corpus import CORPORA
from ggrep.model.request import EncodedQuery, PoolRequest, SearchRequest
from ggrep.model.response import PoolResponse, RepoDescription
from ggrep.model.slate import SlateRequest, SlateResponse
from ggrep.model.statistics import CollectionStatistics, sum_statistics

_LOG = logging.getLogger(__name__)

_GONE = "snapshot_gone"

_PREPARE_SHARE: Final = 2
_DESCRIBE_SHARE: Final = 3
_COUNT_SHARE: Final = 2
_ENCODE_SHARE: Final = 4
"""One in so many of the milliseconds left is the most that a step before the search may take."""


@dataclass(frozen=True, slots=True)
class Figures:
    """A repository's statistics and the snapshot they belong to."""

    snapshot_id: str
    statistics: CollectionStatistics


@dataclass(slots=True)
class RepoRequests:
    """One request while it is sent to repositories.

    Attributes:
        search: what each of them is asked, but for its corpora.
        rounds: under their deadline, and what became of each repository.
        descriptions: of those that have an index, once they were asked for them.
        vectors: the query's, by the encoder's key; empty where repositories encode it themselves.
    """

    search: SearchRequest
    force: InForce
    rounds: FanoutSession
    searchers: Searchers
    memory: Memory
    descriptions: dict[RepoId, RepoDescription] = field(default_factory=dict)
    vectors: dict[str, EncodedQuery] = field(default_factory=dict)
    _open: dict[RepoId, RepoSearcher] = field(default_factory=dict)

    @property
    def repos(self) -> Mapping[RepoId, WorkspaceRepo]:
        """Return all repositories that were selected."""
        return self.rounds.repos

    def vector_of(self, repo: RepoId) -> EncodedQuery | None:
        """Return the query's vector for a repository, from the cache if none was encoded now.

        None where the repository encodes the query itself.
        """
        description = self.descriptions[repo]
        if not (description.has_vectors and self.search.vectors) or self.search.find.is_literal:
            return None
        key = description.embed_key
        return self.vectors.get(key) or self.memory.vectors.get((key, self.search.query))

    async def prepare(self) -> None:
        """Make all repositories ready that will be queried."""
        until = self.rounds.within(_PREPARE_SHARE)
        with anyio.move_on_after(until.remaining_ms() / 1000.0):
            try:
                await self.searchers.prepare(list(self.rounds.asked.values()), until)
            except Exception:  # noqa: BLE001 - they are asked all the same
                _LOG.exception("repositories could not be made ready")

    async def describe(self) -> None:
        """Get the descriptions of the repositories; those without an index drop out."""
        calls = {repo: partial(self._describe, repo) for repo in self.rounds.asked}
        self.descriptions = await self.rounds.look(calls, _DESCRIBE_SHARE)

    async def encode(self, plan: CohortPlan) -> None:
        """Encode the query once for all repositories of the same encoder."""
        if not self.search.vectors or self.search.find.is_literal:
            return
        members: dict[str, list[RepoId]] = {}
        for repo in plan.admitted():
            description = self.descriptions[repo]
            if description.has_vectors:
                members.setdefault(description.embed_key, []).append(repo)
        for key, repos in sorted(members.items()):
            if len(repos) > 1:
                await self._encode(key, repos)

    async def figures(self, repo_ids: Sequence[RepoId]) -> dict[RepoId, Figures]:
        """Return the statistics of repositories for the query.

        Those of a snapshot that was counted before are taken from memory; should it be gone,
        searching it says so.
        """
        known = {repo: held for repo in repo_ids if (held := self._known(repo)) is not None}
        asked = await self._count([repo for repo in repo_ids if repo not in known])
        return known | asked

    async def search_alone(
        self, plan: CohortPlan, only: Iterable[RepoId]
    ) -> dict[RepoId, PoolResponse]:
        """Return each repository's lists, scored by its own statistics."""
        return await self.rounds.search(
            {
                repo: partial(self._search, repo, plan, None, None)
                for repo in only
                if repo not in self.rounds.failures
            }
        )

    async def search_together(
        self, plan: CohortPlan, figures: dict[RepoId, Figures], only: Iterable[RepoId]
    ) -> tuple[dict[RepoId, PoolResponse], dict[RepoId, Figures]]:
        """Return the lists scored by the sum of `figures`, and those figures.

        A repository that published meanwhile is counted once more. When that moves the sum, all
        are asked again: lists measured against different collections must not be merged.

        Args:
            plan: who is asked for what.
            figures: of all who count.
            only: who is searched.
        """
        if not figures:
            return {}, figures
        total, wanted = total_of(figures), set(only) & set(figures)
        first = await self.rounds.search(
            {repo: partial(self._try, repo, plan, figures[repo], total) for repo in sorted(wanted)}
        )
        found = {repo: pool for repo, pool in first.items() if pool is not None}
        gone = [repo for repo in first if repo not in found]
        if not gone or self.rounds.is_over:
            return found, figures
        return await self._search_again(plan, figures, found, gone)

    async def _search_again(
        self,
        plan: CohortPlan,
        figures: dict[RepoId, Figures],
        found: dict[RepoId, PoolResponse],
        gone: Sequence[RepoId],
    ) -> tuple[dict[RepoId, PoolResponse], dict[RepoId, Figures]]:
        """Search again, after new statistics from repositories whose snapshots went meanwhile.

        The race: a repository is counted (1), publishes (2), and is asked for lists of the
        snapshot that was counted (3), which it refuses.
        """
        fresh = await self._count(gone)
        # Who failed otherwise stays counted; who is gone and cannot be counted does not.
        counted = {repo: held for repo, held in figures.items() if repo not in gone} | fresh
        if not counted or self.rounds.is_over:
            return {}, counted
        total = total_of(counted)
        moved = total != total_of(figures)
        again = sorted({*fresh, *found} if moved else fresh)
        second = await self.rounds.search(
            {repo: partial(self._search, repo, plan, counted[repo], total) for repo in again}
        )
        kept = {} if moved else found
        return kept | second, counted

    async def slates(
        self, requests: Mapping[RepoId, SlateRequest], deadline: Deadline
    ) -> dict[RepoId, RepoOutcome[SlateResponse]]:
        """Return the results of requesting slates; no repository drops out."""
        calls = {
            repo: partial(self._searcher(repo).slate, request, deadline)
            for repo, request in requests.items()
        }
        return await fan_out(calls, concurrency=self.rounds.concurrency, deadline=deadline)

    async def refill(
        self, plan: CohortPlan, lengths: Mapping[RepoId, int], figures: Mapping[RepoId, Figures]
    ) -> dict[RepoId, PoolResponse]:
        """Return longer lists of repositories, from the snapshots of the shorter ones.

        Who cannot give them any more is left out, and has not failed: its first lists stand.

        Args:
            plan: who is asked for what.
            lengths: how long a list to ask of each.
            figures: of all who count; empty where each is measured against itself.
        """
        total = total_of(figures) if figures else None
        calls: dict[RepoId, Call[PoolResponse | None]] = {
            repo: partial(self._try, repo, plan, figures.get(repo), total, length)
            for repo, length in lengths.items()
        }
        return await self.rounds.search_on(calls)

    async def _count(self, repo_ids: Sequence[RepoId]) -> dict[RepoId, Figures]:
        found = await self.rounds.look(
            {repo: partial(self._figures, repo) for repo in repo_ids}, _COUNT_SHARE
        )
        for repo, figures in found.items():
            key = replace(
                snapshot_key(repo, self.descriptions[repo]), snapshot_id=figures.snapshot_id
            )
            held = figures.statistics
            self.memory.figures.put((key, plain_search(self.search)), held, figures_size(held))
        return found

    def _known(self, repo: RepoId) -> Figures | None:
        key = snapshot_key(repo, self.descriptions[repo])
        held = self.memory.figures.get((key, plain_search(self.search)))
        return None if held is None else Figures(key.snapshot_id, held)

    async def _encode(self, key: str, repos: Sequence[RepoId]) -> None:
        """Ask one repository after another for the vector; without it, each encodes for itself."""
        held = self.memory.vectors.get((key, self.search.query))
        until = self.rounds.within(_ENCODE_SHARE)
        with anyio.move_on_after(until.remaining_ms() / 1000.0):
            for repo in repos:
                if held is not None:
                    break
                try:
                    held = await self._searcher(repo).encode(self.search.query, until)
                except Exception:  # noqa: BLE001, S112 - one's bug must not take the others' answers
                    continue  # it is asked for lists all the same, and says then what is wrong
        if held is not None:
            self.vectors[key] = held
            self.memory.vectors.put((key, self.search.query), held, 8 * len(held.values))

    def _searcher(self, repo: RepoId) -> RepoSearcher:
        if repo not in self._open:
            self._open[repo] = self.searchers.open(self.repos[repo])
        return self._open[repo]

    async def _describe(self, repo: RepoId) -> RepoDescription:
        description = await self._searcher(repo).describe(self.rounds.deadline)
        if description.snapshot_id is None:
            raise NoIndex("nothing was published yet")
        return description

    async def _figures(self, repo: RepoId) -> Figures:
        return Figures(*await self._searcher(repo).term_stats(self.search, self.rounds.deadline))

    async def _try(
        self,
        repo: RepoId,
        plan: CohortPlan,
        figures: Figures | None,
        total: CollectionStatistics | None,
        length: int = 0,
    ) -> PoolResponse | None:
        try:
            return await self._search(repo, plan, figures, total, length)
        except GgrepError as error:
            if error.code != _GONE:
                raise
            return None

    async def _search(
        self,
        repo: RepoId,
        plan: CohortPlan,
        figures: Figures | None,
        total: CollectionStatistics | None,
        length: int = 0,
    ) -> PoolResponse:
        request = PoolRequest(
            search=replace(self.search, corpora=plan.corpora_of(repo)),
            per_list=max(1, length or self.force.per_repo_top),
            statistics=total,
            snapshot_id=figures.snapshot_id if figures else None,
            vector=self.vectors.get(self.descriptions[repo].embed_key),
        )
        return await self._searcher(repo).search(request, self.rounds.deadline)


def repo_search(request: FederatedRequest) -> SearchRequest:
    """Return the request to each repository: canonical, and within a repository's caps."""
    search = request.search
    return replace(
        search,
        corpora=tuple(corpus for corpus in CORPORA if corpus in search.corpora),
        limit=min(request.top, MAX_QUERY_RESULTS),
        per_file=min(search.per_file, MAX_QUERY_PER_FILE),
    )


def total_of(figures: Mapping[RepoId, Figures]) -> CollectionStatistics:
    """Return the statistics of all repositories together."""
    return sum_statistics(figures[repo].statistics for repo in sorted(figures))
