"""The life cycle of one vector file: created, opened, recreated when damaged, removed.

Its lock is shared while it is open, exclusive to create or remove it, so nobody's log ever meets
another one's file. The lock file is never removed, because others may be about to take it; its
modification time says when the vector file was last opened.

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
    """One process's hold on a vector file."""

    def __init__(self, path: Path, wait: Callable[[float], None]) -> None:
        """Prepare the lock of the vector file at `path`; `wait` sleeps that many seconds."""
        self._path = _lock_file(path)
        self._wait = wait
        self._descriptor: int | None = None

    def share(self) -> None:
        """Hold it with others.

        Raises:
            InUse: somebody holds it alone.
            OSError: the directory cannot be written.
        """
        for _ in range(_TRIES):
            if self._take(fcntl.LOCK_SH):
                return
            self._wait(_POLL_SECONDS)
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


def _lock_file(path: Path) -> Path:
    """Return the name of the lock beside the vector file at `path`."""
    return path.with_suffix(".lock")


def note_use(path: Path, clock: Clock) -> None:
    """Remember that the vector file at `path` is used now, to the hour."""
    moment = int(clock.now().timestamp())
    if abs(moment - last_use(path)) >= _HOUR_SECONDS:
        with suppress(OSError):  # in a shared home the lock file may be another user's
            os.utime(_lock_file(path), (moment, moment))


def last_use(path: Path) -> int:
    """Return when the vector file at `path` was last opened, in seconds; 0 if never."""
    try:
        return int(_lock_file(path).stat().st_mtime)
    except FileNotFoundError:
        return 0


class VectorFile:
    """One file, open or not; all that can go wrong is InUse, Damaged or an OSError."""

    def __init__(self, path: Path, *, wait: Callable[[float], None]) -> None:
        """Prepare the file at `path`; `wait` sleeps that many seconds."""
        self.path = path
        self._wait = wait
        self._lock = _Lock(path, wait)
        self._database: VectorDatabase | None = None
        self._inode = 0

    @property
    def is_open(self) -> bool:
        """Return whether there is a connection."""
        return self._database is not None

    @property
    def database(self) -> VectorDatabase:
        """Return the connection.

        Requires: the file is open.
        """
        if self._database is None:
            raise OSError(f"{self.path}: not open")
        return self._database

    def open(self) -> None:
        """Connect; a file that is absent or not of this format is begun anew."""
        self._lock.share()
        try:
            self._connect()
        except Damaged:
            self.begin_anew()
        except BaseException:
            self.close()
            raise

    def begin_anew(self) -> None:
        """Connect to an empty file in the place of the one last met, or to what another made.

        Raises:
            InUse: others have that one open.
            Damaged: what another made is not sound either.
            OSError: the place cannot be written.
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
        """Remove the file if nobody has it open; return whether it is gone.

        Raises:
            OSError: the place cannot be written.
        """
        try:
            if not self._lock.take_alone():
                return False
            self._unlink()
        finally:
            self._lock.release()
        return True

    def close(self) -> None:
        """Let go of the file and its lock."""
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
        """Put an empty file where the one last met is; nothing, if it is no longer there."""
        for _ in range(_TRIES):
            if self._inode_now() != self._inode:
                return
            if self._lock.take_alone():
                self._make()
                return
            self._wait(_POLL_SECONDS)
        raise InUse(str(self.path))

    def _make(self) -> None:
        """Make an empty file.

        Requires: the lock is held alone.
        """
        if self._inode_now() != self._inode:
            return  # another made one between the look and the lock
        self._unlink()
        durable.write_file(self.path, b"")  # SQLite gives its log the mode of the file
        VectorDatabase.fill_new(self.path)

    def _inode_now(self) -> int:
        # Never by opening it: closing a descriptor drops the locks SQLite holds in this process.
        try:
            return self.path.stat().st_ino
        except FileNotFoundError:
            return 0

    def _unlink(self) -> None:
        for suffix in ("-wal", "-shm", ""):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
