"""Index a repository as the command does, and stop (SIGSTOP) at a fault point on the way.

Arguments: root, point. It stops the first time the point is reached, and where it does not hold
the guard there: right after a heartbeat, so that it was heard of as lately as can be and no lock
that others need only for a moment is held by chance. Ends with the command's exit status, and
prints `swapped` when its snapshot became active.
"""

import os
import signal
import sys
import threading
from pathlib import Path

from ggrep.base import durable
from ggrep.index.sync import syncer
from ggrep.interfaces.entry import main as ggrep
from tests.fakes.repos import InProcessPool

GUARDED = frozenset({"lease.after_record", "publish.before_swap"})
"""Points at which the writer holds the guard, so that nobody can take over."""


class Stop:
    """A hook that stops this process once."""

    def __init__(self, point: str) -> None:
        self._point = point
        self._reached = threading.Event()
        self._resumed = threading.Event()
        self._swapped = False

    def __call__(self, point: str) -> None:
        if point == "publish.after_swap" and not self._swapped:
            self._swapped = True  # a compaction may follow
            print("swapped", flush=True)  # noqa: T201 - how the parent hears of it
        if self._reached.is_set():
            if point == "lease.after_heartbeat" and not self._resumed.is_set():
                self._stop()
        elif point == self._point:
            self._reached.set()
            if point in GUARDED:
                self._stop()
            else:
                self._resumed.wait()

    def _stop(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)
        self._resumed.set()


def main(root: str, point: str) -> int:
    """Return the exit status of `ggrep index`."""
    syncer.IndexPool = InProcessPool  # type: ignore[misc,assignment] # quick parsing
    with durable.watched(Stop(point)):
        return ggrep(["index", str(Path(root))])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
