"""Keeps a store up to date: runs a sync whenever one is due."""

import logging
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final, Literal, Protocol, cast

import anyio
from anyio.abc import TaskGroup
from anyio.lowlevel import current_token
from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import Busy, Cancelled, GgrepError, InvalidRequest
from ggrep.daemon import sync_state
from ggrep.daemon.sync_schedule import Due, LoopFigures, Schedule
from ggrep.daemon.sync_state import UNTOUCHED, SyncState
from ggrep.model.daemons import WAITS_FOR_GIT
from ggrep.model.sync import SyncFailed, SyncJob, SyncOutcome, SyncProgress, SyncRunner

_LOG = logging.getLogger(__name__)


class _Loop(Protocol):
    """The part of an event loop's interface that this module uses."""

    def call_soon_threadsafe(self, callback: Callable[[], None]) -> object:
        """Schedule `callback` in the event loop without waiting for it."""
        ...


class ThreadEvent:
    """An event that any thread can set without blocking.

    A thread must not wait for a call in the event loop, because the loop may be waiting for the end
    of that thread.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._set = False
        self._loop: _Loop | None = None
        self._event = anyio.Event()

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Let threads wake this event loop during the block."""
        with self._lock:
            self._loop = cast(_Loop, current_token().native_token)
            self._event = anyio.Event()
            if self._set:
                self._event.set()
        try:
            yield
        finally:
            with self._lock:
                self._loop = None

    def set(self) -> None:
        """Wake the waiting task, or the next task that waits."""
        with self._lock:
            if not self._set and self._loop is not None:
                self._loop.call_soon_threadsafe(self._event.set)
            self._set = True

    def clear(self) -> None:
        """Reset the event; only for the event loop's thread."""
        with self._lock:
            self._set = False
            # Create a new event, because a scheduled callback may still set the old event.
            self._event = anyio.Event()

    async def wait(self) -> None:
        """Wait until the event is set.

        Requires: `opened`.
        """
        if self._loop is None:
            raise RuntimeError("`wait` was called outside of `opened`")
        await self._event.wait()


_LOOK_EVERY_MS: Final = 100.0
"""Maximum delay until a waiting task notices the end of its request."""


class SyncKind(Struct, frozen=True):
    """The options of a sync; requests with equal options share a sync.

    Attributes:
        strict: fail if any file cannot be read, decoded or chunked as intended.
        allow_degraded: if files exceed the budget of a profile's `include`, index those that fit.
        fresh: rebuild without reusing the existing index.
    """

    strict: bool = False
    allow_degraded: bool = False
    fresh: bool = False


class WaitedSync:
    """A sync, and the tasks that wait for its end."""

    def __init__(self, wanted: SyncKind) -> None:
        self.wanted = wanted
        self.waiting = 0
        self._over = anyio.Event()
        self._outcome: SyncOutcome | GgrepError = Cancelled("the sync did not end")

    def end(self, outcome: SyncOutcome | GgrepError) -> None:
        """Pass the outcome to the waiting tasks."""
        self._outcome = outcome
        self._over.set()

    async def outcome(self, deadline: Deadline) -> SyncOutcome:
        """Wait for the end of the sync; return its outcome."""
        while not self._over.is_set():
            deadline.check("the wait for a sync")
            with anyio.move_on_after(min(deadline.remaining_ms(), _LOOK_EVERY_MS) / 1000):
                await self._over.wait()
        if isinstance(self._outcome, GgrepError):
            raise self._outcome
        return self._outcome


class SyncWaiters:
    """Syncs that have not started, in the order of their requests."""

    def __init__(self) -> None:
        self._syncs: dict[SyncKind, WaitedSync] = {}

    def __bool__(self) -> bool:
        """Return whether any sync is waiting to start."""
        return bool(self._syncs)

    def join(self, wanted: SyncKind) -> WaitedSync:
        """Register a waiting task for the next sync with these options; return that sync."""
        waited = self._syncs.setdefault(wanted, WaitedSync(wanted))
        waited.waiting += 1
        return waited

    def leave(self, waited: WaitedSync) -> None:
        """Stop waiting for a sync; a sync without waiting tasks is dropped."""
        waited.waiting -= 1
        if not waited.waiting and self._syncs.get(waited.wanted) is waited:
            del self._syncs[waited.wanted]

    def take(self) -> WaitedSync | None:
        """Remove and return the first sync, which starts now."""
        if not self._syncs:
            return None
        return self._syncs.pop(next(iter(self._syncs)))

    def dismiss(self, error: GgrepError) -> None:
        """End all waiting syncs with an error."""
        syncs, self._syncs = self._syncs, {}
        for waited in syncs.values():
            waited.end(error)


