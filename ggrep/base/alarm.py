"""The alarm that ends a command at the end of its time, at any step."""

import datetime  # noqa: F401 - see `arm`
import signal
from typing import Final

from ggrep.base.command_time import TimeIsUp, now_ms

_SLACK_MS: Final = 50.0
"""Time after the deadline until the alarm ends a step that does not check it."""


def arm(at_ms: float) -> None:
    """Have `TimeIsUp` raised shortly after a moment; this replaces an earlier alarm.

    Steps check their deadline themselves. The alarm ends those that cannot: imports, locks, files
    on a disk that hangs. msgspec does not check its import of `datetime`: an alarm in it would
    crash the process at the next value that is written. This module imports it before.

    Requires: the main thread.
    """
    signal.signal(signal.SIGALRM, _end)
    left_ms = max(at_ms + _SLACK_MS - now_ms(), 1.0)
    signal.setitimer(signal.ITIMER_REAL, left_ms / 1000.0)


def disarm() -> None:
    """Cancel the alarm."""
    signal.setitimer(signal.ITIMER_REAL, 0.0)


def _end(*_: object) -> None:
    raise TimeIsUp
