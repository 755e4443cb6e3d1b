"""Answers searches, and a coordinator's questions about a repository.

Each goes the same way: admitted, given a core, worked in a thread that looks at its deadline.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from anyio import to_thread
from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base.deadline import Deadline
from ggrep.base.errors import IndexDamaged, NoIndex
from ggrep.base.stable_json import Document
from ggrep.daemon.admitting import (
    Spent,
    bring_back,
    first_snapshot,
    is_published,
    is_sparse,
    spent_from_now,
    worked,
    worked_with,
)
from ggrep.daemon.caller import Caller
from ggrep.daemon.daemon_notices import with_warnings
from ggrep.daemon.hint_checks import check_claim, scope_of
from ggrep.daemon.query_log import logged_answer, logged_request, note, note_failure
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model.operations import operation_of
from ggrep.model.request import SearchRequest, can_scan
from ggrep.model.response import QueryResponse
from ggrep.model.scope import keys_of_scope
from ggrep.protocol.wire.message_types import Describe, Encode, Search, TermStats
from ggrep.render.printed import render_answer
from ggrep.render.query_json import query_success

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

T = TypeVar("T")
Body = Document


async def search(daemon: StoreDaemon, caller: Caller, message: Search) -> Body:
    """Answer a search: with its document, the response itself, or rendered output."""
    request, spent = message.request, spent_from_now(daemon)
    asked_ms = spent.started_ms - message.waited_ms
    if message.path:
        request = replace(request, scope=scope_of(daemon, message.path))
    deadline = caller.deadline(daemon, request.timeout_ms)
    if message.claim is not None:
        await check_claim(daemon, message.claim, *(keys_of_scope(request.scope) or ("",)))

    def work(ask: Callable[..., QueryResponse]) -> tuple[QueryResponse, Body]:
        response = ask(
            request,
            deadline,
            budgets=dict(message.budgets),
            request_id=caller.request_id,
            admitted=spent.admitted,
        )
        response = with_warnings(daemon, response, deterministic=request.deterministic)
        return response, _body(daemon, response, message)

    try:
        if message.claim is None:
            scans = await _must_scan(daemon, request, deadline, spent)
        else:
            scans = False
            await _require_index(daemon, request)
        opened = partial(_scan_of if scans else _search_of, daemon, asked_ms)
        response, body = await worked_with(opened, daemon, caller, deadline, spent, work)
    except BaseException as error:
        if message.claim is None or not isinstance(error, NoIndex):
            note_failure(daemon, caller, logged_request(request), spent, error)
        raise
    if response.provenance.scan is not None:
        daemon.wish(response.provenance.scan.best)
    daemon.counters.note_work(response.segments, response.timings_ms)
    answer = logged_answer(response, operation_of(request))
    note(daemon, caller, logged_request(request), spent, answer)
    return body


def _body(daemon: StoreDaemon, response: QueryResponse, message: Search) -> Body:
    """Return the answer in the requested form."""
    if message.render is not None:
        rendered = render_answer(response, daemon.identity.root, message.render)
        return {"rendered": rendered.document()}
    if message.values:
        return {"value": to_builtins(response)}
    return {"response": query_success(response)}


def _search_of(daemon: StoreDaemon, asked_ms: float) -> Callable[..., QueryResponse]:
    """Return a function that answers a search from the index; by a scan where no snapshot can."""
    search = daemon.engine().search

    def ask(request: SearchRequest, deadline: Deadline, **more: Any) -> QueryResponse:  # noqa: ANN401 - handed on
        try:
            return search(request, deadline, **more)
        except (NoIndex, IndexDamaged) as error:
            if not can_scan(request):
                raise
            scan = daemon.scanner(str(error) if isinstance(error, IndexDamaged) else "").scan
            return scan(request, deadline, asked_ms=asked_ms, **more)

    return ask


def _scan_of(daemon: StoreDaemon, asked_ms: float) -> Callable[..., QueryResponse]:
    """Return a function that answers a search, asked at that moment, by a scan."""
    return partial(daemon.scanner().scan, asked_ms=asked_ms)


async def _must_scan(
    daemon: StoreDaemon, request: SearchRequest, deadline: Deadline, spent: Spent
) -> bool:
    """Return whether a scan is to answer, as little is published; what it cannot is waited for."""
    if can_scan(request):
        if not is_published(daemon):
            bring_back(daemon)
            return True
        return await _is_sparse(daemon)
    await first_snapshot(daemon, deadline)
    # How long a first index takes is told by its sync; it makes no search slow.
    spent.started_ms = daemon.shared.clock.monotonic_ms()
    return False


async def _require_index(daemon: StoreDaemon, request: SearchRequest) -> None:
    """Raise where a scan would answer: a client that came by a hint asks again, and shows progress.

    Raises:
        NoIndex: there is no index, or little of one.
    """
    if can_scan(request) and await _is_sparse(daemon):
        raise NoIndex("there is no index yet, or little of one")


async def _is_sparse(daemon: StoreDaemon) -> bool:
    # Requests keep their order where no thread is asked.
    return not daemon.whole and await to_thread.run_sync(
        is_sparse, daemon, limiter=daemon.shared.threads
    )


async def describe(daemon: StoreDaemon, caller: Caller, message: Describe) -> Body:
    """Answer with the facts that a coordinator needs first."""
    deadline = caller.deadline(daemon, message.timeout_ms)
    found = await _plainly(daemon, caller, deadline, lambda engine: engine.describe(deadline))
    return {"description": to_builtins(daemon.described(found))}


async def term_stats(daemon: StoreDaemon, caller: Caller, message: TermStats) -> Body:
    """Answer with the active snapshot and its statistics for a query's terms."""
    deadline = caller.deadline(daemon, message.request.timeout_ms)
    snapshot_id, figures = await _plainly(
        daemon,
        caller,
        deadline,
        lambda engine: engine.term_stats(message.request, deadline, message.snapshot_id),
    )
    return {"snapshot_id": snapshot_id, "statistics": to_builtins(figures)}


async def encode(daemon: StoreDaemon, caller: Caller, message: Encode) -> Body:
    """Answer with a query's vector; null without an encoder."""
    deadline = caller.deadline(daemon, message.timeout_ms)
    found = await _plainly(
        daemon, caller, deadline, lambda engine: engine.encode(message.text, deadline)
    )
    return {"vector": None} if found is None else {"vector": to_builtins(found)}


async def _plainly(
    daemon: StoreDaemon, caller: Caller, deadline: Deadline, work: Callable[["Engine"], T]
) -> T:
    spent = spent_from_now(daemon)
    return await worked(daemon, caller, deadline, spent, work)
