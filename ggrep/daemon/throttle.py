"""The processor time of a sync, and low-impact mode, which holds it down."""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import psutil

from ggrep.base import linux
from ggrep.base.clock import Clock

SHARE: Final = 0.4
"""Of one core, over the length of a sync. A normal one takes one core and more."""

SAMPLE_MS: Final = 50.0
"""How often the processor time is looked at, at most: looking costs some itself."""

MOST_SLEEP_MS: Final = 2_000.0
"""Of one rest; what is owed beyond it is owed at the next."""

_NICENESS: Final = 10


def step_back() -> None:
    """Lower the scheduling priority of this process and its children, irrevocably.

    Not the idle classes: on a busy machine a writer in one of them would hold its lease without
    being able to renew it.
    """
    with suppress(OSError):
        os.nice(_NICENESS)
    with suppress(OSError):
        linux.run_as_batch()
    with suppress(psutil.Error, OSError, ValueError):
        psutil.Process().ionice(psutil.IOPRIO_CLASS_BE, 7)


class Throttle:
    """Sleeps so that CPU time stays below a share of elapsed time."""

    def __init__(
        self,
        clock: Clock,
        rest: Callable[[float], None],
        cpu_ms: Callable[[], float],
        share: float = SHARE,
    ) -> None:
        """Begin now.

        Args:
            clock: tells how much time passed.
            rest: does nothing for so many milliseconds.
            cpu_ms: returns the processor time used so far.
            share: of one core.
        """
        self._clock = clock
        self._rest = rest
        self._cpu_ms = cpu_ms
        self._share = share
        self._begun_ms = self._looked_ms = clock.monotonic_ms()
        self._used_ms = cpu_ms()

    def keep(self) -> None:
        """Sleep off what is owed; when called often, it mostly returns at once."""
        if self._clock.monotonic_ms() - self._looked_ms >= SAMPLE_MS:
            self._rest_for(min(self.owed_ms(), MOST_SLEEP_MS))
            self._looked_ms = self._clock.monotonic_ms()

    def settle(self) -> None:
        """Sleep until nothing is owed."""
        while (owed_ms := self.owed_ms()) > 0:
            self._rest_for(min(owed_ms, MOST_SLEEP_MS))

    def owed_ms(self) -> float:
        """Return how long to sleep to keep the share; never negative."""
        passed_ms = self._clock.monotonic_ms() - self._begun_ms
        return max(0.0, (self._cpu_ms() - self._used_ms) / self._share - passed_ms)

    def _rest_for(self, milliseconds: float) -> None:
        if milliseconds > 0:
            self._rest(milliseconds)


def cpu_ms() -> float:
    """Return milliseconds of CPU time: of this process, its finished and its running children.

    A child that ends between the two looks is missed or counted twice for a moment.
    """
    own = os.times()
    ended = own.user + own.system + own.children_user + own.children_system
    return 1000.0 * (ended + sum(_running_s(pid) for pid in _children()))


def _running_s(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0  # it ended: it is in our own times now
    return times.user + times.system + times.children_user + times.children_system


def _children() -> list[int]:
    """Return the running children, by pid.

    The kernel lists them for each thread; where it was built without that, all processes of the
    machine are gone through.
    """
    found = linux.children()
    if found is None:
        found = sorted(child.pid for child in psutil.Process().children(recursive=True))
    return found
