"""Which queries run, which wait and which are sent away: the limits of one daemon.

Sync never asks here: its permits are its own, so that it publishes however many queries wait.
"""

import math
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Final

from ggrep.clock import Clock
from ggrep.domain.deadline import Deadline
from ggrep.domain.response import Admitted
from ggrep.errors import Busy, Cancelled, DeadlineExceeded
from ggrep.qos.fair_queue import Lane
from ggrep.qos.latency import LatencyWindow
from ggrep.qos.permits import Permits

ANONYMOUS: Final = "anonymous"
"""The client that all who give no name share."""

_RETRY_UNMEASURED_MS: Final = 250
_RETRY_LEAST_MS: Final = 25
_RETRY_MOST_MS: Final = 30_000


@dataclass(frozen=True, slots=True)
class AdmissionLimits:
    """How many queries one daemon takes.

    Attributes:
        max_concurrent: that run at once.
        max_queue_depth: that wait; 0 for no queue.
        per_client: of one client that run or wait; 0 for `max_concurrent`, which bounds it anyway.
    """

    max_concurrent: int = 8
    max_queue_depth: int = 32
    per_client: int = 4

    @property
    def effective_per_client(self) -> int:
        """Return how many of one client run or wait at most."""
        return min(self.per_client or self.max_concurrent, self.max_concurrent)


@dataclass(frozen=True, slots=True)
class AdmissionStatistics:
    """The state of admission.

    Attributes:
        busy_total: sent away because the queue, or the client's share, was full.
        timeouts_total: whose deadline passed while they waited.
        clients: clients with a query that runs or waits.
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
    """Admits the queries of one daemon.

    Requires: all calls come from the event loop's own thread.
    """

    def __init__(self, limits: AdmissionLimits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._permits = Permits(limits.max_concurrent)
        self._present: Counter[str] = Counter()
        """Running and waiting queries of each client that has any."""
        self._service = LatencyWindow()
        self._admitted_total = 0
        self._busy_total = 0
        self._timeouts_total = 0

    @asynccontextmanager
    async def admit(self, client: str, lane: Lane, deadline: Deadline) -> AsyncIterator[Admitted]:
        """Run the block as one query of `client`.

        Raises:
            Busy: the client has its share already, or the queue is full.
            Cancelled: closed, before or while it waited; or the request was ended.
            DeadlineExceeded: the deadline passed while it waited.
        """
        client = client or ANONYMOUS
        self._refuse_if_closed()
        with self._counted(client):
            arrived_ms = self._clock.monotonic_ms()
            was_queued = await self._take(client, lane, deadline)
            started_ms = self._clock.monotonic_ms()
            self._admitted_total += 1
            try:
                yield Admitted(
                    waited_ms=started_ms - arrived_ms,
                    was_queued=was_queued,
                    in_flight=self._permits.in_use,
                    queue_depth=self._permits.waiting,
                )
            finally:
                self._service.add(self._clock.monotonic_ms() - started_ms)
                self._permits.give_back()

    def close(self, reason: str) -> None:
        """Admit nobody any more; who waits is sent away, who runs goes on."""
        self._permits.close(reason)

    def statistics(self) -> AdmissionStatistics:
        """Return the present load and what was counted so far."""
        return AdmissionStatistics(
            max_concurrent=self._limits.max_concurrent,
            max_queue_depth=self._limits.max_queue_depth,
            in_flight=self._permits.in_use,
            queue_depth=self._permits.waiting,
            admitted_total=self._admitted_total,
            busy_total=self._busy_total,
            timeouts_total=self._timeouts_total,
            clients=len(self._present),
        )

    def retry_after_ms(self) -> int:
        """Return when a query sent away now should come again: what waits needs that long."""
        typical_ms = self._service.p50()
        if typical_ms is None:
            return _RETRY_UNMEASURED_MS
        rounds = (self._permits.waiting + 1) / self._limits.max_concurrent
        return min(max(math.ceil(typical_ms * rounds), _RETRY_LEAST_MS), _RETRY_MOST_MS)

    def _refuse_if_closed(self) -> None:
        if self._permits.closed is not None:
            raise Cancelled(self._permits.closed)

    @contextmanager
    def _counted(self, client: str) -> Iterator[None]:
        """Count a query as one of its client's."""
        if self._present[client] >= self._limits.effective_per_client:
            raise self._busy(f"client {client} has {self._present[client]} queries here already")
        self._present[client] += 1
        try:
            yield
        finally:
            self._present[client] -= 1
            if not self._present[client]:
                del self._present[client]

    async def _take(self, client: str, lane: Lane, deadline: Deadline) -> bool:
        """Take a permit; return whether it had to be waited for."""
        if self._permits.take():
            return False
        if self._permits.waiting >= self._limits.max_queue_depth:
            raise self._busy(f"{self._permits.waiting} queries wait already")
        try:
            await self._permits.wait(client, lane, deadline, "admission")
        except DeadlineExceeded:
            self._timeouts_total += 1
            raise
        return True

    def _busy(self, message: str) -> Busy:
        self._busy_total += 1
        return Busy(f"daemon busy: {message}", retry_after_ms=self.retry_after_ms())
