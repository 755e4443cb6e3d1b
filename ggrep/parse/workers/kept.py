"""Keeps idle workers from one pool to the next.

To start one takes a tenth of a second of processor time, more than the rest of a tiny repository's
sync.
"""

import weakref
from collections.abc import Iterable
from threading import Lock

from ggrep.parse.workers.child import Child


class KeptWorkers:
    """Idle workers of one command, kept between the pools of one process. Thread-safe.

    Attributes:
        most: most workers of a pool that uses them, and most that are kept.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = Lock()
        self._idle: list[Child] = []
        weakref.finalize(self, reap, self._idle)

    def take(self) -> Child | None:
        """Remove and return an idle worker; None if there is none."""
        with self._lock:
            return self._idle.pop() if self._idle else None

    def keep(self, children: Iterable[Child]) -> None:
        """Add idle workers; end those beyond `most`."""
        with self._lock:
            self._idle += children
            ended = self._idle[self.most :]
            del self._idle[self.most :]
        reap(ended)

    def close(self) -> None:
        """End all kept workers."""
        with self._lock:
            reap(self._idle)


def reap(children: list[Child] | set[Child]) -> None:
    """End workers and wait for them."""
    for child in children:
        child.reap()
    children.clear()
