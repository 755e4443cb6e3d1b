"""LanceDB tables that are kept open, each with a connection of its own.

What LanceDB reads of a table's metadata it keeps in the connection's session, by path, up to a
gigabyte: in a session that lasted, each segment that ever was would take room for good. So a
session lives as long as its table is open, and a table no longer than a snapshot that shows it.
"""

from collections import OrderedDict
from collections.abc import Collection
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from ggrep.base.errors import StoreError
from ggrep.base.ids import SegmentName
from ggrep.index.store.lean_import import import_lancedb

if TYPE_CHECKING:
    import lancedb

PANIC: Final = "PanicException"
"""What a panic of the native reader is called; it is no Exception, and cannot be imported."""
MOST_TABLES: Final = 128
"""Of a small table 80 KB are held, with its metadata, of one of 10,000 rows 180."""
_INDEX_BYTES: Final = 0
"""What LanceDB may keep of a table's indexes: ours have none."""


class OpenTables:
    """Opens tables and holds those that were read last. Threads may share it."""

    def __init__(self, most: int = MOST_TABLES) -> None:
        """Hold nothing yet, and never more than `most`."""
        self._most = most
        self._lock = Lock()
        self._held: OrderedDict[tuple[Path, SegmentName], lancedb.table.Table] = OrderedDict()

    def open(self, store: Path, segment: SegmentName) -> "lancedb.table.Table":
        """Return a table; as a segment never changes, an open one is as good as a new one.

        Raises:
            StoreError: the database does not start.
            Exception: whatever LanceDB makes of a table that is missing or damaged.
        """
        key = store, segment
        with self._lock:
            if (held := self._held.get(key)) is not None:
                self._held.move_to_end(key)
                return held
        # Threads may do this at once: the last one's is held.
        table = connect(store).open_table(segment)
        with self._lock:
            self._held[key] = table
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        return table

    def close(self, store: Path, *, but: Collection[SegmentName] = ()) -> None:
        """Let a store's tables go, except some; who reads one of them now reads on."""
        with self._lock:
            for key in [key for key in self._held if key[0] == store and key[1] not in but]:
                del self._held[key]

    def close_all(self) -> None:
        """Let all tables go."""
        with self._lock:
            self._held.clear()

    def __len__(self) -> int:
        """Return how many are open."""
        return len(self._held)


def connect(store: Path) -> "lancedb.DBConnection":
    """Return a connection to a store's tables, with a session of its own.

    Raises:
        StoreError: the database does not start.
    """
    try:
        library = import_lancedb()
        session = library.Session(index_cache_size_bytes=_INDEX_BYTES)
        connection: lancedb.DBConnection = library.connect(str(store), session=session)
    except BaseException as error:
        # A panic below is no `Exception`, though it may only mean that descriptors ran out.
        if type(error).__name__ != PANIC:
            raise
        raise StoreError(f"the database does not start: {error}") from error
    return connection
