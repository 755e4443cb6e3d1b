"""Clocks, and deadlines after which the work for a request stops."""

import time
from datetime import UTC, datetime
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import Cancelled, DeadlineExceeded


class Clock(Protocol):
    """A source of time."""

    def now(self) -> datetime:
        """Return the current moment in UTC."""
        ...

    def monotonic_ms(self) -> float:
        """Return a time in milliseconds that never decreases."""
        ...


class SystemClock:
    """The clocks of the machine."""

    def now(self) -> datetime:
        """Return the current moment in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - this module is the owner

    def monotonic_ms(self) -> float:
        """Return milliseconds since an arbitrary start."""
        return time.monotonic() * 1000.0  # noqa: TID251 - this module is the owner


class ThreadClock(SystemClock):
    """Processor time of the calling thread; other threads do not advance this clock."""

    def monotonic_ms(self) -> float:
        """Return the processor time of this thread in milliseconds."""
        return time.thread_time() * 1000.0


def rfc3339(moment: datetime) -> str:
    """Return `moment` (UTC) as RFC 3339 with whole seconds and a `Z`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Stop:
    """A signal to another thread to stop its work; the signal cannot be withdrawn."""

    __slots__ = ("_reason",)

    def __init__(self) -> None:
        self._reason: str | None = None

    @property
    def reason(self) -> str | None:
        """Return the reason to end the work; None while it may continue."""
        return self._reason

    def set(self, reason: str) -> None:
        """Request the end of the work at its next step; the first reason is kept."""
        if self._reason is None:
            self._reason = reason


class Deadline(Struct, frozen=True):
    """The end of a request's time, on the monotonic scale of `clock`.

    Attributes:
        at_ms: end of the time; infinite if the request has no deadline.
        stop: signal that ends the request earlier; None if the request cannot be stopped.
    """

    clock: Clock
    at_ms: float
    stop: Stop | None = None

    @classmethod
    def after(cls, clock: Clock, timeout_ms: float, stop: Stop | None = None) -> "Deadline":
        """Return a deadline `timeout_ms` from now."""
        return cls(clock, clock.monotonic_ms() + timeout_ms, stop)

    @classmethod
    def never(cls, clock: Clock) -> "Deadline":
        """Return a deadline that does not pass."""
        return cls(clock, float("inf"))

    def remaining_ms(self) -> float:
        """Return the remaining milliseconds, never below zero."""
        return max(0.0, self.at_ms - self.clock.monotonic_ms())

    def within(self, timeout_ms: float) -> "Deadline":
        """Return the deadline `timeout_ms` from now, or this deadline if it is earlier."""
        return replace(self, at_ms=min(self.at_ms, self.clock.monotonic_ms() + timeout_ms))

    def next_ms(self) -> float:
        """Return the remaining time as the timeout of the next query, at least one millisecond."""
        left_ms = self.remaining_ms()
        if left_ms < 1.0:
            raise DeadlineExceeded("the timeout passed while earlier queries were answered")
        return left_ms

    def check(self, stage: str) -> None:
        """Raise if no time is left.

        Raises:
            Cancelled: the request was ended; the message is the reason.
            DeadlineExceeded: the deadline has passed; the message names `stage`.
        """
        if self.stop is not None and self.stop.reason is not None:
            raise Cancelled(self.stop.reason)
        if self.clock.monotonic_ms() >= self.at_ms:
            raise DeadlineExceeded(f"deadline passed during {stage}")
