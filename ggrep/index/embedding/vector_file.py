"""The life cycle of one vector file: created, opened, recreated when damaged, removed.

The file's lock is shared while the file is open, and exclusive to create or remove it. A log of
SQLite therefore never remains beside a newer file. The lock file is never removed, because other
processes can be about to lock it. Its modification time is the time at which the vector file was
last opened.

A crash during the creation of a file leaves it without a version, and the next process creates it
again. After any other crash, SQLite's log restores it.
"""

import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.base.clock import Clock
from ggrep.base.durable import open_lock
from ggrep.index.embedding.vector_database import WAIT_SECONDS, Damaged, InUse, VectorDatabase

SUFFIX: Final = ".sqlite3"
_POLL_SECONDS: Final = 0.01
_TRIES: Final = round(WAIT_SECONDS / _POLL_SECONDS)
_HOUR_SECONDS = 3600


class _Lock:
    """The lock of a vector file, as taken by one process."""

    def __init__(self, path: Path, wait: Callable[[float], None]) -> None:
        """Prepare the lock of the vector file at `path`; `wait` sleeps for a number of seconds."""
        self._path = _lock_file(path)
        self._wait = wait
        self._descriptor: int | None = None

    def share(self) -> None:
        """Take the lock, shared with other processes.

        Raises:
            InUse: another process has the exclusive lock.
            OSError: the directory cannot be written.
        """
        for _ in range(_TRIES):
            if self._take(fcntl.LOCK_SH):
                return
            self._wait(_POLL_SECONDS)
        raise InUse(str(self._path))

    def take_alone(self) -> bool:
        """Take the exclusive lock if no other process has the lock; release a shared lock first.

        Raises:
            OSError: the directory cannot be written.
        """
        # Some systems keep the shared lock until the exclusive lock is available, so that two
        # processes with shared locks would both fail.
        self.release()
        return self._take(fcntl.LOCK_EX)

    def release(self) -> None:
        """Release the lock."""
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


def _lock_file(path: Path) -> Path:
    """Return the path of the lock file beside the vector file at `path`."""
    return path.with_suffix(".lock")


def note_use(path: Path, clock: Clock) -> None:
    """Record that the vector file at `path` is used now, to the hour."""
    moment = int(clock.now().timestamp())
    if abs(moment - last_use(path)) >= _HOUR_SECONDS:
        with suppress(OSError):  # in a shared home the lock file can belong to another user
            os.utime(_lock_file(path), (moment, moment))


def last_use(path: Path) -> int:
    """Return when the vector file at `path` was last opened, in seconds; 0 if never."""
    try:
        return int(_lock_file(path).stat().st_mtime)
    except FileNotFoundError:
        return 0


class VectorFile:
    """One vector file, open or closed. All its methods raise only InUse, Damaged or OSError."""

    def __init__(self, path: Path, *, wait: Callable[[float], None]) -> None:
        """Prepare the file at `path`; `wait` sleeps for a number of seconds."""
        self.path = path
        self._wait = wait
        self._lock = _Lock(path, wait)
        self._database: VectorDatabase | None = None
        self._inode = 0

    @property
    def is_open(self) -> bool:
        """Return whether the file is open."""
        return self._database is not None

    @property
    def database(self) -> VectorDatabase:
        """Return the connection to the open file.

        Requires: the file is open.
        """
        if self._database is None:
            raise OSError(f"{self.path}: not open")
        return self._database

    def open(self) -> None:
        """Open the file; create it again if it is missing, damaged or has another format."""
        self._lock.share()
        try:
            self._connect()
        except Damaged:
            self.begin_anew()
        except BaseException:
            self.close()
            raise

    def begin_anew(self) -> None:
        """Replace the file by an empty one, unless another process already did; open the new file.

        Raises:
            InUse: other processes have the file open.
            Damaged: the file that another process created is also damaged.
            OSError: the directory cannot be written.
        """
        try:
            self._disconnect()
            self._replace()
            self._lock.share()
            self._connect()
        except BaseException:
            self.close()
            raise

    def remove(self) -> bool:
        """Remove the file if no process has it open; return whether it was removed.

        Raises:
            OSError: the directory cannot be written.
        """
        try:
            if not self._lock.take_alone():
                return False
            self._unlink()
        finally:
            self._lock.release()
        return True

    def close(self) -> None:
        """Close the file and release its lock."""
        try:
            self._disconnect()
        finally:
            self._lock.release()

    def _connect(self) -> None:
        self._inode = self._inode_now()
        if not self._inode:
            raise Damaged(f"{self.path}: absent")
        self._database = VectorDatabase.open(self.path)

    def _disconnect(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def _replace(self) -> None:
        """Replace the opened file by an empty one; do nothing if another process already did."""
        for _ in range(_TRIES):
            if self._inode_now() != self._inode:
                return
            if self._lock.take_alone():
                self._make()
                return
            self._wait(_POLL_SECONDS)
        raise InUse(str(self.path))

    def _make(self) -> None:
        """Create an empty file.

        Requires: this process has the exclusive lock.
        """
        if self._inode_now() != self._inode:
            return  # another process created the file before the lock was taken
        self._unlink()
        durable.write_file(self.path, b"")  # SQLite gives its log the mode of the file
        VectorDatabase.fill_new(self.path)

    def _inode_now(self) -> int:
        # The file must not be opened here: closing a descriptor drops SQLite's locks in this
        # process.
        try:
            return self.path.stat().st_ino
        except FileNotFoundError:
            return 0

    def _unlink(self) -> None:
        for suffix in ("-wal", "-shm", ""):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
