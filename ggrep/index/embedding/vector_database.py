"""The content of one vector file: a SQLite table of entries under 64-bit keys.

Rows lie in the order they were written and a small index finds them, so a batch is written to
few pages, and what was written longest ago is one run of pages that goes at once.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

WAIT_SECONDS: Final = 0.25
"""How long anything about a vector file waits for another process, at most."""
_FORMAT = 1
"""Version of the file. 1: `vectors(id, key, used, entry)`, entries as `vector_cache` packs them."""
_PAGE_BYTES = 4096
_LOG_PAGES = 2000
"""Of the log before it is worked into the file; it is gone when the last one closes the file."""
_VACUUM_PAGES = 1000
_EVICTED_ROWS = 4096
_ROW_BYTES = 1024
"""More than most rows take, so that no more are evicted at once than must go."""
_IN_USE = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_DAMAGED = frozenset(
    {
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_ERROR,  # a table or column that should be there
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
"""The same as it was read: a damaged row may hold anything in any column."""


class InUse(Exception):
    """Another process held the file for longer than it is waited for."""


class Damaged(Exception):
    """The file is no database of this format, or a torn one."""


class VectorDatabase:
    """A connection to one file; all that can go wrong is InUse, Damaged or an OSError."""

    def __init__(self, path: Path) -> None:
        """Connect to the file at `path`, whatever is in it."""
        with _told_apart():
            self._connection = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
        self._connection.text_factory = bytes  # damage may turn a number into what is no text
        try:
            self._pragma("synchronous = NORMAL")
            self._pragma(f"wal_autocheckpoint = {_LOG_PAGES}")
            self._pragma(f"journal_size_limit = {_LOG_PAGES * _PAGE_BYTES}")
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(cls, path: Path) -> Self:
        """Connect to a file that `fill_new` finished."""
        database = cls(path)
        try:
            database._require_format()
        except BaseException:
            database.close()
            raise
        return database

    @classmethod
    def fill_new(cls, path: Path) -> None:
        """Make an empty file a database without rows; its version comes last."""
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
        """Disconnect; the last one works the log into the file."""
        with _told_apart():
            self._connection.close()

    def read(self, keys: Sequence[int]) -> list[Found]:
        """Return the rows of those keys that are there, in no order."""
        listed = f"[{','.join(map(str, keys))}]"
        with _told_apart():
            return self._connection.execute(_READ, (listed,)).fetchall()

    def write(self, rows: Sequence[Row]) -> None:
        """Put rows at the end, in one transaction; those of the same keys go."""
        with self._transaction() as connection:
            connection.executemany(_WRITE, rows)

    def size_bytes(self) -> int:
        """Return the size of the file without its log."""
        return self._figure("page_count") * self._figure("page_size")

    def evict(self, most_bytes: int) -> int:
        """Drop the rows written longest ago until the file is no larger; return how many went."""
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
            raise Damaged(f"file format {version} instead of {_FORMAT}")

    def _used_bytes(self) -> int:
        pages = self._figure("page_count") - self._figure("freelist_count")
        return pages * self._figure("page_size")

    def _give_back_pages(self) -> None:
        """Cut free pages off the file, some at a time: others write in between."""
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
            # A vacuum goes on only while its rows are fetched.
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
    """Raise what SQLite raises as InUse, Damaged or OSError."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_IOERR) & 0xFF
        if code in _IN_USE:
            raise InUse(str(error)) from error
        if code in _DAMAGED:
            raise Damaged(str(error)) from error
        raise OSError(str(error)) from error
