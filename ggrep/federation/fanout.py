"""Queries many repositories concurrently under one deadline; errors are returned as values.

Outcomes never depend on the order in which repositories answer.
"""

import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

import anyio
from anyio.abc import TaskGroup
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, DeadlineExceeded, GgrepError
from ggrep.base.ids import RepoId

T = TypeVar("T")

Call: TypeAlias = Callable[[], Awaitable[T]]

_LOG = logging.getLogger(__name__)


class Skipped(GgrepError):
    """The repository was omitted: another repository failed, or other repositories fit better."""

    code = "skipped"


class ShareEnded(DeadlineExceeded):
    """The repository used up its share of the deadline; the deadline itself has not passed.

    Attributes:
        percent: the call's share of the remaining time.
    """

    def __init__(self, percent: int) -> None:
        super().__init__(
            f"no answer within its share ({percent} %) of the timeout; use a longer timeout"
        )
        self.percent = percent


class RepoOutcome(Struct, Generic[T], frozen=True):
    """The outcome of querying one repository: exactly one of `value` and `error` is set."""

    value: T | None
    error: GgrepError | None
    elapsed_ms: float


async def fan_out(  # noqa: PLR0913 - all but the first three have a default
    calls: Mapping[RepoId, Call[T]],
    *,
    concurrency: int,
    deadline: Deadline,
    part: float = 1.0,
    overtakes: bool = False,
    strict: bool = False,
    done: Callable[[RepoId, RepoOutcome[T]], None] = lambda _repo, _outcome: None,
) -> dict[RepoId, RepoOutcome[T]]:
    """Return the outcome of each call, by repository id.

    Calls start in the order of repository ids. At the deadline, unfinished calls are cancelled with
    `DeadlineExceeded`. If there are more calls than `concurrency`, each call gets a share of the
    remaining time, so that hanging calls leave time for queued calls. Once the queue is empty,
    running calls may use all remaining time. A call that exceeds its share is cancelled and
    repeated once after all other calls have started; if the repeated call exceeds its share, its
    error is `ShareEnded`. With `overtakes` the slow call continues instead, and another call
    starts. Cancellation from outside propagates.

    Args:
        calls: the call to each repository.
        concurrency: maximum number of concurrent calls.
        deadline: common deadline of all calls.
        overtakes: calls are so cheap that more than `concurrency` calls may run.
        part: share of the request's remaining time that ends at `deadline`; 1 for all of it.
        strict: a failure cancels the calls with larger ids, with the error `Skipped`. Calls with
            smaller ids continue, because the error with the smallest id is reported.
        done: called after each call that was not cancelled.
    """
    run = _Run(calls, deadline, concurrency, done, part, strict)
    work = run.work_on if overtakes else run.work
    left_ms = deadline.remaining_ms()
    with anyio.move_on_after(None if math.isinf(left_ms) else left_ms / 1000.0):
        async with anyio.create_task_group() as group:
            for _ in range(min(concurrency, len(calls))):
                group.start_soon(work, group)
    return run.result()


