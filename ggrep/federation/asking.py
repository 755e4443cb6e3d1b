"""Asks the selected repositories, round by round: what are you, what do you count, what fits."""

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeVar

import anyio

from ggrep.config.caps import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.domain.corpus import CORPORA
from ggrep.domain.deadline import Deadline
from ggrep.domain.ids import RepoId
from ggrep.domain.request import EncodedQuery, PoolRequest, SearchRequest
from ggrep.domain.response import PoolResponse, RepoDescription
from ggrep.domain.statistics import CollectionStatistics, sum_statistics
from ggrep.errors import GgrepError, NoIndex
from ggrep.federation.arrival import Arrival, Arrived
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.fanout import Call, RepoOutcome, fan_out
from ggrep.federation.memory import Memory, figures_size, plain_search, snapshot_key
from ggrep.federation.report import RepoReport, status_of
from ggrep.federation.request import FederatedRequest, InForce
from ggrep.federation.searcher import RepoSearcher, Searchers
from ggrep.federation.workspace import WorkspaceRepo

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

_GONE = "snapshot_gone"

_PREPARE_SHARE: Final = 2
_DESCRIBE_SHARE: Final = 3
_COUNT_SHARE: Final = 2
_ENCODE_SHARE: Final = 4
"""One in so many of the milliseconds left is the most that a step before the search may take."""

_STEP_MS: Final = 10_000
"""The most that one turn of the first rounds takes, however much time there is: who has not said
by then what it is, will hardly search in time, and all others wait."""


