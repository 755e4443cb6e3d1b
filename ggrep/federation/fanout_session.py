"""Queries many repositories concurrently, in several rounds under one deadline.

Keeps what became of each over all rounds: why it dropped out, how long it took, who was told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError, NoIndex
from ggrep.base.ids import RepoId
from ggrep.federation.arrival import Arrival, Arrived
from ggrep.federation.fanout import Call, RepoOutcome, ShareEnded, fan_out
from ggrep.federation.repo_outcomes import RepoReport, status_of
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.federation.workspace_answer import RepoLimit
from ggrep.model.hints import build_index
from ggrep.model.limits import LimitHit
from ggrep.model.response import PoolResponse

T = TypeVar("T")

_AT_ONCE: Final = 16
"""Repositories asked at once, at least, what takes them little: a snapshot that is opened for the
first time needs its time, and the request bounds searches."""

SHARE_LIMIT: Final = "deadline_share"
"""Per cent that a repository had of what was left of the deadline, which were not enough."""


@dataclass(slots=True)
class FanoutSession:
    """The rounds of one request.

    Attributes:
        repos: all that were selected.
        concurrency: most searches at once.
        deadline: of all rounds together.
        part: of the request's time, how much that is; a slate keeps some for afterwards.
        strict: the first failure decides.
        arrived: told of each repository once, when it is done; None for nobody.
        failures: of repositories that dropped out.
        elapsed_ms: spent on each repository so far.
    """

    repos: Mapping[RepoId, WorkspaceRepo]
    concurrency: int
    deadline: Deadline
    strict: bool
    part: float = 1.0
    arrived: Arrived | None = None
    failures: dict[RepoId, GgrepError] = field(default_factory=dict)
    elapsed_ms: dict[RepoId, float] = field(default_factory=dict)
    _told: set[RepoId] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Drop repositories that are missing."""
        for repo_id, repo in sorted(self.repos.items()):
            if (failure := repo.failure) is not None:
                self._fail(repo_id, failure)

    @property
    def asked(self) -> dict[RepoId, WorkspaceRepo]:
        """Return the repositories that have not dropped out."""
        return {repo_id: one for repo_id, one in self.repos.items() if repo_id not in self.failures}

    @property
    def is_over(self) -> bool:
        """Return whether further queries cannot change the outcome."""
        return self.strict and bool(self.failures)

    async def look(self, calls: Mapping[RepoId, Call[T]], share: int) -> dict[RepoId, T]:
        """Return the results of cheap calls; repositories that fail drop out.

        Args:
            calls: what to ask of each.
            share: one in so many of the milliseconds left is the most that it may take.
        """
        at_once = max(_AT_ONCE, self.concurrency)
        part = self.part / share
        return await self._run(calls, self.within(share), at_once, part, overtakes=True)

    async def search(self, calls: Mapping[RepoId, Call[T]]) -> dict[RepoId, T]:
        """Return the results of searches; repositories that fail drop out."""
        return await self._run(calls, self.deadline, self.concurrency, self.part)

    async def search_on(self, calls: Mapping[RepoId, Call[T | None]]) -> dict[RepoId, T]:
        """Return the results of further searches; failures drop no repository."""
        outcomes = await fan_out(calls, concurrency=self.concurrency, deadline=self.deadline)
        return {repo: held.value for repo, held in outcomes.items() if held.value is not None}

    def within(self, share: int) -> Deadline:
        """Return the deadline of a step that may take one in `share` of the remaining time."""
        step_ms = self.deadline.remaining_ms() / share
        return replace(self.deadline, at_ms=self.deadline.clock.monotonic_ms() + step_ms)

    def limits(self) -> list[RepoLimit]:
        """Return the repositories whose share of the deadline ended before the deadline did."""
        return [
            RepoLimit(LimitHit(SHARE_LIMIT, error.percent), repo)
            for repo, error in self.failures.items()
            if isinstance(error, ShareEnded)
        ]

    def tell_rest(
        self, reports: Sequence[RepoReport], pools: Mapping[RepoId, PoolResponse]
    ) -> None:
        """Report repositories that were not queried."""
        for report in reports:
            pool = pools.get(report.repo.repo_id)
            self._tell(report.repo.repo_id, report.status, len(pool.blended) if pool else 0)

    async def _run(
        self,
        calls: Mapping[RepoId, Call[T]],
        deadline: Deadline,
        at_once: int,
        part: float,
        *,
        overtakes: bool = False,
    ) -> dict[RepoId, T]:
        def done(repo: RepoId, outcome: RepoOutcome[T]) -> None:
            if outcome.error is not None:
                self._fail(repo, outcome.error)
            elif isinstance(outcome.value, PoolResponse):
                self._tell(repo, "ok", len(outcome.value.blended))

        outcomes = await fan_out(
            calls,
            concurrency=at_once,
            deadline=deadline,
            part=part,
            overtakes=overtakes,
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
            command = build_index(enabled=self.repos[repo].enabled)
            error = NoIndex(f"no index yet; run: {command}")
        self.failures[repo] = error
        self._tell(repo, status_of(error), 0)

    def _tell(self, repo: RepoId, status: str, count: int) -> None:
        """Report a repository, once."""
        if self.arrived is None or repo in self._told:
            return
        self._told.add(repo)
        alias, total = self.repos[repo].alias, len(self.repos)
        self.arrived(Arrival(repo, alias, status, count, len(self._told), total))
