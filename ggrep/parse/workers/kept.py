"""Keeps workers after their pool is closed.

Starting a worker takes more processor time than the rest of a sync of one file.
"""

import weakref
from collections.abc import Iterable
from threading import Lock

from ggrep.parse.workers.child import Child


class KeptWorkers:
    """Idle workers, all started by the same command, that successive pools of a process reuse.

    Thread-safe.

    Attributes:
        most: maximum number of workers of a pool that reuses them; 0 for no maximum.
    """

    def __init__(self, idle: int, *, most: int = 0) -> None:
        """Begin without workers; keep at most `idle` workers."""
        self.most = most
        self._most_idle = idle
        self._lock = Lock()
        self._idle: list[Child] = []
        weakref.finalize(self, reap, self._idle)

    def take(self) -> Child | None:
        """Remove and return a running worker; None if there is none."""
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.is_running:
                    return child
                child.reap()
            return None

    def keep(self, children: Iterable[Child]) -> None:
        """Keep idle workers; end the workers that exceed the maximum."""
        with self._lock:
            self._idle += children
            ended = self._idle[self._most_idle :]
            del self._idle[self._most_idle :]
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
