"""The moment at which a command began: its time limit counts from there.

This module imports only small parts of the standard library: every plain search loads it.
"""

import os
import time

from ggrep.base import linux

_START_FIELD = 19
"""Index of the start time in the fields of `linux.stat_fields`, in clock ticks."""

_LONGEST_START_MS = 5_000.0


LATE = "the daemon did not answer in time"
OVER = "the timeout passed before there was an answer"


class TimeIsUp(KeyboardInterrupt):
    """Raised by the alarm anywhere in the main thread; no handler of `Exception` catches it."""


def now_ms() -> float:
    """Return this moment as `SystemClock.monotonic_ms` does, without loading datetime."""
    return time.monotonic() * 1000.0  # noqa: TID251 - see above


def process_began_ms() -> float:
    """Return the start of this process, on the scale of `now_ms`; it includes the interpreter's.

    A process that is older than any start can take did other work before, such as a script that
    ends in `exec ggrep`: then the command begins now.
    """
    fields = linux.stat_fields(os.getpid())
    ticks = int(fields[_START_FIELD]) if fields else 0
    age_ms = 1000.0 * (linux.seconds_since_boot() - ticks / os.sysconf("SC_CLK_TCK"))
    return began_ms(now_ms(), age_ms)


def began_ms(moment_ms: float, age_ms: float) -> float:
    """Return the start of a command whose process has this age at a moment."""
    return moment_ms - (age_ms if 0.0 <= age_ms < _LONGEST_START_MS else 0.0)
