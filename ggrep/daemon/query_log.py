"""Counts and logs the outcomes of requests; records contain only numbers and codes."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded, GgrepError
from ggrep.daemon.admitting import Caller, TimeSpent
from ggrep.daemon.event_log import QueryEvent, QueryStatus
from ggrep.daemon.query_job import LoggedAnswer
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model.operations import bounds_of, operation_of
from ggrep.model.request import Request, SearchRequest
from ggrep.model.slate import SlateRequest


class LoggedRequest(Struct, frozen=True):
    """The logged part of a request.

    Attributes:
        most: maximum number of returned hits, files, definitions or mentions; maximum bytes of an
            expansion.
        per_file: maximum number of hits or pieces of evidence of a file; 0 for no bound.
        snippet: requested amount of each hit's text; empty if the request has no such choice.
    """

    operation: str
    mode: str = ""
    most: int = 0
    per_file: int = 0
    snippet: str = ""


def logged_request(request: Request[Any]) -> LoggedRequest:
    """Return the logged part of a request; a pool request is logged under its query's name."""
    name = operation_of(request).name.removesuffix("_pool")
    bounds = bounds_of(request)
    if isinstance(request, SlateRequest):
        mode, budgets = bounds.mode.value, request.budgets
        return LoggedRequest(
            name, mode, budgets.files, budgets.evidence_per_file, f"{request.level}"
        )
    if isinstance(bounds, SearchRequest):
        return LoggedRequest(
            name, bounds.mode.value, bounds.limit, bounds.per_file, bounds.snippet.value
        )
    return LoggedRequest(name, most=getattr(bounds, "limit", getattr(bounds, "max_bytes", 0)))


def note(
    daemon: StoreDaemon,
    caller: Caller,
    logged: LoggedRequest,
    spent: TimeSpent,
    answer: LoggedAnswer,
) -> None:
    """Count and log an answer."""
    total_ms = daemon.shared.clock.monotonic_ms() - spent.started_ms
    daemon.counters.note("ok", total_ms)
    event = _event(caller, logged, spent, "ok", total_ms)
    daemon.log.query(
        replace(
            event,
            snapshot_id=answer.snapshot_id,
            stages=answer.stages,
            hits=answer.hits,
            limits_hit=tuple(limit.code for limit in answer.limits_hit),
            warnings=tuple(notice.code for notice in answer.warnings),
        )
    )


def note_failure(
    daemon: StoreDaemon,
    caller: Caller,
    logged: LoggedRequest,
    spent: TimeSpent,
    error: BaseException,
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
            status = "cancelled"  # the connection ended
    total_ms = daemon.shared.clock.monotonic_ms() - spent.started_ms
    daemon.counters.note(status, total_ms)
    event = _event(caller, logged, spent, status, total_ms)
    code = error.code if isinstance(error, GgrepError) else None
    daemon.log.query(replace(event, error_code=code or "internal"))


def _event(
    caller: Caller, logged: LoggedRequest, spent: TimeSpent, status: QueryStatus, total_ms: float
) -> QueryEvent:
    waited = spent.admitted.waited_ms if spent.admitted else 0.0
    return QueryEvent(
        request_id=caller.request_id,
        snapshot_id=None,
        client=caller.client,
        lane=caller.lane.value,
        asked=logged.operation,
        mode=logged.mode,
        max_results=logged.most,
        per_file=logged.per_file,
        snippet=logged.snippet,
        stages=(("admission", waited),),
        total_ms=total_ms,
        status=status,
    )
