"""Jobs, outcomes and errors survive the way through a pipe."""

import io
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import (
    BudgetExceeded,
    Busy,
    Cancelled,
    DeadlineExceeded,
    GgrepError,
    InvalidRequest,
    SyncRefused,
)
from ggrep.base.stable_json import Json
from ggrep.daemon.sync_state import UNTOUCHED, SyncState, advanced, begun, ended
from ggrep.daemon.sync_work import ProgressWriter
from ggrep.model.limits import Notice
from ggrep.model.sync import (
    Compacted,
    SyncFailed,
    SyncJob,
    SyncOutcome,
    SyncProgress,
    error_from,
    error_json,
    job_from,
    job_json,
    outcome_from,
    outcome_json,
    priority_from,
    priority_line,
)
from tests.fakes.clocks import ManualClock


def through_a_pipe(document: Json) -> object:
    return stable_json.loads(stable_json.dumps(document))


def test_a_job_comes_through() -> None:
    """A field that is lost is a sync that does something else; paths are bytes, not text."""
    job = SyncJob(
        Path("/a b/ü/caf\udce9"),
        Path("/home"),
        environ=MappingProxyType({"GGREP_ENCODER": "none", "GGREP_HOME": "/\udcff"}),
        flags=MappingProxyType({"parse_workers": 1, "encoder": None}),
        store_id="s",
        allow_degraded=True,
        fresh=True,
        low_impact=True,
        upkeep=False,
        deadline_ms=5,
        abreast=2,
    )

    assert job_from(through_a_pipe(job_json(job))) == job  # type: ignore[arg-type] # any JSON


def test_a_wish_comes_through_and_is_no_job() -> None:
    job = stable_json.dumps({"job_id": "1", **job_json(SyncJob(Path("/r"), Path("/h")))})

    assert priority_from(priority_line("s", ["a.py", "ü.py"])) == ("s", ("a.py", "ü.py"))
    assert priority_from(job) is None


def test_an_outcome_comes_through() -> None:
    """Status and metrics are made of it."""
    outcome = SyncOutcome(
        *("store", "s1", True, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
        notices=(Notice("code", "message", "a.py"), Notice("other", "words")),
        duration_ms=11,
        cpu_ms=12,
        compaction=Compacted("8 segments", "s2", 8, 1, 13),
        collected_bytes=14,
    )

    assert outcome_from(through_a_pipe(outcome_json(outcome))) == outcome


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Busy("held", retry_after_ms=9), Busy),
        (DeadlineExceeded("late"), DeadlineExceeded),
        (Cancelled("enough"), Cancelled),
        (InvalidRequest("no such key"), SyncFailed),
        (BudgetExceeded("full"), SyncFailed),
        (SyncRefused(("a.py: unreadable",)), SyncFailed),
    ],
)
def test_an_error_keeps_code_and_message(error: GgrepError, kind: type[GgrepError]) -> None:
    """Clients act on the code."""
    came = error_from(through_a_pipe(error_json(error)))  # type: ignore[arg-type] # any JSON

    assert type(came) is kind
    assert (came.code, str(came)) == (error.code, str(error))


def test_a_bug_in_the_worker_is_an_internal_error_with_a_message() -> None:
    """An empty message would explain nothing; the name of a file in it may be any bytes."""
    assert error_json(KeyError()) == {"code": "internal", "message": "KeyError"}

    reported = through_a_pipe(error_json(SyncRefused(("caf\udce9.py: unreadable",))))

    assert isinstance(reported, dict)
    assert reported["message"].startswith(r"caf\udce9.py: unreadable")


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
    stages = [output["progress"]["stage"] for output in host.heard()]

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


NOW = datetime(2026, 1, 2, tzinfo=UTC)


def at(trigger: str, stage: str = "scan", before: SyncState = UNTOUCHED) -> SyncState:
    return advanced(begun(before, NOW, trigger), SyncProgress(stage, 0, 0, 0))


@pytest.mark.parametrize("trigger", ["start", "asked", "look", "retry", "quiet", "reconcile"])
def test_a_sync_that_only_makes_sure_is_no_sign_of_changes(trigger: str) -> None:
    """Else answers would warn every few minutes though nothing was touched."""
    assert not at(trigger).behind
    assert not at(trigger, "compare").behind


@pytest.mark.parametrize(
    "state", [at("change"), at("reconcile", "index"), at("look", "publish"), at("asked", "index")]
)
def test_known_changes_are_behind(state: SyncState) -> None:
    """Being taken up, or found by a sync that made sure."""
    assert state.behind


@pytest.mark.parametrize("error", [SyncFailed("no room"), Cancelled("stop")])
def test_changes_that_a_sync_found_are_behind_until_one_publishes(error: GgrepError) -> None:
    """That it failed did not bring the index up to date, nor does the next one's beginning."""
    failed = ended(at("change", "index"), NOW, 1, error, stopped=isinstance(error, Cancelled))

    assert failed.behind
    assert at("retry", before=failed).behind
    assert not at("retry", "upkeep", before=failed).behind


def test_a_store_at_rest_is_not_behind() -> None:
    assert not UNTOUCHED.behind
    assert not SyncState(trigger="change", last_result="ok").behind


def test_a_failure_is_told_without_absolute_paths() -> None:
    """Answers repeat it, and go elsewhere."""
    error = SyncFailed("/home/me/.ggrep/config.toml: key: unknown\x1b[2J", code="invalid_request")
    failed = ended(at("look"), NOW, 1, error, stopped=False)

    assert failed.last_error == "invalid_request: config.toml: key: unknown"
