"""One vector file: a SQLite database in WAL mode, with a table that maps 64-bit keys to entries.

Rows are stored in the order in which they were written, with an index on the keys. A batch is
therefore written to few pages, and the oldest rows fill consecutive pages.

A process holds a shared lock on a lock file beside the database while the database is open, and an
exclusive lock to create, replace or remove it: SQLite opens its log by name, and could otherwise
apply the log of a removed file to a new file. The lock file is never removed, because another
process may be about to lock it. The lock file's modification time is the time at which the database
was last opened, to the hour.

If a process terminates while it creates a file, the file has no version, and the next process
creates it again. After any other crash, SQLite's log restores the file.
"""

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.base.clock import Clock
from ggrep.base.locks import HeldFile, take

SUFFIX: Final = ".sqlite3"
WAIT_SECONDS: Final = 0.25
"""Longest wait of one operation for another process."""
_POLL_SECONDS: Final = 0.01
_TRIES: Final = round(WAIT_SECONDS / _POLL_SECONDS)
_HOUR_SECONDS = 3600
_FORMAT = 1
"""Version of the file. 1: `vectors(id, key, used, entry)`, entries as `vector_cache` packs them."""
_PAGE_BYTES = 4096
_LOG_PAGES = 2000
"""The log is merged into the file at this number of pages; the last process removes the log."""
_VACUUM_PAGES = 1000
_EVICTED_ROWS = 4096
_ROW_BYTES = 1024
"""A size that few rows exceed, so that no batch deletes more rows than necessary."""
_IN_USE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_DAMAGED = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_ERROR,  # a table or column is missing
        sqlite3.SQLITE_INTERNAL,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_MISMATCH,
    }
)
_TABLE = """
    CREATE TABLE vectors(
        id INTEGER PRIMARY KEY,
        key INTEGER NOT NULL UNIQUE,
        used INTEGER NOT NULL,
        entry BLOB NOT NULL
    )
"""
_READ = "SELECT key, used, entry FROM vectors WHERE key IN (SELECT value FROM json_each(?))"
_WRITE = "INSERT OR REPLACE INTO vectors(key, used, entry) VALUES (?, ?, ?)"
_EVICT = """
    DELETE FROM vectors
    WHERE id <= (SELECT max(id) FROM (SELECT id FROM vectors ORDER BY id LIMIT ?))
"""

Row = tuple[int, int, bytes]
"""Key, hour of last use, entry."""
StoredRow = tuple[object, object, object]
"""A row as it was read: in a damaged file a column may contain anything."""


class InUse(Exception):
    """Another process kept the file locked for too long."""


class Damaged(Exception):
    """The file is no database of this format, or an incomplete one."""


def note_use(path: Path, clock: Clock) -> None:
    """Record the present hour as the last use of a vector file."""
    moment = int(clock.now().timestamp())
    if abs(moment - last_use(path)) >= _HOUR_SECONDS:
        with suppress(OSError):  # in a shared home, another user may own the lock file
            os.utime(_lock_file(path), (moment, moment))


def last_use(path: Path) -> int:
    """Return the Unix time at which a vector file was last opened, to the hour; 0 if never."""
    try:
        return int(_lock_file(path).stat().st_mtime)
    except FileNotFoundError:
        return 0


def _lock_file(path: Path) -> Path:
    return path.with_suffix(".lock")


