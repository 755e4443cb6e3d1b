"""Decides which queries run, wait or are rejected, and records recent latencies."""

import math
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from msgspec import Struct

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded
from ggrep.base.fair_queue import Lane
from ggrep.daemon.qos.permits import Permits
from ggrep.model.response import Admitted


class LatencyWindow:
    """The durations of the most recent requests. Thread-safe."""

    def __init__(self, size: int = 200) -> None:
        self._durations: deque[float] = deque(maxlen=size)
        self._guard = threading.Lock()

    @property
    def count(self) -> int:
        """Return the number of durations."""
        with self._guard:
            return len(self._durations)

    def add(self, duration_ms: float) -> None:
        """Add a duration and drop the oldest."""
        with self._guard:
            self._durations.append(duration_ms)

    def p50(self) -> float | None:
        """Return the median in milliseconds, by nearest rank; None without data."""
        return self._percentile(50)

    def p95(self) -> float | None:
        """Return the 95th percentile in milliseconds, by nearest rank; None without data."""
        return self._percentile(95)

    def mean(self) -> float:
        """Return the mean in milliseconds; 0 without data."""
        with self._guard:
            return sum(self._durations) / max(len(self._durations), 1)

    def most(self) -> float | None:
        """Return the maximum; None without data."""
        with self._guard:
            return max(self._durations, default=None)

    def _percentile(self, percent: int) -> float | None:
        with self._guard:
            ordered = sorted(self._durations)
        if not ordered:
            return None
        rank = -(-percent * len(ordered) // 100)
        return ordered[rank - 1]


ANONYMOUS: Final = "anonymous"
"""Name of clients that report no name."""

QUEUE_PARTS: Final = 2
"""Divisor of the queue's length that gives the maximum number of a client's waiting queries."""

_RETRY_UNMEASURED_MS: Final = 250
_RETRY_LEAST_MS: Final = 25
_RETRY_MOST_MS: Final = 30_000


class AdmissionLimits(Struct, frozen=True):
    """Bounds on the queries of a daemon.

    Attributes:
        max_queue_depth: maximum number of waiting queries; 0 for no queue.
        per_client: maximum number of running queries of a client, at most `max_concurrent`; 0 for
            `max_concurrent`.
    """

    max_concurrent: int = 8
    max_queue_depth: int = 32
    per_client: int = 4

    @property
    def effective_per_client(self) -> int:
        """Return the maximum number of running queries of a client."""
        return min(self.per_client or self.max_concurrent, self.max_concurrent)

    @property
    def max_queued_per_client(self) -> int:
        """Return the maximum number of waiting queries of a client, if there is a queue."""
        return max(self.max_queue_depth // QUEUE_PARTS, 1)


class AdmissionStatistics(Struct, frozen=True):
    """The state of admission.

    Attributes:
        busy_total: queries rejected because the queue or the client's share of it was full.
        timeouts_total: queries whose deadline passed in the queue.
    """

    max_concurrent: int
    max_queue_depth: int
    in_flight: int
    queue_depth: int
    admitted_total: int
    busy_total: int
    timeouts_total: int
    clients: int


class Admission:
    """Admits the queries of a daemon.

    Requires: all calls come from the event loop's thread.
    """

    def __init__(self, limits: AdmissionLimits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._permits = Permits(limits.max_concurrent, limits.effective_per_client)
        self._service = LatencyWindow()
        self._admitted_total = 0
        self._busy_total = 0
        self._timeouts_total = 0

    @asynccontextmanager
    async def admit(self, client: str, lane: Lane, deadline: Deadline) -> AsyncIterator[Admitted]:
        """Wait for admission, then run the block as a query of `client`."""
        client = client or ANONYMOUS
        if self._permits.closed is not None:
            raise Cancelled(self._permits.closed)
        arrived_ms = self._clock.monotonic_ms()
        was_queued = await self._take(client, lane, deadline)
        started_ms = self._clock.monotonic_ms()
        self._admitted_total += 1
        try:
            yield Admitted(
                waited_ms=round(started_ms - arrived_ms),
                queued=was_queued,
                in_flight=self._permits.in_use,
                queue_depth=self._permits.waiting,
            )
        finally:
            self._service.add(self._clock.monotonic_ms() - started_ms)
            self._permits.give_back(client)

    def close(self, reason: str) -> None:
        """Admit no more queries and reject waiting queries; running queries finish."""
        self._permits.close(reason)

    def statistics(self) -> AdmissionStatistics:
        """Return the current load and the totals."""
        return AdmissionStatistics(
            max_concurrent=self._limits.max_concurrent,
            max_queue_depth=self._limits.max_queue_depth,
            in_flight=self._permits.in_use,
            queue_depth=self._permits.waiting,
            admitted_total=self._admitted_total,
            busy_total=self._busy_total,
            timeouts_total=self._timeouts_total,
            clients=self._permits.clients,
        )

    def retry_after_ms(self) -> int:
        """Return the delay until a retry of a rejected query: the time to empty the queue."""
        typical_ms = self._service.p50()
        if typical_ms is None:
            return _RETRY_UNMEASURED_MS
        rounds = (self._permits.waiting + 1) / self._limits.max_concurrent
        return min(max(math.ceil(typical_ms * rounds), _RETRY_LEAST_MS), _RETRY_MOST_MS)

    async def _take(self, client: str, lane: Lane, deadline: Deadline) -> bool:
        """Acquire a permit; return whether the query had to wait."""
        if self._permits.take(client):
            return False
        self._refuse_if_full(client)
        try:
            await self._permits.wait(client, lane, deadline, "admission")
        except DeadlineExceeded:
            self._timeouts_total += 1
            raise
        return True

    def _refuse_if_full(self, client: str) -> None:
        mine = self._permits.waiting_of(client)
        if mine >= self._limits.max_queued_per_client:
            raise self._busy(f"{mine} queries of client {client} are already waiting")
        waiting = self._permits.waiting
        if waiting >= self._limits.max_queue_depth:
            raise self._busy(f"{waiting} queries are already waiting")

    def _busy(self, message: str) -> Busy:
        self._busy_total += 1
        return Busy(f"daemon busy: {message}", retry_after_ms=self.retry_after_ms())
