"""A limit on the segments that the queries of a process hold open at once."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from msgspec import Struct

from ggrep.base.errors import Busy, InvalidRequest

_RETRY_AFTER_MS: Final = 100


class HandleStatistics(Struct, frozen=True):
    """The state of a budget.

    Attributes:
        open: handles reserved now.
        most: handles reserved at any one time so far.
    """

    open: int
    budget: int
    most: int


class HandleBudget:
    """The handles of one process; requests beyond it are refused at once. Thread-safe."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._open = 0
        self._most = 0
        self._guard = threading.Lock()

    @contextmanager
    def reserve(self, count: int) -> Iterator[None]:
        """Hold `count` handles for the length of the block.

        Raises:
            Busy: others hold too many now.
            InvalidRequest: they would not fit if nobody held any.
        """
        self._take(count)
        try:
            yield
        finally:
            with self._guard:
                self._open -= count

    def statistics(self) -> HandleStatistics:
        """Return what is held now."""
        with self._guard:
            return HandleStatistics(self._open, self._total, self._most)

    def _take(self, count: int) -> None:
        if not 0 <= count <= self._total:
            raise InvalidRequest(f"{count} open handles are outside the budget of {self._total}")
        with self._guard:
            if self._open + count > self._total:
                message = f"{self._open} of {self._total} handles are open, {count} more do not fit"
                raise Busy(message, retry_after_ms=_RETRY_AFTER_MS)
            self._open += count
            self._most = max(self._most, self._open)
