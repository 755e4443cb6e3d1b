"""A least-recently-used cache with a limit on bytes."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from msgspec import Struct

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruStatistics(Struct, frozen=True):
    """Size of a cache, and its hits and misses."""

    entries: int
    size_bytes: int
    hits: int
    misses: int


class LruCache(Generic[K, V]):
    """A cache by key; the least recently used values are removed if there are too many bytes.

    Thread-safe. The cache returns the stored object itself, so values must not be modified.
    """

    def __init__(self, most_bytes: int) -> None:
        """Create an empty cache; a limit of 0 disables the cache."""
        self._most_bytes = most_bytes
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._size = 0
        self._hits = self._misses = 0
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key; None if it is not cached."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                self._misses += 1
                return None
            self._entries.move_to_end(key)
            self._hits += 1
            return entry[0]

    def put(self, key: K, value: V, size_bytes: int) -> None:
        """Cache a value, unless it is larger than the limit."""
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
        """Return the size, hits and misses."""
        with self._lock:
            return LruStatistics(len(self._entries), self._size, self._hits, self._misses)

    def _drop(self, key: K) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._size -= entry[1]
