"""Counts and logs how a request ended, as numbers and codes only."""

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded, GgrepError
from ggrep.daemon.admitting import Spent
from ggrep.daemon.caller import Caller
from ggrep.daemon.log_events import Asked, QueryEvent, QueryStatus
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.request import SearchRequest


class Question(Struct, frozen=True):
    """The logged part of a request.

    Attributes:
        asked: the message's name.
        mode: of a search or a slate; empty for others.
        most: most hits, files, definitions or mentions returned; bytes of an expansion.
        per_file: most hits or pieces of evidence of one file; 0 where that is no bound.
        snippet: how much of each hit's text; empty where that is no choice.
    """

    asked: Asked
    mode: str = ""
    most: int = 0
    per_file: int = 0
    snippet: str = ""


class Outcome(Struct, frozen=True):
    """The logged part of an answer.

    Attributes:
        hits: how many hits, files, definitions or mentions it holds.
        stages: name and milliseconds; empty for what is not timed.
    """

    snapshot_id: str
    hits: int
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    stages: tuple[tuple[str, int], ...] = ()


def question_of(asked: Asked, request: SearchRequest) -> Question:
    """Return the logged part of a search."""
    return Question(
        asked, request.mode.value, request.limit, request.per_file, request.snippet.value
    )


def note(
    daemon: StoreDaemon, caller: Caller, question: Question, spent: Spent, outcome: Outcome
) -> None:
    """Count and log an answer."""
    total_ms = daemon.shared.clock.monotonic_ms() - spent.started_ms
    daemon.counters.note("ok", total_ms)
    event = _event(caller, question, spent, "ok", total_ms)
    daemon.log.query(
        replace(
            event,
            snapshot_id=outcome.snapshot_id,
            stages=outcome.stages,
            hits=outcome.hits,
            limits_hit=tuple(limit.code for limit in outcome.limits_hit),
            warnings=tuple(notice.code for notice in outcome.warnings),
        )
    )


def note_failure(
    daemon: StoreDaemon, caller: Caller, question: Question, spent: Spent, error: BaseException
) -> None:
    """Count and log a failure."""
    status: QueryStatus
    match error:
        case Busy():
            status = "busy"
        case DeadlineExceeded():
            status = "timeout"
        case Cancelled():
            status = "cancelled"
        case Exception():
            status = "error"
        case _:
            status = "cancelled"  # the connection went away
    total_ms = daemon.shared.clock.monotonic_ms() - spent.started_ms
    daemon.counters.note(status, total_ms)
    event = _event(caller, question, spent, status, total_ms)
    code = error.code if isinstance(error, GgrepError) else None
    daemon.log.query(replace(event, error_code=code or "internal"))


def _event(
    caller: Caller, question: Question, spent: Spent, status: QueryStatus, total_ms: float
) -> QueryEvent:
    waited = spent.admitted.waited_ms if spent.admitted else 0.0
    return QueryEvent(
        request_id=caller.request_id,
        snapshot_id=None,
        client=caller.client,
        lane=caller.lane.value,
        asked=question.asked,
        mode=question.mode,
        max_results=question.most,
        per_file=question.per_file,
        snippet=question.snippet,
        stages=(("admission", waited),),
        total_ms=total_ms,
        status=status,
    )
