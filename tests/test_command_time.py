"""When a command began, and the alarm that ends it."""

import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime

import pytest

from ggrep.base import alarm
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.command_time import began_ms, now_ms, process_began_ms
from ggrep.base.errors import DeadlineExceeded
from ggrep.interfaces.cli.terminal import ended_at
from tests.fakes.clocks import ManualClock


@pytest.mark.parametrize(("age_ms", "began"), [(120.0, 880.0), (0.0, 1_000.0), (60_000.0, 1_000.0)])
def test_the_start_of_a_process_counts_unless_it_was_something_else_before(
    age_ms: float, began: float
) -> None:
    """A script that ends in `exec ggrep` is as old as its first line."""
    assert began_ms(1_000.0, age_ms) == began


def test_a_process_began_on_the_scale_of_the_system_clock() -> None:
    """A deadline is made of it."""
    before = SystemClock().monotonic_ms()

    assert before <= now_ms() <= SystemClock().monotonic_ms()
    assert process_began_ms() <= now_ms()


def test_a_deadline_within_another_never_ends_later() -> None:
    """Each step has a time of its own, and all of them the command's."""
    clock = ManualClock(datetime(2031, 2, 3, tzinfo=UTC))
    whole = Deadline.after(clock, 1_000)
    clock.advance(700)

    assert whole.within(200).remaining_ms() == 200
    assert whole.within(500).remaining_ms() == 300
    assert Deadline.never(clock).within(500).remaining_ms() == 500


@pytest.mark.slow
def test_a_step_that_checks_no_deadline_is_ended() -> None:
    """A lock that is never released stands for a disk that hangs."""
    with pytest.raises(DeadlineExceeded), ended_at(Deadline.after(SystemClock(), 1)):
        threading.Event().wait(20)


def test_an_answer_takes_the_alarm_back() -> None:
    """What is printed, or paged, is no part of the time."""
    with ended_at(Deadline.after(SystemClock(), 60_000)):
        pass

    alarm.arm(now_ms() + 60_000)
    alarm.disarm()
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


ALARM_IN_AN_IMPORT = """
import sys
from ggrep.base.alarm import arm
from ggrep.base.command_time import TimeIsUp, now_ms

class Alarm:
    def find_spec(self, name, path=None, target=None):
        if name == "datetime":
            raise TimeIsUp

arm(now_ms() + 60_000)
sys.meta_path.insert(0, Alarm())
import msgspec
class Point(msgspec.Struct):
    line: int
print(msgspec.to_builtins(Point(1)))
"""


def test_an_alarm_cannot_come_in_the_import_that_msgspec_does_not_check() -> None:
    """A value that was written afterwards ended the process by a segmentation fault."""
    line = [sys.executable, "-c", ALARM_IN_AN_IMPORT]
    ran = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "{'line': 1}\n", "")
