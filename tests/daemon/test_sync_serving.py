"""What the worker says is whole, not too often, and never about a job that ended."""

import io
from datetime import UTC, datetime
from typing import Any

from ggrep.base import stable_json
from ggrep.daemon.sync_work import ProgressWriter
from tests.fakes.clocks import ManualClock


class Host:
    """Hears a worker whose clock and processor time the test moves."""

    def __init__(self) -> None:
        self.clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.cpu_ms = 500.0
        self._heard = io.BytesIO()
        self.telling = ProgressWriter(self._heard, self.clock, lambda: self.cpu_ms)

    def heard(self) -> list[dict[str, Any]]:
        return [stable_json.loads(line) for line in self._heard.getvalue().splitlines()]


def test_progress_within_a_stage_is_told_ten_times_a_second_at_most() -> None:
    """Fifty thousand files must not become fifty thousand messages; a new stage is told at once."""
    host = Host()
    host.telling.begin("1")
    for number in range(1_000):
        host.telling.progress("index", number, 1_000)
        host.clock.advance(1)
    host.telling.progress("publish", 0, 0)
    stages = [said["progress"]["stage"] for said in host.heard()]

    assert stages == ["scan"] + ["index"] * 10 + ["publish"]


def test_processor_time_is_counted_from_the_beginning_of_the_job() -> None:
    """The worker has lived before it."""
    host = Host()
    host.telling.begin("1")
    host.cpu_ms += 120
    host.telling.progress("index", 1, 2)

    assert host.heard()[1] == {
        "job_id": "1",
        "progress": {"stage": "index", "done_files": 1, "total_files": 2, "cpu_ms": 120},
    }


def test_a_long_stage_shows_that_it_works_and_a_hanging_one_does_not() -> None:
    """A compaction says nothing for minutes and must not be killed for it."""
    host = Host()
    host.telling.begin("1")
    host.telling.pulse()
    assert len(host.heard()) == 1
    host.cpu_ms += 1_000
    host.telling.pulse()
    host.telling.pulse()

    assert len(host.heard()) == 2


def test_nothing_is_said_of_a_job_that_ended() -> None:
    """The next word would be taken for an answer to the next job."""
    host = Host()
    host.telling.begin("1")
    host.telling.end(error={"code": "busy", "message": "held"})
    host.cpu_ms += 1_000
    host.telling.pulse()

    assert host.heard()[-1] == {"job_id": "1", "error": {"code": "busy", "message": "held"}}
