"""The life cycle of one vector file: created, opened, recreated when damaged, removed.

A crash while a file is made leaves one without a version, which the next one makes anew; in any
other moment SQLite's log decides.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.index.embedding.vector_database import Damaged, VectorDatabase
from ggrep.index.embedding.vector_lock import POLL_SECONDS, TRIES, InUse, VectorLock

SUFFIX: Final = ".sqlite3"


class VectorFile:
    """One file, open or not; all that can go wrong is InUse, Damaged or an OSError."""

    def __init__(self, path: Path, *, wait: Callable[[float], None]) -> None:
        """Prepare the file at `path`; `wait` sleeps that many seconds."""
        self.path = path
        self._wait = wait
        self._lock = VectorLock(path, wait)
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
        for _ in range(TRIES):
            if self._inode_now() != self._inode:
                return
            if self._lock.take_alone():
                self._make()
                return
            self._wait(POLL_SECONDS)
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
