"""The content of one vector file: a SQLite table of entries under 64-bit keys.

Rows are stored in the order in which they were written, with a small index. A batch is thus written
to few pages, and the oldest rows are adjacent pages, which are deleted together.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

WAIT_SECONDS: Final = 0.25
"""Maximum time that an operation on a vector file waits for another process."""
_FORMAT = 1
"""Version of the file. 1: `vectors(id, key, used, entry)`, entries as `vector_cache` packs them."""
_PAGE_BYTES = 4096
_LOG_PAGES = 2000
"""Size of the log at which its content is moved into the file."""
_VACUUM_PAGES = 1000
_EVICTED_ROWS = 4096
_ROW_BYTES = 1024
"""More bytes than most rows have, so that no more rows are evicted at once than necessary."""
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
Found = tuple[object, object, object]
"""A row as it was read: the columns of a damaged row can contain any values."""


class InUse(Exception):
    """Another process blocked the file for longer than the maximum wait."""


class Damaged(Exception):
    """The file is not a database of this format, or is damaged."""


class VectorDatabase:
    """A connection to one file. All its methods raise only InUse, Damaged or OSError."""

    def __init__(self, path: Path) -> None:
        """Connect to the file at `path`, without checking its content."""
        with _told_apart():
            self._connection = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
        self._connection.text_factory = bytes  # damage can turn a number into invalid text
        try:
            self._pragma("synchronous = NORMAL")
            self._pragma(f"wal_autocheckpoint = {_LOG_PAGES}")
            self._pragma(f"journal_size_limit = {_LOG_PAGES * _PAGE_BYTES}")
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(cls, path: Path) -> Self:
        """Connect to a file that `fill_new` completed."""
        database = cls(path)
        try:
            database._require_format()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def fill_new(cls, path: Path) -> None:
        """Turn an empty file into a database without rows; its version is written last."""
        database = cls(path)
        try:
            database._pragma(f"page_size = {_PAGE_BYTES}")
            database._pragma("auto_vacuum = INCREMENTAL")
            database._pragma("journal_mode = WAL")
            with _told_apart():
                database._connection.execute(_TABLE)
            database._pragma(f"user_version = {_FORMAT}")
        finally:
            database.close()

    def close(self) -> None:
        """Disconnect. The last process that disconnects moves the log into the file."""
        with _told_apart():
            self._connection.close()

    def read(self, keys: Sequence[int]) -> list[Found]:
        """Return the existing rows with these keys, in any order."""
        listed = f"[{','.join(map(str, keys))}]"
        with _told_apart():
            return self._connection.execute(_READ, (listed,)).fetchall()

    def write(self, rows: Sequence[Row]) -> None:
        """Append rows, in one transaction; older rows with the same keys are deleted."""
        with self._transaction() as connection:
            connection.executemany(_WRITE, rows)

    def size_bytes(self) -> int:
        """Return the size of the file without its log."""
        return self._figure("page_count") * self._figure("page_size")

    def evict(self, most_bytes: int) -> int:
        """Delete the oldest rows until the file has at most `most_bytes`; return how many."""
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

    def _require_format(self) -> None:
        version = self._figure("user_version")
        if version != _FORMAT:
            raise Damaged(f"format {version} instead of {_FORMAT}")

    def _used_bytes(self) -> int:
        pages = self._figure("page_count") - self._figure("freelist_count")
        return pages * self._figure("page_size")

    def _give_back_pages(self) -> None:
        """Remove free pages from the file, some at a time: other processes can write in between."""
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
        with _told_apart():
            # A vacuum continues only while its rows are fetched.
            return self._connection.execute(f"PRAGMA {text}").fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection
        with _told_apart():
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


@contextmanager
def _told_apart() -> Iterator[None]:
    """Convert errors of SQLite to InUse, Damaged or OSError."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
        if code in _IN_USE:
            raise InUse(str(error)) from error
        if code in _DAMAGED:
            raise Damaged(str(error)) from error
        raise OSError(str(error)) from error
