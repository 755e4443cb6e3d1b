"""Places in this process: given at once while any is free, else in fair turn.

All of it belongs to one event loop: between two awaits nothing else runs, so no lock is needed.
A permit that is let go passes straight to who is next; nobody who comes in between can take it.
"""

from dataclasses import dataclass, field
from typing import Final

import anyio

from ggrep.domain.deadline import Deadline
from ggrep.errors import Cancelled
from ggrep.qos.fair_queue import FairQueue, Lane

_LOOK_EVERY_MS: Final = 100.0
"""How late a request that waits may learn that it was ended from another thread."""


@dataclass(slots=True)
class _Waiter:
    """A task that stands in the queue.

    Attributes:
        settled: set once `granted` or `refused` says how it ended.
        refused: the reason.
    """

    settled: anyio.Event = field(default_factory=anyio.Event)
    granted: bool = False
    refused: str | None = None


class Permits:
    """A fixed number of permits and those who wait for one.

    Requires: all calls come from the event loop's own thread.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.in_use = 0
        self.closed: str | None = None
        """Why no more are given; None while they are."""
        self._queue: FairQueue[_Waiter] = FairQueue()

    @property
    def waiting(self) -> int:
        """Return how many stand in the queue."""
        return len(self._queue)

    def take(self) -> bool:
        """Take a permit if one is free; then nobody waits for it either."""
        if self.in_use >= self.total:
            return False
        self.in_use += 1
        return True

    def give_back(self) -> None:
        """Let a permit go: who is next has it from now on."""
        waiter = self._queue.pop()
        if waiter is None:
            self.in_use -= 1
            return
        waiter.granted = True
        waiter.settled.set()

    def close(self, reason: str) -> None:
        """Send everybody away who waits; permits in use are given back as ever."""
        if self.closed is None:
            self.closed = reason
        while (waiter := self._queue.pop()) is not None:
            waiter.refused = self.closed
            waiter.settled.set()

    async def wait(self, client: str, lane: Lane, deadline: Deadline, stage: str) -> None:
        """Stand in the queue until a permit is ours.

        A task that is cancelled may have been given its permit in the same tick: it passes it on.

        Raises:
            Cancelled: closed meanwhile, or the request was ended.
            DeadlineExceeded: the deadline passed first; the message names `stage`.
        """
        waiter = _Waiter()
        ticket = self._queue.push(client, lane, waiter)
        try:
            await _settled(waiter, deadline, stage)
        except BaseException:
            if waiter.granted:
                self.give_back()
            else:
                self._queue.remove(ticket)
            raise
        if waiter.refused is not None:
            raise Cancelled(waiter.refused)


async def _settled(waiter: _Waiter, deadline: Deadline, stage: str) -> None:
    """Wait until `waiter` is settled.

    Raises:
        Cancelled: the request was ended first.
        DeadlineExceeded: the deadline passed first.
    """
    while not waiter.settled.is_set():
        deadline.check(stage)
        patience_ms = min(deadline.remaining_ms(), _LOOK_EVERY_MS)
        with anyio.move_on_after(patience_ms / 1000.0):
            await waiter.settled.wait()
