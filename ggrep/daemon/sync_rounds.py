"""Syncs that were requested but have not started, and the requests that wait for them."""

from typing import Final

import anyio
from msgspec import Struct

from ggrep.base.deadline import Deadline
from ggrep.base.errors import Cancelled, GgrepError
from ggrep.model.sync_jobs import SyncOutcome

_LOOK_EVERY_MS: Final = 100.0
"""How late who waits may learn that his request was ended."""


class Wanted(Struct, frozen=True):
    """The kind of a sync; equal requests share one.

    Attributes:
        strict: refuse where a file cannot be read, decoded or cut as it should.
        allow_degraded: over the budget of what a profile includes, index what fits.
        fresh: take nothing over from what is indexed.
    """

    strict: bool = False
    allow_degraded: bool = False
    fresh: bool = False


class Round:
    """One sync, and the tasks that wait for its end."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.waiting = 0
        self._over = anyio.Event()
        self._came: SyncOutcome | GgrepError = Cancelled("the sync did not end")

    def end(self, came: SyncOutcome | GgrepError) -> None:
        """Give the outcome to the waiting tasks."""
        self._came = came
        self._over.set()

    async def outcome(self, deadline: Deadline) -> SyncOutcome:
        """Wait for the end.

        Raises:
            Cancelled: the request was ended first.
            DeadlineExceeded: the deadline passed first.
            GgrepError: the sync failed.
        """
        while not self._over.is_set():
            deadline.check("the wait for a sync")
            with anyio.move_on_after(min(deadline.remaining_ms(), _LOOK_EVERY_MS) / 1000):
                await self._over.wait()
        if isinstance(self._came, GgrepError):
            raise self._came
        return self._came


class Rounds:
    """Rounds that have not started, in the order of their requests."""

    def __init__(self) -> None:
        self._rounds: dict[Wanted, Round] = {}

    def __bool__(self) -> bool:
        """Tell whether anybody waits."""
        return bool(self._rounds)

    def join(self, wanted: Wanted) -> Round:
        """Join the round of that kind, created if there is none, and return it."""
        found = self._rounds.setdefault(wanted, Round(wanted))
        found.waiting += 1
        return found

    def leave(self, found: Round) -> None:
        """Stop waiting; a round without waiters is dropped."""
        found.waiting -= 1
        if not found.waiting and self._rounds.get(found.wanted) is found:
            del self._rounds[found.wanted]

    def take(self) -> Round | None:
        """Return the first round, which starts now; later requests do not join it."""
        if not self._rounds:
            return None
        return self._rounds.pop(next(iter(self._rounds)))

    def dismiss(self, error: GgrepError) -> None:
        """Tell all waiters that their sync will not start."""
        rounds, self._rounds = self._rounds, {}
        for found in rounds.values():
            found.end(error)
