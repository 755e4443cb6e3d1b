"""A least-recently-used cache with a budget of bytes."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from msgspec import Struct

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LruStatistics(Struct, frozen=True):
    """How full a store of recent values is, and how often it had what was wanted."""

    entries: int
    size_bytes: int
    found: int
    missed: int


class LruCache(Generic[K, V]):
    """Values by key; the least recently used go first when there are too many bytes of them.

    Threads may share it. A value is handed out as it was put in, so it must not change.
    """

    def __init__(self, most_bytes: int) -> None:
        """Hold nothing yet; with a budget of 0 nothing is ever held."""
        self._most_bytes = most_bytes
        self._held: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._size = 0
        self._found = self._missed = 0
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key; None when it is not held."""
        with self._lock:
            entry = self._held.get(key)
            if entry is None:
                self._missed += 1
                return None
            self._held.move_to_end(key)
            self._found += 1
            return entry[0]

    def put(self, key: K, value: V, size_bytes: int) -> None:
        """Hold a value, unless it alone is larger than the whole budget."""
        with self._lock:
            self._drop(key)
            if size_bytes > self._most_bytes:
                return
            self._held[key] = (value, size_bytes)
            self._size += size_bytes
            while self._size > self._most_bytes:
                self._drop(next(iter(self._held)))

    def clear(self) -> None:
        """Let everything go."""
        with self._lock:
            self._held.clear()
            self._size = 0

    def statistics(self) -> LruStatistics:
        """Return how full it is."""
        with self._lock:
            return LruStatistics(len(self._held), self._size, self._found, self._missed)

    def _drop(self, key: K) -> None:
        entry = self._held.pop(key, None)
        if entry is not None:
            self._size -= entry[1]
