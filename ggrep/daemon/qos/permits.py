"""Permits in this process: granted at once where allowed, else in fair turn.

A client may be bounded in how many it holds. Those of its requests that are beyond wait, and are
passed over until one of its own lets go; a permit that nobody in the queue may have stays free.
So there is never a free permit and somebody in the queue who may have it: a newcomer that takes
one overtakes nobody.

All of it belongs to one event loop: between two awaits nothing else runs, so no lock is needed.
A permit that is let go passes straight to who is next; nobody who comes in between can take it.
"""

from collections import Counter
from typing import Final

import anyio
from msgspec import Struct, field

from ggrep.base.deadline import Deadline
from ggrep.base.errors import Cancelled
from ggrep.base.fair_queue import FairQueue, Lane

_LOOK_EVERY_MS: Final = 100.0
"""How late a request that waits may learn that it was ended from another thread."""


class _Waiter(Struct):
    """A task in the queue.

    Attributes:
        client: whose it is.
        settled: set once `granted` or `refused` says how it ended.
        refused: the reason.
    """

    client: str
    settled: anyio.Event = field(default_factory=anyio.Event)
    granted: bool = False
    refused: str | None = None


class Permits:
    """A fixed number of permits, and the queue of tasks that wait for one.

    Requires: all calls come from the event loop's own thread.
    """

    def __init__(self, total: int, per_client: int | None = None) -> None:
        """Give all permits free.

        Args:
            total: permits there are.
            per_client: that one client holds at once; None for no bound.
        """
        self.total = total
        self.per_client = total if per_client is None else per_client
        self.in_use = 0
        self._held: Counter[str] = Counter()
        """Permits of each client that has any."""
        self.closed: str | None = None
        """Why no more are given; None while they are."""
        self._queue: FairQueue[_Waiter] = FairQueue()

    @property
    def waiting(self) -> int:
        """Return the number of waiters."""
        return len(self._queue)

    @property
    def clients(self) -> int:
        """Return how many clients hold a permit or wait."""
        return len(self._held.keys() | self._queue.clients())

    def waiting_of(self, client: str) -> int:
        """Return how many tasks of that client wait."""
        return self._queue.waiting_of(client)

    def take(self, client: str) -> bool:
        """Take a permit if one is free that the client may have, without waiting."""
        if self.in_use >= self.total or not self._may_have_one(client):
            return False
        self._hold(client)
        return True

    def give_back(self, client: str) -> None:
        """Release a permit of that client and grant it to the next eligible waiter."""
        self.in_use -= 1
        self._held[client] -= 1
        if not self._held[client]:
            del self._held[client]
        self._grant_next()

    def bound(self, per_client: int) -> None:
        """Set how many permits one client may hold, and grant free ones that this allows."""
        self.per_client = per_client
        while self.in_use < self.total and self._grant_next():
            pass

    def _grant_next(self) -> bool:
        """Grant a free permit to the next eligible waiter; return False if there is none."""
        bounded = self.per_client < self.total
        waiter = self._queue.pop(self._may_have_one if bounded else None)
        if waiter is None:
            return False
        self._hold(waiter.client)
        waiter.granted = True
        waiter.settled.set()
        return True

    def close(self, reason: str) -> None:
        """Reject all waiters; permits in use are given back as usual."""
        if self.closed is None:
            self.closed = reason
        while (waiter := self._queue.pop()) is not None:
            waiter.refused = self.closed
            waiter.settled.set()

    async def wait(self, client: str, lane: Lane, deadline: Deadline, stage: str) -> None:
        """Wait in the queue until a permit is granted.

        A task that is cancelled may have been given its permit in the same tick: it passes it on.

        Raises:
            Cancelled: closed meanwhile, or the request was ended.
            DeadlineExceeded: the deadline passed first; the message names `stage`.
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

    def _may_have_one(self, client: str) -> bool:
        return self._held[client] < self.per_client

    def _hold(self, client: str) -> None:
        self.in_use += 1
        self._held[client] += 1


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
