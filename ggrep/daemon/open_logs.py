"""Which logs of a process are open: the few that were written to last.

Each store has a log, and a process may carry a thousand of them.
"""

from threading import Lock
from typing import Final, Protocol

MOST: Final = 16


class Closable(Protocol):
    """A log that opens itself with the next line after it was closed."""

    def close(self) -> None:
        """Close it; does nothing if it is closed."""
        ...


class OpenLogs:
    """See the module.

    Attributes:
        lock: held by whoever writes to one of them or calls us: the one that is closed for
            another must not be at work.
    """

    def __init__(self, most: int = MOST) -> None:
        """Have none open; `most` of them stay open."""
        self.lock = Lock()
        self._most = most
        self._used: dict[Closable, None] = {}  # the least recently used first

    def use(self, log: Closable) -> None:
        """Close the one that was used least recently if this is one too many."""
        self._used.pop(log, None)
        self._used[log] = None
        if len(self._used) > self._most:
            first = next(iter(self._used))
            del self._used[first]
            first.close()

    def forget(self, log: Closable) -> None:
        """Close one that is used no more."""
        self._used.pop(log, None)
        log.close()