_MOST_WAIT_S: Final = 3_600.0
_AT_REST: Final = frozenset({"quiet", "reconcile"})
"""Triggers at quiet times, suitable for a compaction, which uses a core for a while."""
_GIT_LOOK_S: Final = 0.05
"""Interval of checks whether git is still changing files."""


class SyncLoop:
    """Runs the syncs of a store; only `note_change` may be called from other threads."""

    def __init__(  # noqa: PLR0913 - the job, its runner, its times and its callbacks
        self,
        job: SyncJob,
        runner: SyncRunner,
        figures: LoopFigures,
        clock: Clock,
        on_published: Callable[[SyncOutcome], None],
        on_failed: Callable[[GgrepError], None] = lambda _: None,
        *,
        compactor: SyncRunner | None = None,
        on_done: Callable[[SyncOutcome], None] = lambda _: None,
        is_git_at_work: Callable[[], bool] = lambda: False,
        is_indexed: Callable[[], bool] = lambda: True,
    ) -> None:
        """Create the loop without running it.

        `on_published` is called after a sync that published a new snapshot, `on_failed` after a
        failed or cancelled sync, `on_done` after each other sync. No sync starts while
        `is_git_at_work` returns true. The `compactor` merges segments concurrently with syncs; None
        for no compaction.
        """
        self._compactor = compactor
        self._tasks: TaskGroup | None = None
        self._compaction: anyio.CancelScope | None = None
        self._is_indexed = is_indexed
        self._job = job
        self._runner = runner
        self._clock = clock
        self._on_published = on_published
        self._on_failed = on_failed
        self._on_done = on_done
        self._is_git_at_work = is_git_at_work
        self._lock = Lock()  # guards the schedule: other threads record changes
        self._schedule = Schedule(figures)
        self._wake = ThreadEvent()
        self._waiters = SyncWaiters()
        self._scope: anyio.CancelScope | None = None
        self._why = ""
        self._frozen = ""
        self._state = UNTOUCHED

    def reconfigure(self, job: SyncJob, figures: LoopFigures) -> None:
        """Use a new job and new delays from the next sync on."""
        self._job = job
        with self._lock:
            self._schedule = replace(self._schedule, figures=figures)
        self._wake.set()

    async def run(self) -> None:
        """Sync now and whenever a sync is due; returns only when cancelled."""
        try:
            with self._wake.opened():
                async with anyio.create_task_group() as self._tasks:
                    while True:
                        await self._sync(await self._next_due())
        finally:
            self._waiters.dismiss(Cancelled("the daemon is stopping"))

    def note_change(self, count: int = 1) -> None:
        """Record a change below the root; thread-safe.

        A `count` of zero means a suspected change.
        """
        with self._lock:
            self._schedule = self._schedule.changed(self._clock.monotonic_ms(), certain=count > 0)
        self._wake.set()

    async def sync_now(self, wanted: SyncKind, deadline: Deadline) -> SyncOutcome:
        """Wait for a sync that starts after this call; return its outcome.

        Calls with equal options share a sync.
        """
        if self._frozen:
            raise self._refusal()
        waited = self._waiters.join(wanted)
        self._wake.set()
        try:
            return await waited.outcome(deadline)
        finally:
            self._waiters.leave(waited)

    def cancel(self, reason: str) -> bool:
        """Kill the running sync; return whether there was one."""
        if self._scope is None:
            return False
        self._why = reason
        self._scope.cancel()
        return True

    def freeze(self, reason: str) -> None:
        """Start no more syncs; kill the running sync and a running compaction."""
        self._frozen = reason or "frozen"
        if self._compaction is not None:
            self._compaction.cancel()
        self._waiters.dismiss(self._refusal())
        self.cancel(self._frozen)

    def thaw(self) -> None:
        """Allow syncs again, and sync at once."""
        self._frozen = ""
        with self._lock:
            self._schedule = replace(self._schedule, ended_ms=None)
        self.note_change(0)  # the killed sync may not have ended yet

    def statistics(self) -> SyncState:
        """Return the state of the syncs."""
        with self._lock:
            schedule = self._schedule
        retry = schedule.retry_ms
        left = None if retry is None else max(0, math.ceil(retry - self._clock.monotonic_ms()))
        at_rest: Literal["idle", "frozen"] = "frozen" if self._frozen else "idle"
        return replace(
            self._state,
            state="indexing" if self._scope is not None else at_rest,
            git_at_work=schedule.git_at_work or self._state.stage == WAITS_FOR_GIT,
            pending=schedule.sure or retry is not None,
            behind=schedule.sure or self._state.behind,
            next_retry_ms=left,
            reason=self._frozen,
        )

    def _refusal(self) -> InvalidRequest:
        return InvalidRequest(f"syncs are suspended: {self._frozen}")

    async def _next_due(self) -> Due:
        """Wait until a sync is due."""
        while True:
            self._wake.clear()
            due = self._due()
            left_ms = due.at_ms - self._clock.monotonic_ms()
            if self._frozen:
                wait_s = _MOST_WAIT_S
            elif self._schedule.git_at_work:
                wait_s = _GIT_LOOK_S
            elif left_ms <= 0:
                return due
            else:
                wait_s = min(_MOST_WAIT_S, left_ms / 1000)
            with anyio.move_on_after(wait_s):
                await self._wake.wait()

    def _due(self) -> Due:
        at_work = self._is_git_at_work()
        with self._lock:
            requested, now_ms = bool(self._waiters), self._clock.monotonic_ms()
            self._schedule = replace(self._schedule, requested=requested).git(
                now_ms, at_work=at_work
            )
            return self._schedule.next()

    async def _sync(self, due: Due) -> None:
        """Run a sync; if tasks wait for a sync, use the options of the first of these tasks."""
        at_rest = due.reason in _AT_REST and self._compactor is not None
        job = replace(self._job, compaction="apart" if at_rest else "never")
        waited = self._waiters.take()
        if waited is not None:
            job = replace(job, **asdict(waited.wanted))
        outcome: SyncOutcome | GgrepError = Cancelled("the daemon is stopping")
        try:
            outcome = await self._attempt(job, due)
            if isinstance(outcome, SyncOutcome):
                self._on_done(outcome)
        finally:
            if waited is not None:
                waited.end(outcome)
        if not isinstance(outcome, SyncOutcome):
            self._on_failed(outcome)
            return
        if outcome.moved:
            self._on_published(outcome)
        if outcome.overdue and self._compaction is None and self._tasks is not None:
            self._tasks.start_soon(self._compact)

    async def _compact(self) -> None:
        """Merge segments in another worker; concurrent syncs keep their changes.

        A failure leaves the snapshot unchanged; the next compaction tries again.
        """
        if self._compactor is None or self._frozen:
            return
        job = replace(self._job, compaction="alone", low_impact=True)
        try:
            with anyio.CancelScope() as self._compaction:
                await self._compactor.run(job, lambda _: None)
        except Exception as error:  # noqa: BLE001 - a failed merge must not end the daemon
            _LOG.warning("segments could not be merged: %s", error)
        finally:
            self._compaction = None

    async def _attempt(self, job: SyncJob, due: Due) -> SyncOutcome | GgrepError:
        with self._lock:
            self._schedule = self._schedule.begun(due)
        begun_ms = self._clock.monotonic_ms()
        self._state = sync_state.begun(self._state, self._clock.now(), due.reason)
        outcome: SyncOutcome | GgrepError | None = None
        try:
            with anyio.CancelScope() as self._scope:
                outcome = await self._runner.run(job, self._advance)
        except GgrepError as error:
            outcome = error
        except Exception as error:  # noqa: BLE001 - a bug of one sync must not end the daemon
            outcome = SyncFailed(f"a bug in ggrep: {type(error).__name__}")
        finally:
            stopped, self._scope = outcome is None, None
            outcome = outcome or Cancelled(self._why or "the sync was cancelled")
            self._note_end(outcome, due, begun_ms, stopped=stopped)
        return outcome

    def _advance(self, progress: SyncProgress) -> None:
        self._state = sync_state.advanced(self._state, progress)

    def _note_end(
        self, outcome: SyncOutcome | GgrepError, due: Due, begun_ms: float, *, stopped: bool
    ) -> None:
        now_ms, now = self._clock.monotonic_ms(), self._clock.now()
        indexed = not stopped or self._is_indexed()
        with self._lock:
            schedule = self._schedule
            if isinstance(outcome, SyncOutcome):
                wait_ms = outcome.retry_after_ms
                self._schedule = schedule.done(
                    now_ms, due, fruitful=outcome.published, wait_ms=wait_ms
                )
            elif stopped:
                self._schedule = schedule.stopped(now_ms, first=not indexed)
            else:
                self._schedule = schedule.failed(now_ms, due, wait_ms=_wait_ms(outcome))
        took_ms = now_ms - begun_ms
        self._state = sync_state.ended(self._state, now, took_ms, outcome, stopped=stopped)


def _wait_ms(error: GgrepError) -> float:
    """Return the delay until a retry after a failure."""
    if isinstance(error, Busy):
        return error.retry_after_ms
    return (error.retry_after_ms or 0) if isinstance(error, SyncFailed) else 0
