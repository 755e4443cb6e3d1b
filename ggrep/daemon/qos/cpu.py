"""Processor permits: all daemons of a process share its cores in fair turn."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from ggrep.base.clock import Clock
from ggrep.base.deadline import Deadline
from ggrep.base.fair_queue import Lane
from ggrep.daemon.qos.permits import Permits

_COMPANY_MS: Final = 1_000.0
"""How long a client that asked counts as one who may ask again at any moment."""


class CpuPermits:
    """As many permits as cores, held around the thread that does a query's work.

    A client that is alone has them all. In company it leaves one core free, so that whoever asks
    next neither waits for one of its queries nor computes beside as many of them as there are
    cores: threads of one interpreter take turns, and beside a full house a query takes as many
    times longer.

    There is no bound on who waits: whoever asks was admitted by its daemon, which has one.

    Requires: all calls come from the event loop's own thread.
    """

    def __init__(self, cores: int, clock: Clock) -> None:
        self._cores = max(1, cores)
        self.permits = Permits(self._cores)
        self._seen: dict[str, float] = {}
        self._clock = clock

    @asynccontextmanager
    async def hold(self, client: str, lane: Lane, deadline: Deadline) -> AsyncIterator[float]:
        """Hold a core for the length of the block; yield the milliseconds spent waiting.

        Raises:
            Cancelled: the request was ended while it waited.
            DeadlineExceeded: the deadline passed while it waited.
        """
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
        """Record the client; with several clients, each gets a bound."""
        self._seen.pop(client, None)
        self._seen[client] = now_ms
        # In the order they were last seen, the oldest first.
        for other in list(self._seen):
            if now_ms - self._seen[other] <= _COMPANY_MS:
                break
            del self._seen[other]
        alone = len(self._seen) == 1
        per_client = self._cores if alone else max(1, self._cores - 1)
        if per_client != self.permits.per_client:
            self.permits.bound(per_client)
