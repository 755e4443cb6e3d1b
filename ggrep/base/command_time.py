"""The start time of a command, at which its timeout begins.

This module only imports small parts of the standard library, as every search loads it.
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
    """Interrupts the main thread; not an `Exception`, so that no general handler catches it."""


def now_ms() -> float:
    """Return the current time of `SystemClock.monotonic_ms`, without importing datetime."""
    return time.monotonic() * 1000.0  # noqa: TID251 - see above


def process_began_ms() -> float:
    """Return the start time of this process, which precedes Python's, on the scale of `now_ms`.

    A process older than 5 s has done other work before, such as a script that ends in
    `exec ggrep`. For such a process, the current time is returned.
    """
    fields = linux.stat_fields(os.getpid())
    ticks = int(fields[_START_FIELD]) if fields else 0
    age_ms = 1000.0 * (linux.seconds_since_boot() - ticks / os.sysconf("SC_CLK_TCK"))
    return began_ms(now_ms(), age_ms)


def began_ms(moment_ms: float, age_ms: float) -> float:
    """Return the start time of a command whose process is `age_ms` old at `moment_ms`."""
    return moment_ms - (age_ms if 0.0 <= age_ms < _LONGEST_START_MS else 0.0)