@dataclass(slots=True, eq=False)
class _Run(Generic[T]):
    """The state of a running fan-out; see `fan_out` for its arguments."""

    calls: Mapping[RepoId, Call[T]]
    deadline: Deadline
    concurrency: int
    done: Callable[[RepoId, RepoOutcome[T]], None]
    part: float
    strict: bool
    _ended: deque[tuple[RepoId, int, float]] = field(default_factory=deque)
    _running: dict[RepoId, anyio.CancelScope] = field(default_factory=dict)
    _done: dict[RepoId, RepoOutcome[T]] = field(default_factory=dict)
    _failed: RepoId | None = None
    _to_start: int = field(init=False)
    _started_ms: float = field(init=False)
    _waiting: Iterator[RepoId] = field(init=False)

    def __post_init__(self) -> None:
        self._to_start = len(self.calls)
        self._started_ms = self.deadline.clock.monotonic_ms()
        self._waiting = iter(sorted(self.calls))

    async def work_on(self, group: TaskGroup) -> None:
        """Run queued calls until the queue is empty or a call exceeds its share."""
        for repo_id in self._waiting:
            share_ms = self.deadline.remaining_ms() / self._turns()
            self._to_start -= 1
            if self._decided(repo_id):
                continue
            over = anyio.Event()
            if self._to_start and not math.isinf(share_ms):
                group.start_soon(self._relieve, group, over, share_ms / 1000.0)
            with anyio.CancelScope() as scope:
                self._running[repo_id] = scope
                self._done[repo_id] = await self._attempt(repo_id)
            del self._running[repo_id]
            self._note(repo_id)
            if over.is_set():
                return  # another worker runs instead of this one
            over.set()

    async def _relieve(self, group: TaskGroup, over: anyio.Event, seconds: float) -> None:
        """Start another worker if a call takes longer than `seconds`."""
        with anyio.move_on_after(seconds):
            await over.wait()
        if not over.is_set():
            over.set()
            group.start_soon(self.work_on, group)

    async def work(self, _group: TaskGroup) -> None:
        """Run queued calls until the queue is empty."""
        for repo_id in self._waiting:
            turns = self._turns()
            share_ms = self.deadline.remaining_ms() / turns
            self._to_start -= 1
            if not self._to_start:
                self._leave_time()
            if self._decided(repo_id):
                continue
            await self._try(repo_id, share_ms)
            if repo_id in self._done or self._decided(repo_id):
                self._note(repo_id)
            else:
                self._ended.append((repo_id, turns, share_ms))
        # The second attempt is usually faster, as daemon and index are loaded by then.
        while self._ended:
            repo_id, turns, share_ms = self._ended.popleft()
            if self._decided(repo_id):
                continue
            await self._try(repo_id, share_ms)
            if repo_id not in self._done and not self._decided(repo_id):
                self._done[repo_id] = self._late(turns)
            self._note(repo_id)

    async def _try(self, repo_id: RepoId, share_ms: float) -> None:
        """Call a repository for a limited time; a cancelled call has no outcome."""
        with anyio.move_on_after(None if math.isinf(share_ms) else share_ms / 1000.0) as scope:
            self._running[repo_id] = scope
            self._done[repo_id] = await self._attempt(repo_id)
        del self._running[repo_id]

    def _note(self, repo_id: RepoId) -> None:
        """Report a finished call; after a failure of a strict request, cancel other calls."""
        outcome = self._done.get(repo_id)
        if outcome is not None and not self._decided(repo_id):
            self.done(repo_id, outcome)
        if self.strict and outcome is not None and outcome.error is not None:
            self._fail(repo_id)

    def result(self) -> dict[RepoId, RepoOutcome[T]]:
        """Return all outcomes; the deadline cancelled each call without a result."""
        outcomes = {}
        for repo_id in sorted(self.calls):
            outcome = self._done.get(repo_id)
            if self._decided(repo_id):
                # Whether the call had already ended is random and must not affect the answer.
                outcome = RepoOutcome(None, Skipped("another repository failed first"), 0.0)
            if outcome is None:
                outcome = self._late()
            outcomes[repo_id] = outcome
        return outcomes

    def _leave_time(self) -> None:
        """Give the running calls all remaining time, because the queue is empty."""
        for scope in self._running.values():
            scope.deadline = math.inf

    def _turns(self) -> int:
        """Return how many calls each worker must still run in sequence, including the next call."""
        return max(1, math.ceil(self._to_start / self.concurrency))

    def _late(self, turns: int = 1) -> RepoOutcome[T]:
        share = self.part / turns
        late = DeadlineExceeded("no answer within the timeout")
        if share < 1.0:
            late = ShareEnded(int(100 * share))
        return RepoOutcome(None, late, self.deadline.clock.monotonic_ms() - self._started_ms)

    def _decided(self, repo_id: RepoId) -> bool:
        return self._failed is not None and repo_id > self._failed

    def _fail(self, repo_id: RepoId) -> None:
        if self._failed is None or repo_id < self._failed:
            self._failed = repo_id
        for other, scope in self._running.items():
            if self._decided(other):
                scope.cancel()

    async def _attempt(self, repo_id: RepoId) -> RepoOutcome[T]:
        clock = self.deadline.clock
        started = clock.monotonic_ms()
        value: T | None = None
        failure: GgrepError | None = None
        try:
            value = await self._call(repo_id)
        except GgrepError as error:
            failure = error
        except Exception as error:  # noqa: BLE001 - a bug in one call must not fail the other calls
            _LOG.exception("repository %s failed", repo_id)
            failure = GgrepError(f"internal error ({type(error).__name__})")
        return RepoOutcome(value, failure, clock.monotonic_ms() - started)

    async def _call(self, repo_id: RepoId) -> T:
        """Call a repository, and retry once if the daemon was busy and there is time."""
        try:
            return await self.calls[repo_id]()
        except Busy as busy:
            left_s = anyio.current_effective_deadline() - anyio.current_time()
            if busy.retry_after_ms / 1000.0 >= left_s:
                raise
            await anyio.sleep(busy.retry_after_ms / 1000.0)
        return await self.calls[repo_id]()
