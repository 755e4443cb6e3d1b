"""The lock of a daemon's place, and those of a thousand places in one file.

A kernel lock belongs to an open file, whatever its names. Where a process carries many daemons
their lock files are links to one file, which it holds locked by one descriptor. Whoever looks at
any of the names finds it locked, also a build that knows nothing of links; when the process dies
the kernel lets go of all at once.

A dead process leaves names of one file that nobody holds. Who takes one of them must not hold the
others with it, which are free: so a file with several names is never taken over, its name is.
"""

import fcntl
import os
import time
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.base.errors import GgrepError

_TRIES: Final = 5
_TRY_S: Final = 0.02


class AlreadyServed(GgrepError):
    """Another process serves this store under this configuration."""


class HeldLock:
    """A locked file, as long as it has names of ours."""

    def __init__(self, descriptor: int, name: Path) -> None:
        """Hold what `descriptor` has locked, for its first name."""
        self._descriptor = descriptor
        self._names = {name}

    def is_at(self, name: Path) -> bool:
        """Return whether the file of that name is the one that is held."""
        return self._descriptor >= 0 and is_file(self._descriptor, name)

    def join(self, name: Path) -> bool:
        """Give the file another name; return False where it can have none.

        Raises:
            FileExistsError: the name is taken.
        """
        known = next(iter(self._names), None)
        if known is None:
            return False
        try:
            name.hardlink_to(known)
        except FileExistsError:
            raise
        except OSError:  # no links in this file system, too many, or our name was removed by hand
            return False
        if not self.is_at(name):  # somebody's file has our name by now
            name.unlink(missing_ok=True)
            return False
        self._names.add(name)
        return True

    def let_go(self, name: Path) -> None:
        """Hold it no longer for that name, which is nobody's business if it is not ours."""
        self._names.discard(name)
        if not self._names and self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class DaemonLocks:
    """Takes the locks of one process's daemons; for one thread."""

    def __init__(self, *, joined: bool = False) -> None:
        """Hold nothing yet; `joined` holds those of a directory by one descriptor."""
        self._joined = joined
        self._shared: dict[Path, HeldLock] = {}

    def claim(self, name: Path) -> HeldLock:
        """Hold the lock of a name, which is let go by `HeldLock.let_go`.

        Raises:
            AlreadyServed: a living daemon holds it.
            OSError: it cannot be made.
        """
        while True:
            shared, joins = self._shared.get(name.parent), True
            try:
                if shared is not None and shared.join(name):
                    return shared
                joins = False
            except FileExistsError:
                pass  # where that is a dead one's, it gives way
            descriptor = durable.open_lock(name)
            held = None
            try:
                held = _taken(descriptor, name, clear=joins)
            finally:
                if held is None:
                    os.close(descriptor)
            if held is not None:
                if self._joined and shared is None:
                    self._shared[name.parent] = held
                return held


def _taken(descriptor: int, name: Path, *, clear: bool) -> HeldLock | None:
    """Return what holds an opened lock file; None where the name is to be tried again.

    `clear` only makes room for another file.

    Raises:
        AlreadyServed: a living daemon holds it.
    """
    locked = _is_locked(descriptor)
    # One that ended in order has removed the file that we opened; others may hold it yet.
    if not is_file(descriptor, name):
        return None
    if not locked:
        raise AlreadyServed("a daemon serves this store already")
    if clear or os.fstat(descriptor).st_nlink > 1:
        name.unlink()
        return None
    return HeldLock(descriptor, name)


def is_file(descriptor: int, name: Path) -> bool:
    """Return whether an open file has that name."""
    try:
        return os.path.samestat(os.fstat(descriptor), name.stat())
    except FileNotFoundError:
        return False


def _is_locked(descriptor: int) -> bool:
    """Return whether this process holds the lock now.

    Whoever sweeps up after dead daemons holds one for a moment to see whether it can be had.
    """
    for _ in range(_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_TRY_S)
        else:
            return True
    return False
