"""Low impact: processor time stays a share of the time that passes."""

import subprocess
import sys
from datetime import UTC, datetime

import pytest

from ggrep.daemon.sync_work import MOST_SLEEP_MS, Throttle, cpu_ms
from tests.fakes.clocks import ManualClock


class Machine:
    """Works and rests; both take time, and only work takes processor time."""

    def __init__(self) -> None:
        self.clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.used_ms = 0.0
        self.looks = 0
        self.longest_ms = 0.0

    def work(self, milliseconds: float, cores: float = 1.0) -> None:
        self.clock.advance(milliseconds)
        self.used_ms += cores * milliseconds

    def rest(self, milliseconds: float) -> None:
        self.longest_ms = max(self.longest_ms, milliseconds)
        self.clock.advance(milliseconds)

    def cpu_ms(self) -> float:
        self.looks += 1
        return self.used_ms

    def pace(self, share: float) -> Throttle:
        return Throttle(self.clock, self.rest, self.cpu_ms, share)


def test_a_steady_worker_gets_its_share_and_no_more() -> None:
    """Two cores of work are thinned out as well as one."""
    machine = Machine()
    pace = machine.pace(0.4)
    for number in range(500):
        machine.work(10, cores=1 + number % 2)
        pace.keep()
    pace.settle()

    assert machine.used_ms / machine.clock.monotonic_ms() == pytest.approx(0.4)


def test_processor_time_is_looked_at_every_50_ms_at_most() -> None:
    """Looking costs some itself, and a sync of small files calls often."""
    machine = Machine()
    pace = machine.pace(0.4)
    for _ in range(1_000):
        machine.work(1, cores=0.1)
        pace.keep()

    assert machine.looks <= 1 + 1_000 / 50


def test_a_long_debt_is_paid_in_parts() -> None:
    """Whoever watches the progress should see a sign of life."""
    machine = Machine()
    pace = machine.pace(0.4)
    machine.work(60_000)
    pace.settle()

    assert machine.longest_ms == MOST_SLEEP_MS
    assert machine.clock.monotonic_ms() == pytest.approx(150_000)


def test_who_used_little_never_rests() -> None:
    """A sync that finds nothing is not made slower."""
    machine = Machine()
    pace = machine.pace(0.4)
    machine.work(1_000, cores=0.2)
    pace.keep()
    pace.settle()

    assert machine.clock.monotonic_ms() == 1_000


_WORK = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"


@pytest.mark.slow
@pytest.mark.parametrize("ended", [True, False])
def test_what_a_child_uses_is_counted(ended: bool) -> None:
    """Parsing is done by children; who leaves them out paces the wrong process."""
    waiting = "" if ended else "import sys; sys.stdout.write('x'); sys.stdout.flush(); input()"
    before = cpu_ms()
    with subprocess.Popen(
        [sys.executable, "-c", _WORK + waiting], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.read(1)
        if ended:
            child.wait()
        used = cpu_ms() - before
        child.kill()

    assert 150 <= used <= 2_000