class VectorDatabase:
    """One vector file, open or closed; all operations raise only InUse, Damaged and OSError."""

    def __init__(self, path: Path, *, wait: Callable[[float], None]) -> None:
        """Set the path of the file; `wait` sleeps for a number of seconds."""
        self.path = path
        self._wait = wait
        self._lock: HeldFile | None = None
        self._open: sqlite3.Connection | None = None
        self._inode = 0

    @property
    def is_open(self) -> bool:
        """Return whether the file is open."""
        return self._open is not None

    def open(self) -> None:
        """Open the file; a missing or damaged file is replaced by an empty one."""
        try:
            self._share()
            self._connect()
        except Damaged:
            self.begin_anew()
        except BaseException:
            self.close()
            raise

    def begin_anew(self) -> None:
        """Replace the file by an empty one, unless another process has replaced it meanwhile.

        Raises:
            InUse: another process has the file open.
            Damaged: another process replaced the file, and the new file is damaged too.
            OSError: the file cannot be written.
        """
        try:
            self._disconnect()
            self._await(self._replace)
            self._share()
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
            if self._take_alone():
                self._unlink()
            return self._lock is not None
        finally:
            self._release()

    def close(self) -> None:
        """Close the file and release the lock; the last process merges the log into the file."""
        try:
            self._disconnect()
        finally:
            self._release()

    def _await(self, attempt: Callable[[], bool]) -> None:
        for _ in range(_TRIES):
            if attempt():
                return
            self._wait(_POLL_SECONDS)
        raise InUse(str(self.path))

    def _share(self) -> None:
        def attempt() -> bool:
            self._lock = take(_lock_file(self.path), fcntl.LOCK_SH)
            return self._lock is not None

        self._release()
        self._await(attempt)

    def _take_alone(self) -> bool:
        """Release a shared lock of this object, then lock exclusively if no process has a lock."""
        self._release()
        self._lock = take(_lock_file(self.path))
        return self._lock is not None

    def _release(self) -> None:
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()

    def _replace(self) -> bool:
        """Replace the file by an empty one; return False if another process has it open."""
        if self._inode_now() == self._inode:
            if not self._take_alone():
                return False
            if self._inode_now() == self._inode:  # no process replaced it before the lock
                self._unlink()
                durable.write_file(self.path, b"")  # SQLite gives its log the mode of the file
                self._fill()
        return True

    def _inode_now(self) -> int:
        # Never by opening the file: closing a descriptor releases the locks of SQLite in this
        # process.
        try:
            return self.path.stat().st_ino
        except FileNotFoundError:
            return 0

    def _unlink(self) -> None:
        for suffix in ("-wal", "-shm", ""):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def _connect(self, *, check: bool = True) -> None:
        self._inode = self._inode_now()
        if not self._inode:
            raise Damaged(f"{self.path}: absent")
        with _typed_errors():
            self._open = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
        self._open.text_factory = bytes  # damage may turn a number into invalid text
        self._pragma("synchronous = NORMAL")
        self._pragma(f"wal_autocheckpoint = {_LOG_PAGES}")
        self._pragma(f"journal_size_limit = {_LOG_PAGES * _PAGE_BYTES}")
        if check and (version := self._figure("user_version")) != _FORMAT:
            raise Damaged(f"the file has format {version} instead of {_FORMAT}")

    def _fill(self) -> None:
        """Turn an empty file into a database without rows; its version is written last."""
        try:
            self._connect(check=False)
            self._pragma(f"page_size = {_PAGE_BYTES}")
            self._pragma("auto_vacuum = INCREMENTAL")
            self._pragma("journal_mode = WAL")
            with _typed_errors():
                self._connection.execute(_TABLE)
            self._pragma(f"user_version = {_FORMAT}")
        finally:
            self._disconnect()

    def _disconnect(self) -> None:
        connection, self._open = self._open, None
        if connection is not None:
            with _typed_errors():
                connection.close()

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            raise OSError(f"{self.path}: not open")
        return self._open

    def read(self, keys: Sequence[int]) -> list[StoredRow]:
        """Return the rows of `keys` that exist, in any order."""
        listed = f"[{','.join(map(str, keys))}]"
        with _typed_errors():
            return self._connection.execute(_READ, (listed,)).fetchall()

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows in one transaction; a row with the same key is replaced."""
        with self._transaction() as connection:
            connection.executemany(_WRITE, rows)

    def size_bytes(self) -> int:
        """Return the size of the file without its log."""
        return self._figure("page_count") * self._figure("page_size")

    def evict(self, most_bytes: int) -> int:
        """Delete the oldest rows until at most `most_bytes` are used; return the number of rows."""
        total = 0
        while (excess := self._used_bytes() - most_bytes) > 0:
            batch = min(excess // _ROW_BYTES + 1, _EVICTED_ROWS)
            with self._transaction() as connection:
                gone = connection.execute(_EVICT, (batch,)).rowcount
            if not gone:
                break
            total += gone
        self._give_back_pages()
        return total

    def _used_bytes(self) -> int:
        pages = self._figure("page_count") - self._figure("freelist_count")
        return pages * self._figure("page_size")

    def _give_back_pages(self) -> None:
        """Remove free pages from the file, some at a time; other processes can write in between."""
        free = self._figure("freelist_count")
        while free:
            self._pragma(f"incremental_vacuum({_VACUUM_PAGES})")
            free, before = self._figure("freelist_count"), free
            if free >= before:
                break
        self._pragma("wal_checkpoint(TRUNCATE)")

    def _figure(self, name: str) -> int:
        return int(self._pragma(name)[0][0])

    def _pragma(self, text: str) -> list[tuple[int, ...]]:
        with _typed_errors():
            # A vacuum continues only while its rows are fetched.
            return self._connection.execute(f"PRAGMA {text}").fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection
        with _typed_errors():
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


@contextmanager
def _typed_errors() -> Iterator[None]:
    """Raise errors of SQLite as InUse, Damaged or OSError."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
        if code in _IN_USE:
            raise InUse(str(error)) from error
        if code in _DAMAGED:
            raise Damaged(str(error)) from error
        raise OSError(str(error)) from error
