"""The alarm that interrupts a command shortly after the command's deadline."""

import datetime  # noqa: F401 - see `arm`
import signal
from typing import Final

from ggrep.base.command_time import TimeIsUp, now_ms

_SLACK_MS: Final = 50.0
"""Time after the deadline until the alarm ends a step that does not check the deadline."""


def arm(at_ms: float) -> None:
    """Raise `TimeIsUp` shortly after the time `at_ms`; this replaces an earlier alarm.

    Most steps check their deadline. The alarm ends steps that cannot check it: imports, locks,
    files on a disk that hangs. msgspec does not check whether its import of `datetime` succeeds: an
    alarm during this import would crash the process later. Therefore this module imports `datetime`
    first.

    Requires: the caller is the main thread.
    """
    signal.signal(signal.SIGALRM, _end)
    left_ms = max(at_ms + _SLACK_MS - now_ms(), 1.0)
    signal.setitimer(signal.ITIMER_REAL, left_ms / 1000.0)


def disarm() -> None:
    """Cancel the alarm."""
    signal.setitimer(signal.ITIMER_REAL, 0.0)


def _end(*_: object) -> None:
    raise TimeIsUp
