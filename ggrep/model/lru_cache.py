"""A least-recently-used cache with a budget of bytes."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from msgspec import Struct

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruStatistics(Struct, frozen=True):
    """Fill level of a cache, and its hits and misses."""

    entries: int
    size_bytes: int
    found: int
    missed: int


class LruCache(Generic[K, V]):
    """Values by key; the least recently used go first when there are too many bytes of them.

    Threads may share it. A value is handed out as it was put in, so it must not change.
    """

    def __init__(self, most_bytes: int) -> None:
        """Start empty; with a budget of 0 the cache stays empty."""
        self._most_bytes = most_bytes
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._size = 0
        self._hits = self._misses = 0
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key; None when it is not cached."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                self._misses += 1
                return None
            self._entries.move_to_end(key)
            self._hits += 1
            return entry[0]

    def put(self, key: K, value: V, size_bytes: int) -> None:
        """Cache a value, unless it alone is larger than the whole budget."""
        with self._lock:
            self._drop(key)
            if size_bytes > self._most_bytes:
                return
            self._entries[key] = (value, size_bytes)
            self._size += size_bytes
            while self._size > self._most_bytes:
                self._drop(next(iter(self._entries)))

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._entries.clear()
            self._size = 0

    def statistics(self) -> LruStatistics:
        """Return the fill level, hits and misses."""
        with self._lock:
            return LruStatistics(len(self._entries), self._size, self._hits, self._misses)

    def _drop(self, key: K) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._size -= entry[1]
