"""The alarm that ends a command when its time is over, whatever it does then."""

import datetime  # noqa: F401 - see `arm`
import signal
from typing import Final

from ggrep.base.command_time import TimeIsUp, now_ms

_SLACK_MS: Final = 50.0
"""Time after the deadline at which a step that does not check it is ended."""


def arm(at_ms: float) -> None:
    """Have `TimeIsUp` raised shortly after a moment, in place of an alarm that was set before.

    Steps check their deadline themselves. The alarm ends those that cannot: imports, locks, files
    on a disk that hangs. msgspec does not check its import of `datetime`: an alarm in it would
    crash the process at the next value that is written. This module imports it before.

    Requires: the main thread.
    """
    signal.signal(signal.SIGALRM, _end)
    left_ms = max(at_ms + _SLACK_MS - now_ms(), 1.0)
    signal.setitimer(signal.ITIMER_REAL, left_ms / 1000.0)


def disarm() -> None:
    """Take back an alarm that was set."""
    signal.setitimer(signal.ITIMER_REAL, 0.0)


def _end(*_: object) -> None:
    raise TimeIsUp
