"""Workers that outlive the pool they worked for.

Starting one takes a tenth of a second of processor time, more than all else that the sync of a tiny
repository does.
"""

import weakref
from collections.abc import Iterable
from threading import Lock

from ggrep.parse.workers.child import Child


class KeptWorkers:
    """Idle workers between the pools of one process, all of one command. Threads may share it.

    Attributes:
        most: how many a pool that uses them may have; as many are kept.
    """

    def __init__(self, most: int) -> None:
        """Hold none yet."""
        self.most = most
        self._lock = Lock()
        self._idle: list[Child] = []
        weakref.finalize(self, reap, self._idle)

    def take(self) -> Child | None:
        """Return a worker, which is the caller's from now on; None without any."""
        with self._lock:
            return self._idle.pop() if self._idle else None

    def keep(self, children: Iterable[Child]) -> None:
        """Take over idle workers; those that there is no room for are ended."""
        with self._lock:
            self._idle += children
            ended = self._idle[self.most :]
            del self._idle[self.most :]
        reap(ended)

    def close(self) -> None:
        """End all that are held."""
        with self._lock:
            reap(self._idle)


def reap(children: list[Child] | set[Child]) -> None:
    """End workers and wait for them."""
    for child in children:
        child.reap()
    children.clear()
