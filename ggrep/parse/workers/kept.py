"""Workers that outlive the pool they worked for.

Starting one takes more processor time than all else that a sync of one file does.
"""

import weakref
from collections.abc import Iterable
from threading import Lock

from ggrep.parse.workers.child import Child


class KeptWorkers:
    """Idle workers between the pools of one process, all of one command. Thread-safe.

    Attributes:
        most: bound on the workers of a pool that uses them; 0 for none.
    """

    def __init__(self, idle: int, *, most: int = 0) -> None:
        """Hold none yet, and never more than `idle`."""
        self.most = most
        self._most_idle = idle
        self._lock = Lock()
        self._idle: list[Child] = []
        weakref.finalize(self, reap, self._idle)

    def take(self) -> Child | None:
        """Return a running worker, which is the caller's from now on; None without any."""
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.is_running:
                    return child
                child.reap()
            return None

    def keep(self, children: Iterable[Child]) -> None:
        """Take over idle workers; those that there is no room for are ended."""
        with self._lock:
            self._idle += children
            ended = self._idle[self._most_idle :]
            del self._idle[self._most_idle :]
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
