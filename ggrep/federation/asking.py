"""Asks the selected repositories, round by round: what are you, what do you count, what fits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from ggrep.config.caps import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.domain.corpus import CORPORA
from ggrep.domain.deadline import Deadline
from ggrep.domain.ids import RepoId
from ggrep.domain.request import PoolRequest, SearchRequest
from ggrep.domain.response import PoolResponse, RepoDescription
from ggrep.domain.statistics import CollectionStatistics, sum_statistics
from ggrep.errors import GgrepError, NoIndex
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.fanout import Call, fan_out
from ggrep.federation.request import FederatedRequest, InForce
from ggrep.federation.searcher import RepoSearcher, SearcherFactory
from ggrep.federation.workspace import WorkspaceRepo

T = TypeVar("T")

_GONE = "snapshot_gone"


@dataclass(frozen=True, slots=True)
class Figures:
    """A repository's statistics and the snapshot they belong to."""

    snapshot_id: str
    statistics: CollectionStatistics


@dataclass(slots=True)
class Asking:
    """One request being put to repositories.

    Attributes:
        search: what each of them is asked, but for its corpora.
        deadline: of all rounds together.
        failures: of repositories that dropped out.
        elapsed_ms: spent on each repository so far.
    """

    search: SearchRequest
    force: InForce
    deadline: Deadline
    strict: bool
    factory: SearcherFactory
    repos: Mapping[RepoId, WorkspaceRepo]
    failures: dict[RepoId, GgrepError] = field(default_factory=dict)
    elapsed_ms: dict[RepoId, float] = field(default_factory=dict)
    searchers: dict[RepoId, RepoSearcher] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        """Return whether asking further cannot change the outcome."""
        return self.strict and bool(self.failures)

    async def describe(self) -> dict[RepoId, RepoDescription]:
        """Return what the repositories are; those without an index drop out."""
        return await self._round({repo: partial(self._describe, repo) for repo in self.repos})

    async def figures(self, repo_ids: Sequence[RepoId]) -> dict[RepoId, Figures]:
        """Return the statistics of repositories for the query."""
        return await self._round({repo: partial(self._figures, repo) for repo in repo_ids})

    async def search_alone(self, plan: CohortPlan) -> dict[RepoId, PoolResponse]:
        """Return the lists of each repository, measured against itself."""
        return await self._round(
            {repo: partial(self._search, repo, plan, None, None) for repo in plan.admitted()}
        )

    async def search_together(
        self, plan: CohortPlan, figures: dict[RepoId, Figures]
    ) -> tuple[dict[RepoId, PoolResponse], tuple[RepoId, ...]]:
        """Return the lists measured against the sum of `figures`, and whose figures those were.

        A repository that published meanwhile is counted once more. When that moves the sum, all
        are asked again: lists measured against different collections must not be merged.
        """
        total = _total(figures)
        first = await self._round(
            {repo: partial(self._try, repo, plan, figures[repo], total) for repo in figures}
        )
        found = {repo: pool for repo, pool in first.items() if pool is not None}
        gone = [repo for repo in first if repo not in found]
        if not gone or self.is_over:
            return found, tuple(sorted(figures))
        fresh = await self.figures(gone)
        # Who failed otherwise stays counted; who is gone and cannot be counted does not.
        figures = {repo: held for repo, held in figures.items() if repo not in gone} | fresh
        if not figures:
            return {}, ()
        moved = _total(figures) != total
        total = _total(figures)
        again = sorted({*fresh, *found} if moved else fresh)
        second = await self._round(
            {repo: partial(self._search, repo, plan, figures[repo], total) for repo in again}
        )
        kept = {} if moved else found
        return kept | second, tuple(sorted(figures))

    async def _round(self, calls: Mapping[RepoId, Call[T]]) -> dict[RepoId, T]:
        outcomes = await fan_out(
            calls,
            concurrency=self.force.concurrency,
            deadline=self.deadline,
            strict=self.strict,
        )
        found = {}
        for repo, outcome in outcomes.items():
            self.elapsed_ms[repo] = self.elapsed_ms.get(repo, 0.0) + outcome.elapsed_ms
            if outcome.error is not None:
                self.failures[repo] = outcome.error
            else:
                found[repo] = outcome.value
        return found  # type: ignore[return-value]  # without an error there is a value

    def _open(self, repo: RepoId) -> RepoSearcher:
        if repo not in self.searchers:
            self.searchers[repo] = self.factory(self.repos[repo])
        return self.searchers[repo]

    async def _describe(self, repo: RepoId) -> RepoDescription:
        description = await self._open(repo).describe(self.deadline)
        if description.snapshot_id is None:
            raise NoIndex("this repository has no index yet; run: ggrep index")
        return description

    async def _figures(self, repo: RepoId) -> Figures:
        return Figures(*await self._open(repo).term_stats(self.search, self.deadline))

    async def _try(
        self, repo: RepoId, plan: CohortPlan, figures: Figures, total: CollectionStatistics
    ) -> PoolResponse | None:
        try:
            return await self._search(repo, plan, figures, total)
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
    ) -> PoolResponse:
        request = PoolRequest(
            search=replace(self.search, corpora=plan.corpora_of(repo)),
            per_list=self.force.per_repo_top,
            statistics=total,
            snapshot_id=figures.snapshot_id if figures else None,
        )
        return await self._open(repo).search(request, self.deadline)


def repo_search(request: FederatedRequest) -> SearchRequest:
    """Return what each repository is asked: canonical, and within a repository's own caps."""
    search = request.search
    return replace(
        search,
        corpora=tuple(corpus for corpus in CORPORA if corpus in search.corpora),
        limit=min(request.top, MAX_QUERY_RESULTS),
        per_file=min(search.per_file, MAX_QUERY_PER_FILE),
    )


def _total(figures: Mapping[RepoId, Figures]) -> CollectionStatistics:
    return sum_statistics(figures[repo].statistics for repo in sorted(figures))
