"""The lock of a vector file: shared while it is open, exclusive to create or remove it.

So nobody's log ever meets another one's file. The lock file is never removed, because others may
be about to take it; its modification time says when the vector file was last opened.
"""

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from ggrep.base.clock import Clock
from ggrep.base.durable import open_lock

WAIT_SECONDS: Final = 0.25
"""How long anything about a vector file waits for another process, at most."""
POLL_SECONDS: Final = 0.01
TRIES: Final = round(WAIT_SECONDS / POLL_SECONDS)
_HOUR_SECONDS = 3600


class InUse(Exception):
    """Another process held the file for longer than it is waited for."""


class VectorLock:
    """One process's hold on a vector file."""

    def __init__(self, path: Path, wait: Callable[[float], None]) -> None:
        """Prepare the lock of the vector file at `path`; `wait` sleeps that many seconds."""
        self._path = lock_file(path)
        self._wait = wait
        self._descriptor: int | None = None

    def share(self) -> None:
        """Hold it with others.

        Raises:
            InUse: somebody holds it alone.
            OSError: the directory cannot be written.
        """
        for _ in range(TRIES):
            if self._take(fcntl.LOCK_SH):
                return
            self._wait(POLL_SECONDS)
        raise InUse(str(self._path))

    def take_alone(self) -> bool:
        """Hold it alone if nobody else holds it; what was held before is let go in any case.

        Raises:
            OSError: the directory cannot be written.
        """
        # Some systems keep a share until the exchange works out: two sharers would both fail.
        self.release()
        return self._take(fcntl.LOCK_EX)

    def release(self) -> None:
        """Let go."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _take(self, kind: int) -> bool:
        if self._descriptor is None:
            self._descriptor = open_lock(self._path)
        try:
            fcntl.flock(self._descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def lock_file(path: Path) -> Path:
    """Return the name of the lock beside the vector file at `path`."""
    return path.with_suffix(".lock")


def note_use(path: Path, clock: Clock) -> None:
    """Remember that the vector file at `path` is used now, to the hour."""
    moment = int(clock.now().timestamp())
    if abs(moment - last_use(path)) >= _HOUR_SECONDS:
        with suppress(OSError):  # in a shared home the lock file may be another user's
            os.utime(lock_file(path), (moment, moment))


def last_use(path: Path) -> int:
    """Return when the vector file at `path` was last opened, in seconds; 0 if never."""
    try:
        return int(lock_file(path).stat().st_mtime)
    except FileNotFoundError:
        return 0
