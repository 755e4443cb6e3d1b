"""Permits of this process: CPU cores and open segments, granted fairly."""

import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import anyio
from msgspec import Struct, field

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import Busy, Cancelled, InvalidRequest
from ggrep.base.fair_queue import FairQueue, Lane

_LOOK_EVERY_MS: Final = 100.0
"""Maximum delay until a waiting request notices that another thread has ended it."""


class _Waiter(Struct):
    client: str
    settled: anyio.Event = field(default_factory=anyio.Event)
    granted: bool = False
    refused: str | None = None


class Permits:
    """A fixed number of permits, and the queue of tasks that wait for a permit.

    Requires: all calls come from the event loop's thread.
    """

    def __init__(self, total: int, per_client: int | None = None) -> None:
        """Create the permits, all free.

        `per_client` is the maximum number of permits of a client at a time; None for no bound.
        """
        self.total = total
        self.per_client = total if per_client is None else per_client
        self.in_use = 0
        self._by_client: Counter[str] = Counter()
        """Number of permits by client, without zero counts."""
        self.closed: str | None = None
        """Reason why no more permits are granted; None while permits are granted."""
        self._queue: FairQueue[_Waiter] = FairQueue()

    @property
    def waiting(self) -> int:
        """Return the number of waiting tasks."""
        return len(self._queue)

    @property
    def clients(self) -> int:
        """Return the number of clients with a permit or a waiting task."""
        return len(self._by_client.keys() | self._queue.clients())

    def waiting_of(self, client: str) -> int:
        """Return the number of waiting tasks of a client."""
        return self._queue.waiting_of(client)

    def take(self, client: str) -> bool:
        """Acquire a free permit without waiting, if there is one that the client may have."""
        if self.in_use >= self.total or not self._is_eligible(client):
            return False
        self._hold(client)
        return True

    def give_back(self, client: str) -> None:
        """Release a permit of a client and grant it to the next eligible waiting task."""
        self.in_use -= 1
        self._by_client[client] -= 1
        if not self._by_client[client]:
            del self._by_client[client]
        self._grant_next()

    def bound(self, per_client: int) -> None:
        """Set the maximum number of permits of a client; grant permits that become available."""
        self.per_client = per_client
        while self.in_use < self.total and self._grant_next():
            pass

    def _grant_next(self) -> bool:
        """Grant a free permit to the next eligible waiting task; return False if there is none."""
        bounded = self.per_client < self.total
        waiter = self._queue.pop(self._is_eligible if bounded else None)
        if waiter is None:
            return False
        self._hold(waiter.client)
        waiter.granted = True
        waiter.settled.set()
        return True

    def close(self, reason: str) -> None:
        """Reject all waiting tasks; permits in use are released as usual."""
        if self.closed is None:
            self.closed = reason
        while (waiter := self._queue.pop()) is not None:
            waiter.refused = self.closed
            waiter.settled.set()

    async def wait(self, client: str, lane: Lane, deadline: Deadline, stage: str) -> None:
        """Wait in the queue until a permit is granted.

        If the task is cancelled just after a permit was granted, the permit passes to the next
        task.
        """
        waiter = _Waiter(client)
        ticket = self._queue.push(client, lane, waiter)
        try:
            await _settled(waiter, deadline, stage)
        except BaseException:
            if waiter.granted:
                self.give_back(client)
            else:
                self._queue.remove(ticket)
            raise
        if waiter.refused is not None:
            raise Cancelled(waiter.refused)

    def _is_eligible(self, client: str) -> bool:
        return self._by_client[client] < self.per_client

    def _hold(self, client: str) -> None:
        self.in_use += 1
        self._by_client[client] += 1


async def _settled(waiter: _Waiter, deadline: Deadline, stage: str) -> None:
    """Wait until `waiter` is granted a permit or rejected."""
    while not waiter.settled.is_set():
        deadline.check(stage)
        patience_ms = min(deadline.remaining_ms(), _LOOK_EVERY_MS)
        with anyio.move_on_after(patience_ms / 1000.0):
            await waiter.settled.wait()


_COMPANY_MS: Final = 1_000.0
"""A client counts as active for this time after a request."""


class CpuPermits:
    """Permits for threads that compute queries, as many as there are cores.

    A single active client can use all permits. With several active clients, each client leaves one
    core free, so that the next client does not wait for queries of another client. Threads of an
    interpreter run in turn, so while n queries run, each query takes n times as long.

    The number of waiting tasks has no bound here, because admission bounds it.

    Requires: all calls come from the event loop's thread.
    """

    def __init__(self, cores: int, clock: Clock) -> None:
        self._cores = max(1, cores)
        self.permits = Permits(self._cores)
        self._elsewhere = 0
        self._seen: dict[str, float] = {}
        self._clock = clock

    @property
    def computing(self) -> int:
        """Return the number of permits for queries that this process computes."""
        return self.permits.in_use - self._elsewhere

    @contextmanager
    def elsewhere(self) -> Iterator[None]:
        """Mark a permit, during the block, as used for a query that another process computes."""
        self._elsewhere += 1
        try:
            yield
        finally:
            self._elsewhere -= 1

    @asynccontextmanager
    async def hold(self, client: str, lane: Lane, deadline: Deadline) -> AsyncIterator[float]:
        """Acquire a core during the block; yield the waiting time in milliseconds."""
        arrived_ms = self._clock.monotonic_ms()
        self._note(client, arrived_ms)
        if not self.permits.take(client):
            await self.permits.wait(client, lane, deadline, "the wait for a core")
        waited_ms = self._clock.monotonic_ms() - arrived_ms
        try:
            yield waited_ms
        finally:
            self.permits.give_back(client)

    def _note(self, client: str, now_ms: float) -> None:
        """Record an active client, and set the maximum number of permits of a client."""
        self._seen.pop(client, None)
        self._seen[client] = now_ms
        # Clients are in the order of their last requests, the oldest first.
        for other in list(self._seen):
            if now_ms - self._seen[other] <= _COMPANY_MS:
                break
            del self._seen[other]
        alone = len(self._seen) == 1
        per_client = self._cores if alone else max(1, self._cores - 1)
        if per_client != self.permits.per_client:
            self.permits.bound(per_client)


_RETRY_AFTER_MS: Final = 100


class HandleStatistics(Struct, frozen=True):
    """The use of a `HandleBudget`."""

    open: int
    budget: int
    most: int


class HandleBudget:
    """The file handles of a process; requests beyond the budget fail at once. Thread-safe."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._open = 0
        self._most = 0
        self._guard = threading.Lock()

    @contextmanager
    def reserve(self, count: int) -> Iterator[None]:
        """Reserve `count` handles during the block."""
        self._take(count)
        try:
            yield
        finally:
            with self._guard:
                self._open -= count

    def statistics(self) -> HandleStatistics:
        """Return the current figures."""
        with self._guard:
            return HandleStatistics(self._open, self._total, self._most)

    def _take(self, count: int) -> None:
        if not 0 <= count <= self._total:
            raise InvalidRequest(f"{count} open handles exceed the budget of {self._total}")
        with self._guard:
            if self._open + count > self._total:
                message = (
                    f"{self._open} of {self._total} handles are open; {count} more would "
                    "exceed the limit"
                )
                raise Busy(message, retry_after_ms=_RETRY_AFTER_MS)
            self._open += count
            self._most = max(self._most, self._open)
