"""Time that tests tell."""

from datetime import datetime, timedelta


class ManualClock:
    """A clock that moves only when told to."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._monotonic_ms = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic_ms(self) -> float:
        """Return the milliseconds advanced so far."""
        return self._monotonic_ms

    def advance(self, milliseconds: float) -> None:
        self._monotonic_ms += milliseconds
        self._now += timedelta(milliseconds=milliseconds)
