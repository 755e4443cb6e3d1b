"""Answers every question beside searches: once, from one snapshot."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import to_builtins

from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError
from ggrep.base.stable_json import Document, Json
from ggrep.daemon.admitting import (
    first_snapshot,
    is_published,
    spent_from_now,
    worked,
    worked_with,
)
from ggrep.daemon.caller import Caller
from ggrep.daemon.daemon_notices import with_warnings
from ggrep.daemon.hint_checks import scope_of
from ggrep.daemon.pool_memory import RememberedPool, remembered
from ggrep.daemon.query_log import logged_answer, logged_request, note, note_failure
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model.operations import bounded, bounds_of, loaded, operation_of
from ggrep.model.request import PoolRequest, SearchRequest, can_scan
from ggrep.protocol.wire.message_types import Ask, Fetch
from ggrep.render.printed import Rendered

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

Printer: TypeAlias = Callable[[Any], Rendered]
"""Returns what is printed of an answer."""


async def ask(
    daemon: StoreDaemon, caller: Caller, message: Ask[Any], printed: Printer | None = None
) -> Document:
    """Answer a question with the document, the answer itself, or what is printed of it.

    Raises:
        GgrepError: there is no answer.
    """
    request = message.request
    if message.path:
        request = bounded(request, scope=scope_of(daemon, message.path))
    operation, bounds = operation_of(request), bounds_of(request)
    spent, logged = spent_from_now(daemon), logged_request(request)
    deadline = caller.deadline(daemon, bounds.timeout_ms)
    if isinstance(bounds, SearchRequest):
        await _begin_with(daemon, caller, deadline, bounds)

    def work(engine: "Engine") -> tuple[Any, Document]:
        answer: Any = engine.ask(
            request, deadline, request_id=caller.request_id, admitted=spent.admitted
        )
        answer = with_warnings(daemon, answer, deterministic=bounds.deterministic)
        if printed is not None:
            return answer, {"rendered": printed(answer).document()}
        if message.values:
            return answer, {"value": to_builtins(answer)}
        return answer, {"response": loaded(operation.document)(answer)}

    try:
        await first_snapshot(daemon, deadline)
        spent.started_ms = daemon.shared.clock.monotonic_ms()
        answer, body = await worked(daemon, caller, deadline, spent, work)
    except BaseException as error:
        note_failure(daemon, caller, logged, spent, error)
        raise
    note(daemon, caller, logged, spent, logged_answer(answer, operation))
    return body


async def _begin_with(
    daemon: StoreDaemon, caller: Caller, deadline: Deadline, request: SearchRequest
) -> None:
    """Let the first index, if there is none yet, start with the files a slate is about.

    The slate itself reports what goes wrong.
    """
    if is_published(daemon) or not can_scan(request):
        return
    with suppress(GgrepError):
        answer = await worked_with(
            daemon.scanner,
            daemon,
            caller,
            deadline,
            spent_from_now(daemon),
            lambda scanner: scanner.scan(request, deadline),
        )
        if answer.provenance.scan is not None:
            daemon.wish(answer.provenance.scan.best)


async def fetch(daemon: StoreDaemon, caller: Caller, message: Fetch[Any]) -> Document:
    """Answer a coordinator with what it merges."""
    request, spent = message.request, spent_from_now(daemon)
    operation, logged = operation_of(request), logged_request(request)
    deadline = caller.deadline(daemon, bounds_of(request).timeout_ms)

    def work(engine: "Engine") -> tuple[Any, Json]:
        if isinstance(request, PoolRequest):
            lists = _lists(daemon, engine, request, deadline)
            return lists.pool, lists.document
        answer = engine.ask(request, deadline)
        return answer, to_builtins(answer)

    try:
        answer, document = await worked(daemon, caller, deadline, spent, work)
    except BaseException as error:
        if operation.count:
            note_failure(daemon, caller, logged, spent, error)
        raise
    if operation.count:
        note(daemon, caller, logged, spent, logged_answer(answer, operation))
    return {operation.reply_key: document}


def _lists(
    daemon: StoreDaemon, engine: "Engine", request: PoolRequest, deadline: Deadline
) -> RememberedPool:
    """Return ranked lists, from the cache where the snapshot was asked for the same before."""
    view, memory = engine.view(deadline), daemon.pools
    if view.notices or request.session:  # notices are of this moment, and sessions end
        return remembered(engine.ask(request, deadline))
    cached = memory.get(view.manifest.snapshot_id, request)
    return cached or memory.put(request, engine.ask(request, deadline))
