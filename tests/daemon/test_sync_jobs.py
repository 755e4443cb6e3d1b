"""Jobs, outcomes and errors survive the way through a pipe."""

from pathlib import Path
from types import MappingProxyType

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
from ggrep.model.limits import Notice
from ggrep.model.sync import (
    Compacted,
    SyncFailed,
    SyncJob,
    SyncOutcome,
    error_from,
    error_json,
    job_from,
    job_json,
    outcome_from,
    outcome_json,
    priority_from,
    priority_line,
)


def through_a_pipe(document: Json) -> object:
    """Return what the other side reads."""
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
    """They share a pipe."""
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

    told = through_a_pipe(error_json(SyncRefused(("caf\udce9.py: unreadable",))))

    assert isinstance(told, dict)
    assert told["message"].startswith(r"caf\udce9.py: unreadable")
