"""Queries the selected repositories in rounds: description, term statistics, hits.

A session is the state of a request: its queries and, for each repository, the description, the
error, the elapsed time and whether the repository was reported.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeAlias, TypeVar

import anyio
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError, NoIndex, SessionExpired
from ggrep.base.ids import RepoId
from ggrep.config.declarations import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.coordinator_cache import (
    CoordinatorCache,
    figures_size,
    plain_search,
    snapshot_key,
)
from ggrep.federation.fanout import Call, RepoOutcome, ShareEnded, fan_out
from ggrep.federation.federated_request import (
    EffectiveSettings,
    FederatedRequest,
    effective_settings,
)
from ggrep.federation.repo_outcomes import RepoLimit, RepoReport, status_of
from ggrep.federation.searcher import JointSearcher, RepoSearcher, Searchers
from ggrep.federation.selection import Selection
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.model.batched_query import BatchedPoolResponse, BatchedQuery
from ggrep.model.corpus import CORPORA
from ggrep.model.limits import LimitHit, Notice, unseen_notices
from ggrep.model.request import (
    CollectionStatistics,
    EncodedQuery,
    EncodeRequest,
    PoolRequest,
    RepoStatistics,
    SearchRequest,
    StatisticsRequest,
    sum_statistics,
)
from ggrep.model.response import PoolResponse, RepoDescription
from ggrep.model.slate import SlateRequest, SlateResponse
from ggrep.model.suggested_commands import build_index
from ggrep.search.slate.tokens import snapshot_in

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

_GONE = "snapshot_gone"

_PREPARE_SHARE: Final = 2
_DESCRIBE_SHARE: Final = 3
_COUNT_SHARE: Final = 2
_ENCODE_SHARE: Final = 4
_JOINT_SHARE: Final = 2
"""Each step before the search may use the remaining time divided by the step's constant."""

_MANY: Final = 64
"""With more repositories, separate descriptions would take too long, so the joint description gets
more time."""

_AT_ONCE: Final = 16
"""Minimum concurrency of requests for descriptions and statistics. These requests are cheap, but
opening a snapshot for the first time takes a while. The limit in the search request applies to
searches only."""

SHARE_LIMIT: Final = "deadline_share"
"""Code of the limit for a repository whose share of the time, in per cent, was too short."""


class RepoDone(Struct, frozen=True):
    """Progress of a workspace search: a repository is finished.

    Attributes:
        status: as in `repos` of the answer; `ok` for a repository that returned lists.
        count: number of hits from the repository.
        done: number of finished repositories, of `total` selected repositories.
    """

    repo_id: RepoId
    alias: str | None
    status: str
    count: int
    done: int
    total: int


Arrived: TypeAlias = Callable[[RepoDone], None]


