"""When to retry what a sync had to leave open: soon at first, then with growing delays."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

FIRST_MS: Final = 10_000
MOST_MS: Final = 300_000


@dataclass(frozen=True, slots=True)
class Retry:
    """The next try.

    Attributes:
        tries: that left something open, one after another; 0 when nothing is open.
        at_ms: when the next one is due, milliseconds since 1970.
    """

    tries: int = 0
    at_ms: int = 0

    def left_ms(self, now: datetime) -> int | None:
        """Return how long it is until the next try; None when nothing is open."""
        if not self.tries:
            return None
        left = self.at_ms - _ms(now)
        return 0 if left > MOST_MS else max(0, left)  # a clock that was set back holds nothing up

    def is_due(self, now: datetime) -> bool:
        """Tell whether to try what is open."""
        return not self.left_ms(now)


NOTHING_OPEN: Final = Retry()


def following(before: Retry, now: datetime, *, tried: bool) -> Retry:
    """Return when to try again what a sync left open.

    Args:
        before: as it was when the sync began.
        now: when it ended.
        tried: it tried everything that was open.
    """
    if before.tries and not tried:
        return before
    wait_ms = min(FIRST_MS << min(before.tries, 16), MOST_MS)
    return Retry(before.tries + 1, _ms(now) + wait_ms)


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
