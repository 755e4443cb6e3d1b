"""The moment at which a command began: its time limit counts from there.

The standard library alone, and as little of it as can be: every plain search loads this.
"""

import os
import time

from ggrep.base import linux

_START_FIELD = 19
"""Place of the start time among the fields that the kernel tells of a process, in clock ticks."""

_LONGEST_START_MS = 5_000.0


LATE = "the daemon did not answer in time"
OVER = "the time ended before there was an answer"


class TimeIsUp(KeyboardInterrupt):
    """Raised by the alarm wherever the main thread is; no handler of errors takes it for one."""


def now_ms() -> float:
    """Return this moment as `SystemClock.monotonic_ms` does, without loading datetime."""
    return time.monotonic() * 1000.0  # noqa: TID251 - see above


def process_began_ms() -> float:
    """Return when this process began, on the scale of `now_ms`; the interpreter's start counts.

    A process that is older than a start can take did something else before, such as a script that
    ends in `exec ggrep`: then the command begins now.
    """
    fields = linux.stat_fields(os.getpid())
    ticks = int(fields[_START_FIELD]) if fields else 0
    age_ms = 1000.0 * (linux.seconds_since_boot() - ticks / os.sysconf("SC_CLK_TCK"))
    return began_ms(now_ms(), age_ms)


def began_ms(moment_ms: float, age_ms: float) -> float:
    """Return when a command began whose process has this age at a moment."""
    return moment_ms - (age_ms if 0.0 <= age_ms < _LONGEST_START_MS else 0.0)
