"""A cache of values derived from something immutable, under typed keys."""

from typing import Generic, TypeVar, cast

T = TypeVar("T")


class CacheKey(Generic[T]):
    """The key of a value of type T in any `Cache`; it equals no other key."""

    __slots__ = ()


class Cache:
    """Values by their keys. Thread-safe."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[object, object] = {}

    def get(self, key: CacheKey[T]) -> T | None:
        """Return the value of `key`; None if there is none."""
        return cast("T | None", self._values.get(key))  # only `keep` puts it there

    def keep(self, key: CacheKey[T], value: T) -> T:
        """Store a value unless there is one, and return the stored one.

        Threads may each compute a value at the same time; all get the same one.
        """
        return cast("T", self._values.setdefault(key, value))