_LOOKS: Final = 16
"""Repositories asked at once, at least, what takes them little: a snapshot that is opened for the
first time needs its time, and the request bounds searches."""


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
        descriptions: of those that have an index, once they were asked for them.
        vectors: the query's, by the encoder's key; empty where repositories encode it themselves.
        failures: of repositories that dropped out.
        elapsed_ms: spent on each repository so far.
    """

    search: SearchRequest
    force: InForce
    deadline: Deadline
    strict: bool
    searchers: Searchers
    repos: Mapping[RepoId, WorkspaceRepo]
    memory: Memory
    arrived: Arrived | None = None
    descriptions: dict[RepoId, RepoDescription] = field(default_factory=dict)
    vectors: dict[str, EncodedQuery] = field(default_factory=dict)
    failures: dict[RepoId, GgrepError] = field(default_factory=dict)
    elapsed_ms: dict[RepoId, float] = field(default_factory=dict)
    _open: dict[RepoId, RepoSearcher] = field(default_factory=dict)
    _told: set[RepoId] = field(default_factory=set)

    @property
    def is_over(self) -> bool:
        """Return whether asking further cannot change the outcome."""
        return self.strict and bool(self.failures)

    async def prepare(self) -> None:
        """Have everybody ready who will be asked."""
        until = self._within(_PREPARE_SHARE)
        left_ms = until.remaining_ms()
        with anyio.move_on_after(left_ms / 1000.0):
            try:
                await self.searchers.prepare(list(self.repos.values()), until)
            except Exception:  # noqa: BLE001 - they are asked all the same
                _LOG.exception("repositories could not be made ready")

    async def describe(self) -> None:
        """Learn what the repositories are; those without an index drop out."""
        calls = {repo: partial(self._describe, repo) for repo in self.repos}
        until = self._within(_DESCRIBE_SHARE, len(calls))
        self.descriptions = await self._round(calls, until, at_once=_LOOKS)

    async def encode(self, plan: CohortPlan) -> None:
        """Have the query encoded once for all repositories of the same encoder."""
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
        """Return the lists of each repository, measured against itself."""
        return await self._round(
            {
                repo: partial(self._search, repo, plan, None, None)
                for repo in only
                if repo not in self.failures
            },
            self.deadline,
        )

    async def search_together(
        self, plan: CohortPlan, figures: dict[RepoId, Figures], only: Iterable[RepoId]
    ) -> tuple[dict[RepoId, PoolResponse], dict[RepoId, Figures]]:
        """Return the lists measured against the sum of `figures`, and those figures.

        A repository that published meanwhile is counted once more. When that moves the sum, all
        are asked again: lists measured against different collections must not be merged.

        Args:
            plan: who is asked for what.
            figures: of all who count.
            only: who is searched.
        """
        if not figures:
            return {}, figures
        total, searched = total_of(figures), set(only)
        first = await self._round(
            {
                repo: partial(self._try, repo, plan, figures[repo], total)
                for repo in figures
                if repo in searched
            },
            self.deadline,
        )
        found = {repo: pool for repo, pool in first.items() if pool is not None}
        gone = [repo for repo in first if repo not in found]
        if not gone or self.is_over:
            return found, figures
        fresh = await self._count(gone)
        # Who failed otherwise stays counted; who is gone and cannot be counted does not.
        figures = {repo: held for repo, held in figures.items() if repo not in gone} | fresh
        if not figures:
            return {}, {}
        moved = total_of(figures) != total
        total = total_of(figures)
        again = sorted({*fresh, *found} if moved else fresh)
        second = await self._round(
            {repo: partial(self._search, repo, plan, figures[repo], total) for repo in again},
            self.deadline,
        )
        kept = {} if moved else found
        return kept | second, figures

    async def refill(
        self, plan: CohortPlan, lengths: Mapping[RepoId, int], figures: Mapping[RepoId, Figures]
    ) -> dict[RepoId, PoolResponse]:
        """Return longer lists of repositories, of the snapshots that gave the shorter ones.

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
        outcomes = await fan_out(calls, concurrency=self.force.concurrency, deadline=self.deadline)
        return {repo: held.value for repo, held in outcomes.items() if held.value is not None}

    def tell_rest(
        self, reports: Sequence[RepoReport], pools: Mapping[RepoId, PoolResponse]
    ) -> None:
        """Pass word on of those who had nothing to be asked for."""
        for report in reports:
            pool = pools.get(report.repo.repo_id)
            self._tell(report.repo.repo_id, report.status, len(pool.blended) if pool else 0)

    async def _count(self, repo_ids: Sequence[RepoId]) -> dict[RepoId, Figures]:
        found = await self._round(
            {repo: partial(self._figures, repo) for repo in repo_ids},
            self._within(_COUNT_SHARE, len(repo_ids)),
            at_once=_LOOKS,
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
        """Ask one after another until one gives the vector; without it each encodes for itself."""
        held = self.memory.vectors.get((key, self.search.query))
        until = self._within(_ENCODE_SHARE)
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

    async def _round(
        self, calls: Mapping[RepoId, Call[T]], deadline: Deadline, *, at_once: int = 0
    ) -> dict[RepoId, T]:
        def done(repo: RepoId, outcome: RepoOutcome[T]) -> None:
            if outcome.error is not None:
                self._fail(repo, outcome.error)
            elif isinstance(outcome.value, PoolResponse):
                self._tell(repo, "ok", len(outcome.value.blended))

        outcomes = await fan_out(
            calls,
            concurrency=max(at_once, self.force.concurrency),
            deadline=deadline,
            strict=self.strict,
            done=done,
        )
        found = {}
        for repo, outcome in outcomes.items():
            self.elapsed_ms[repo] = self.elapsed_ms.get(repo, 0.0) + outcome.elapsed_ms
            if outcome.error is not None:
                self._fail(repo, outcome.error)
            else:
                found[repo] = outcome.value
        return found  # type: ignore[return-value]  # without an error there is a value

    def _fail(self, repo: RepoId, error: GgrepError) -> None:
        if isinstance(error, NoIndex):
            error = NoIndex("no index yet; run: ggrep workspace build FILE")
        self.failures[repo] = error
        self._tell(repo, status_of(error), 0)

    def _tell(self, repo: RepoId, status: str, count: int) -> None:
        """Pass word of a repository on, once."""
        if self.arrived is None or repo in self._told:
            return
        self._told.add(repo)
        alias, total = self.repos[repo].alias, len(self.repos)
        self.arrived(Arrival(repo, alias, status, count, len(self._told), total))

    def _within(self, share: int, repos: int = 1) -> Deadline:
        """Return the end of a step that may take one in `share` of what is left.

        Where so many `repos` are asked that they follow one another, each turn has its time.
        """
        turns = max(1, math.ceil(repos / max(_LOOKS, self.force.concurrency)))
        step_ms = min(self.deadline.remaining_ms() / share, turns * _STEP_MS)
        return replace(self.deadline, at_ms=self.deadline.clock.monotonic_ms() + step_ms)

    def _searcher(self, repo: RepoId) -> RepoSearcher:
        if repo not in self._open:
            self._open[repo] = self.searchers.open(self.repos[repo])
        return self._open[repo]

    async def _describe(self, repo: RepoId) -> RepoDescription:
        description = await self._searcher(repo).describe(self.deadline)
        if description.snapshot_id is None:
            raise NoIndex("nothing was published yet")
        return description

    async def _figures(self, repo: RepoId) -> Figures:
        return Figures(*await self._searcher(repo).term_stats(self.search, self.deadline))

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
        return await self._searcher(repo).search(request, self.deadline)


def repo_search(request: FederatedRequest) -> SearchRequest:
    """Return what each repository is asked: canonical, and within a repository's own caps."""
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
