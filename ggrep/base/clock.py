"""Time as a value: the only module that reads the machine's clock."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where a module gets its time from."""

    def now(self) -> datetime:
        """Return the current moment in UTC."""
        ...

    def monotonic_ms(self) -> float:
        """Return milliseconds that never run backwards."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        """Return the current moment in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - this module is the owner

    def monotonic_ms(self) -> float:
        """Return milliseconds since an arbitrary start."""
        return time.monotonic() * 1000.0  # noqa: TID251 - this module is the owner


class ThreadClock(SystemClock):
    """Processor time of the thread that asks: what others compute does not move it on."""

    def monotonic_ms(self) -> float:
        """Return the milliseconds that this thread has computed."""
        return time.thread_time() * 1000.0


def rfc3339(moment: datetime) -> str:
    """Return `moment` (UTC) as RFC 3339 with whole seconds and a `Z`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
