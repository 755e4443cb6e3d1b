"""A moment after which no work for a request goes on."""

from dataclasses import dataclass

from ggrep.clock import Clock
from ggrep.errors import DeadlineExceeded


@dataclass(frozen=True, slots=True)
class Deadline:
    """The end of a request's time, on its clock's monotonic scale.

    Attributes:
        at_ms: infinite when the request has no deadline.
    """

    clock: Clock
    at_ms: float

    @classmethod
    def after(cls, clock: Clock, timeout_ms: float) -> "Deadline":
        """Return the deadline `timeout_ms` from now."""
        return cls(clock, clock.monotonic_ms() + timeout_ms)

    @classmethod
    def never(cls, clock: Clock) -> "Deadline":
        """Return a deadline that does not pass."""
        return cls(clock, float("inf"))

    def remaining_ms(self) -> float:
        """Return what is left, never below zero."""
        return max(0.0, self.at_ms - self.clock.monotonic_ms())

    def check(self, stage: str) -> None:
        """Do nothing while there is time left.

        Raises:
            DeadlineExceeded: the deadline has passed; the message names `stage`.
        """
        if self.clock.monotonic_ms() >= self.at_ms:
            raise DeadlineExceeded(f"deadline passed during {stage}")
