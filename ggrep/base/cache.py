"""What is worked out once of something that never changes, under keys that know its type."""

from collections.abc import Callable
from typing import Generic, TypeVar, cast

T = TypeVar("T")


class CacheKey(Generic[T]):
    """Stands for one value of type T in any `Cache`; it equals no other key."""

    __slots__ = ()


class Cache:
    """Values by their keys. Threads may share it."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._values: dict[object, object] = {}

    def get(self, key: CacheKey[T], make: Callable[[], T]) -> T:
        """Return the value of `key`, made now where there is none.

        Threads that come at once may each make one; all get the same.
        """
        if key not in self._values:
            self._values.setdefault(key, make())
        return cast("T", self._values[key])  # nothing but `make` of this key's type put it there
