"""A cache of values that are computed from immutable data, with typed keys."""

from typing import Generic, TypeVar, cast

T = TypeVar("T")


class CacheKey(Generic[T]):
    """The key of a value of type T in any `Cache`; it equals no other key."""

    __slots__ = ()


class Cache:
    """A thread-safe cache of values by key."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[object, object] = {}

    def get(self, key: CacheKey[T]) -> T | None:
        """Return the value of `key`; None if no value is stored."""
        return cast("T | None", self._values.get(key))  # only `keep` stores values

    def keep(self, key: CacheKey[T], value: T) -> T:
        """Store a value unless the key has a value; return the stored value.

        If several threads compute the value at the same time, all get the first stored value.
        """
        return cast("T", self._values.setdefault(key, value))