@dataclass(slots=True)
class FanoutSession:
    """The state of a request while repositories are queried.

    Attributes:
        deadline: common deadline of all rounds.
        part: share of the request's time that ends at `deadline`; a slate uses the rest.
        arrived: callback for each finished repository; None for no callback.
        kept: session tokens by repository; these repositories answer from the snapshots of the
            session.
        search: the request to each repository; the corpora are replaced for each repository.
        repos: all selected repositories.
        plan: the repositories to query for each corpus, once they are described.
        descriptions: descriptions of repositories with an index, once they are fetched.
        vectors: the query's vectors by encoder key; empty if repositories encode the query.
        failures: errors of repositories; a repository with an error is not queried again.
        elapsed_ms: time spent on each repository so far.
    """

    workspace: Workspace
    request: FederatedRequest
    selection: Selection
    searchers: Searchers
    memory: CoordinatorCache
    deadline: Deadline
    part: float = 1.0
    arrived: Arrived | None = None
    kept: Mapping[RepoId, str] = field(default_factory=dict)
    search: SearchRequest = field(init=False)
    force: EffectiveSettings = field(init=False)
    repos: Mapping[RepoId, WorkspaceRepo] = field(init=False)
    plan: CohortPlan = field(init=False)
    descriptions: dict[RepoId, RepoDescription] = field(default_factory=dict)
    vectors: dict[str, EncodedQuery] = field(default_factory=dict)
    failures: dict[RepoId, GgrepError] = field(default_factory=dict)
    elapsed_ms: dict[RepoId, float] = field(default_factory=dict)
    _open: dict[RepoId, RepoSearcher] = field(default_factory=dict)
    _reported: set[RepoId] = field(default_factory=set)
    _joint: JointSearcher | None = None
    _joined: frozenset[RepoId] = frozenset()
    _gone: bool = False
    _described_anew: bool = False

    def __post_init__(self) -> None:
        """Record the errors of missing repositories."""
        self.search = repo_search(self.request)
        self.force = effective_settings(self.request, self.workspace)
        self.repos = {repo.repo_id: repo for repo in self.selection.repos}
        for repo_id, repo in sorted(self.repos.items()):
            if (failure := repo.failure) is not None:
                self.fail(repo_id, failure)

    @property
    def is_over(self) -> bool:
        """Return whether the request has failed, so that no further query is needed."""
        return self.request.strict and bool(self.failures)

    def vector_of(self, repo: RepoId) -> EncodedQuery | None:
        """Return the query's vector for a repository, from this request or from the cache.

        None if the repository encodes the query itself.
        """
        description = self.descriptions[repo]
        if not (description.has_vectors and self.search.vectors) or self.search.is_exact:
            return None
        key = description.embed_key
        return self.vectors.get(key) or self.memory.vectors.get((key, self.search.query))

    async def begin(self) -> None:
        """Prepare and describe the repositories, unless the request has already failed."""
        if not self.is_over:
            await self._prepare()
            await self._describe_all()

    async def _prepare(self) -> None:
        until = self._within(_PREPARE_SHARE)
        with anyio.move_on_after(until.remaining_ms() / 1000.0):
            try:
                await self.searchers.prepare(self._without_error(), until)
            except Exception:  # noqa: BLE001 - queries to unprepared repositories fail later
                _LOG.exception("repositories could not be prepared")

    async def _describe_all(self) -> None:
        repos = self._without_error()
        known = await self._described_jointly(repos)
        calls = {
            repo.repo_id: partial(self._describe, repo.repo_id)
            for repo in repos
            if repo.repo_id not in known
        }
        self.descriptions = known | await self._run(calls, _DESCRIBE_SHARE)

    async def _described_jointly(
        self, repos: Sequence[WorkspaceRepo]
    ) -> dict[RepoId, RepoDescription]:
        """Return the descriptions of repositories that a host process reads together."""
        share = _JOINT_SHARE if len(repos) > _MANY else _JOINT_SHARE * _DESCRIBE_SHARE
        # Only the repository's daemon can describe the snapshot of a session.
        joint = None if self.kept else self.searchers.joint(repos)
        if joint is None:
            return {}
        try:
            descriptions = await joint.describe(self._within(share))
        except GgrepError as error:
            _LOG.info("described one by one: %s", error)
            return {}
        self._joint, self._joined = joint, frozenset(descriptions)
        return dict(descriptions)

    def is_described_jointly(self, repo: RepoId) -> bool:
        """Return whether a host process has described a repository for a batch."""
        return repo in self._joined

    async def encode(self, repo_ids: Iterable[RepoId]) -> None:
        """Encode the query once for each encoder that several local repositories share.

        Team servers are not queried: a wrong vector would be used for other repositories too.
        """
        if not self.search.vectors or self.search.is_exact:
            return
        members: dict[str, list[RepoId]] = {}
        for repo in repo_ids:
            description = self.descriptions[repo]
            if description.has_vectors and self.repos[repo].remote is None:
                members.setdefault(description.embed_key, []).append(repo)
        for key, repos in sorted(members.items()):
            if len(repos) > 1:
                await self._encode(key, repos)

    async def figures(self, repo_ids: Sequence[RepoId]) -> dict[RepoId, RepoStatistics]:
        """Return the term statistics of repositories for the query.

        Cached statistics of a snapshot are reused. If the snapshot has been deleted since, the
        later search counts again.
        """
        known = {repo: counts for repo in repo_ids if (counts := self._known(repo)) is not None}
        counted = await self._count([repo for repo in repo_ids if repo not in known])
        return known | counted

    async def search_jointly(
        self, question: BatchedQuery, repo_ids: Sequence[RepoId]
    ) -> BatchedPoolResponse | None:
        """Return the lists of repositories that are searched together; None if the search failed.

        Half of the remaining time is reserved for separate searches.
        """
        if self._joint is None:
            return None
        try:
            return await self._joint.search(question, repo_ids, self._within(_JOINT_SHARE))
        except GgrepError as error:
            _LOG.info("searched one by one: %s", error)
            self._gone = error.code == _GONE
            return None

    async def is_described_anew(self) -> bool:
        """Describe the repositories again after a snapshot file changed; return whether to retry.

        The host process verifies the changed snapshot and omits its repository if the snapshot is
        damaged. A retry requires that all other descriptions are unchanged.
        """
        if not self._gone or self._described_anew or self.is_over:
            return False
        self._described_anew, self._joined = True, frozenset()
        again = await self._described_jointly(self._without_error())
        return bool(again) and again.items() <= self.descriptions.items()

    async def search_alone(self, only: Iterable[RepoId]) -> dict[RepoId, PoolResponse]:
        """Return each repository's lists, scored by the repository's statistics."""
        wanted = (repo for repo in only if repo not in self.failures)
        return await self._run({repo: partial(self._search, repo, None, None) for repo in wanted})

    async def search_counted(
        self,
        figures: Mapping[RepoId, RepoStatistics],
        only: Iterable[RepoId],
        others: CollectionStatistics | None = None,
    ) -> tuple[dict[RepoId, PoolResponse], Mapping[RepoId, RepoStatistics]]:
        """Return the lists scored by the sum of `figures` and `others`, and the final statistics.

        A repository that has published a new snapshot is counted again. If that changes the sum,
        all repositories are searched again: lists scored by different statistics must not be
        merged. `others` are the statistics of repositories that are searched afterwards, for which
        half of the remaining time is reserved.
        """
        if not figures:
            return {}, figures
        share = 1 if others is None else _JOINT_SHARE
        searched = sorted(set(only) & set(figures))
        first = await self._tried(figures, total_of(figures, others), searched, share)
        pools = {repo: pool for repo, pool in first.items() if pool is not None}
        gone = [repo for repo in first if repo not in pools]
        if not gone or self.is_over:
            return pools, figures
        return await self._search_again(figures, pools, gone, others, share)

    async def _tried(
        self,
        figures: Mapping[RepoId, RepoStatistics],
        total: CollectionStatistics,
        only: Iterable[RepoId],
        share: int,
    ) -> dict[RepoId, PoolResponse | None]:
        """Return the lists of repositories; None for a deleted snapshot."""
        calls = {repo: partial(self._try, repo, figures[repo], total) for repo in only}
        return await self._run(calls, share, cheap=False)

    async def _search_again(
        self,
        figures: Mapping[RepoId, RepoStatistics],
        pools: dict[RepoId, PoolResponse],
        gone: Sequence[RepoId],
        others: CollectionStatistics | None,
        share: int,
    ) -> tuple[dict[RepoId, PoolResponse], dict[RepoId, RepoStatistics]]:
        """Search again with new statistics from repositories whose counted snapshots were deleted.

        The race: a repository is counted (1), publishes a new snapshot (2), and refuses a query for
        the counted snapshot (3).
        """
        fresh = await self._count(gone)
        # The sum keeps the statistics of a repository with any other error. It loses those of a
        # deleted snapshot if the repository cannot be counted again.
        counted = {repo: counts for repo, counts in figures.items() if repo not in gone} | fresh
        if not counted or self.is_over:
            return {}, counted
        total = total_of(counted, others)
        moved = total != total_of(figures, others)
        again = sorted({*fresh, *pools} if moved else fresh)
        calls = {repo: partial(self._search, repo, counted[repo], total) for repo in again}
        second = await self._run(calls, share, cheap=False)
        kept = {} if moved else pools
        return kept | second, counted

    async def slates(
        self, requests: Mapping[RepoId, SlateRequest], deadline: Deadline
    ) -> dict[RepoId, RepoOutcome[SlateResponse]]:
        """Return the outcomes of slate requests; errors do not exclude repositories."""
        calls = {
            repo: partial(self.searcher(repo).ask, request, deadline)
            for repo, request in requests.items()
        }
        return await fan_out(calls, concurrency=self.request.concurrency, deadline=deadline)

    async def round(self, calls: Mapping[RepoId, Call[T]], share: int) -> dict[RepoId, T]:
        """Return the results of a round; repositories that fail are excluded from later rounds.

        The round may use the remaining time divided by `share`.
        """
        return await self._run(calls, share, cheap=False)

    async def refill(
        self, lengths: Mapping[RepoId, int], figures: Mapping[RepoId, RepoStatistics]
    ) -> dict[RepoId, PoolResponse]:
        """Return longer lists from the snapshots that returned the shorter lists.

        A repository that cannot return a longer list keeps its shorter list and does not fail.
        `figures` contains all counted repositories; it is empty if each repository uses its own
        statistics.
        """
        total = total_of(figures) if figures else None
        outcomes = await fan_out(
            {
                repo: partial(self._try, repo, figures.get(repo), total, length)
                for repo, length in lengths.items()
            },
            concurrency=self.request.concurrency,
            deadline=self.deadline,
        )
        return {repo: reply.value for repo, reply in outcomes.items() if reply.value is not None}

    async def _count(self, repo_ids: Sequence[RepoId]) -> dict[RepoId, RepoStatistics]:
        counted = await self._run(
            {repo: partial(self._figures, repo) for repo in repo_ids}, _COUNT_SHARE
        )
        for repo, figures in counted.items():
            key = replace(
                snapshot_key(repo, self.descriptions[repo]), snapshot_id=figures.snapshot_id
            )
            counts = figures.statistics
            self.memory.figures.put((key, plain_search(self.search)), counts, figures_size(counts))
        return counted

    def _known(self, repo: RepoId) -> RepoStatistics | None:
        key = snapshot_key(repo, self.descriptions[repo])
        statistics = self.memory.figures.get((key, plain_search(self.search)))
        return None if statistics is None else RepoStatistics(key.snapshot_id, statistics)

    async def _encode(self, key: str, repos: Sequence[RepoId]) -> None:
        """Request the vector from each repository in turn until a request succeeds."""
        vector = self.memory.vectors.get((key, self.search.query))
        until = self._within(_ENCODE_SHARE)
        with anyio.move_on_after(until.remaining_ms() / 1000.0):
            for repo in repos:
                if vector is not None:
                    break
                try:
                    request = EncodeRequest(self.search.query)
                    vector = (await self.searcher(repo).ask(request, until)).vector
                except Exception:  # noqa: BLE001, S112 - the later search reports the error
                    continue
        if vector is not None:
            self.vectors[key] = vector
            self.memory.vectors.put((key, self.search.query), vector, 8 * len(vector.values))

    def _without_error(self) -> list[WorkspaceRepo]:
        """Return the repositories without an error."""
        return [repo for repo_id, repo in self.repos.items() if repo_id not in self.failures]

    def searcher(self, repo: RepoId) -> RepoSearcher:
        """Return the searcher of a repository; all rounds use the same searcher."""
        if repo not in self._open:
            self._open[repo] = self.searchers.open(self.repos[repo])
        return self._open[repo]

    async def _describe(self, repo: RepoId) -> RepoDescription:
        description = await self.searcher(repo).describe(self.deadline)
        if description.snapshot_id is None:
            raise NoIndex("this repository has no index yet")
        return replace(description, snapshot_id=self._kept(repo) or description.snapshot_id)

    def _kept(self, repo: RepoId) -> str | None:
        """Return the snapshot that a session retains; None if it retains none."""
        return snapshot_in(self.kept[repo]) if repo in self.kept else None

    async def _figures(self, repo: RepoId) -> RepoStatistics:
        kept = self._kept(repo)
        return await self.searcher(repo).ask(StatisticsRequest(self.search, kept), self.deadline)

    async def _try(
        self,
        repo: RepoId,
        figures: RepoStatistics | None,
        total: CollectionStatistics | None,
        length: int = 0,
    ) -> PoolResponse | None:
        """Search a repository; return None if the counted snapshot was deleted."""
        try:
            return await self._search(repo, figures, total, length)
        except GgrepError as error:
            if error.code != _GONE:
                raise
            return None

    async def _search(
        self,
        repo: RepoId,
        figures: RepoStatistics | None,
        total: CollectionStatistics | None,
        length: int = 0,
    ) -> PoolResponse:
        request = PoolRequest(
            search=replace(self.search, corpora=self.plan.corpora_of(repo)),
            per_list=max(1, length or self.force.per_repo_top),
            statistics=total,
            snapshot_id=figures.snapshot_id if figures else self._kept(repo),
            session=self.kept.get(repo, ""),
            vector=self.vectors.get(self.descriptions[repo].embed_key),
        )
        return await self.searcher(repo).ask(request, self.deadline)

    def notices_of(self, repo: RepoId) -> tuple[Notice, ...]:
        """Return a repository's notices; a deterministic answer omits temporary notices."""
        description = self.descriptions[repo]
        fixed = self.search.deterministic
        return description.notices if fixed else (*description.notices, *description.moment)

    def unseen_in(self, repo: RepoId, *, names: bool = False) -> tuple[Notice, ...]:
        """Return notices about files that a repository's index does not contain."""
        unseen = self.descriptions[repo].unseen
        if self.search.deterministic:
            unseen = replace(unseen, skipped=())
        return unseen_notices(unseen, names=names)

    def limits(self) -> list[RepoLimit]:
        """Return the limits of repositories whose share of the deadline was too short.

        If no repository is selected, also return the limit that counts disabled repositories.
        """
        return [
            *(
                RepoLimit(LimitHit(SHARE_LIMIT, error.percent), repo)
                for repo, error in self.failures.items()
                if isinstance(error, ShareEnded)
            ),
            *map(RepoLimit, () if self.repos else self.selection.disabled_cut()),
        ]

    def report_rest(
        self, reports: Sequence[RepoReport], pools: Mapping[RepoId, PoolResponse]
    ) -> None:
        """Report the repositories that have not been reported."""
        for report in reports:
            pool = pools.get(report.repo.repo_id)
            lists = [hits for _, hits in pool.corpora] if pool else []
            count = len(pool.blended) if pool else 0
            self._report(report.repo.repo_id, report.status, count or sum(map(len, lists)))

    def _within(self, share: int) -> Deadline:
        """Return the deadline of a step that may use the remaining time divided by `share`."""
        step_ms = self.deadline.remaining_ms() / share
        return replace(self.deadline, at_ms=self.deadline.clock.monotonic_ms() + step_ms)

    async def _run(
        self, calls: Mapping[RepoId, Call[T]], share: int = 1, *, cheap: bool | None = None
    ) -> dict[RepoId, T]:
        """Return the results of a round; repositories that fail are excluded from later rounds."""
        cheap = share > 1 if cheap is None else cheap
        at_once = max(_AT_ONCE, self.request.concurrency) if cheap else self.request.concurrency

        def done(repo: RepoId, outcome: RepoOutcome[T]) -> None:
            if outcome.error is not None:
                self.fail(repo, outcome.error)
            elif isinstance(outcome.value, PoolResponse):
                self._report(repo, "ok", len(outcome.value.blended))

        outcomes = await fan_out(
            calls,
            concurrency=at_once,
            deadline=self._within(share) if share > 1 else self.deadline,
            part=self.part / share,
            overtakes=cheap,
            strict=self.request.strict,
            done=done,
        )
        results = {}
        for repo, outcome in outcomes.items():
            self.elapsed_ms[repo] = self.elapsed_ms.get(repo, 0.0) + outcome.elapsed_ms
            if outcome.error is not None:
                self.fail(repo, outcome.error)
            else:
                results[repo] = outcome.value
        return results  # type: ignore[return-value]  # without an error there is a value

    def fail(self, repo: RepoId, error: GgrepError) -> None:
        """Exclude a repository from later rounds."""
        if isinstance(error, NoIndex):
            command = build_index(enabled=self.repos[repo].enabled)
            error = NoIndex(f"no index yet; run: {command}")
        if error.code == _GONE and repo in self.kept:
            error = SessionExpired(
                "the snapshot of this session no longer exists; start a new session"
            )
        self.failures[repo] = error
        self._report(repo, status_of(error), 0)

    def _report(self, repo: RepoId, status: str, count: int) -> None:
        """Report that a repository is done, unless it was reported before."""
        if self.arrived is None or repo in self._reported:
            return
        self._reported.add(repo)
        alias, total = self.repos[repo].alias, len(self.repos)
        self.arrived(RepoDone(repo, alias, status, count, len(self._reported), total))


def repo_search(request: FederatedRequest) -> SearchRequest:
    """Return the search request to each repository, with ordered corpora and capped limits."""
    search = request.search
    return replace(
        search,
        corpora=tuple(corpus for corpus in CORPORA if corpus in search.corpora),
        limit=min(request.top, MAX_QUERY_RESULTS),
        per_file=min(search.per_file, MAX_QUERY_PER_FILE),
    )


def total_of(
    figures: Mapping[RepoId, RepoStatistics], others: CollectionStatistics | None = None
) -> CollectionStatistics:
    """Return the sum of the statistics of all repositories and of `others`."""
    parts = [figures[repo].statistics for repo in sorted(figures)]
    return sum_statistics([*parts, others] if others else parts)
