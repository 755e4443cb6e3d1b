"""What needs the engine and is asked often: searches, and what a coordinator asks for them.

Each goes the same way: admitted, given a core, worked in a thread that looks at its deadline.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
from anyio import to_thread

from ggrep.daemon.caller import Caller
from ggrep.daemon.events import QueryEvent, QueryStatus
from ggrep.daemon.hints import check_claim
from ggrep.daemon.pool_memory import RememberedPool, remembered
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.domain.deadline import Deadline
from ggrep.domain.limits import Notice, sorted_notices
from ggrep.domain.request import SearchRequest
from ggrep.domain.response import Admitted, Freshness, PoolResponse, QueryResponse
from ggrep.domain.sanitise import sanitise_line
from ggrep.errors import Busy, Cancelled, DeadlineExceeded, GgrepError, InvalidRequest, NoIndex
from ggrep.layout import names
from ggrep.render.answer import render_answer
from ggrep.render.query_json import query_success
from ggrep.stable_json import Json
from ggrep.wire.codec import to_json
from ggrep.wire.message_types import Describe, Encode, Pool, Search, TermStats

if TYPE_CHECKING:
    from ggrep.engine.engine import Engine

T = TypeVar("T")
Body = dict[str, Json]

_LOOK_MS: Final = 50.0
"""How often a search looks whether the first index can be searched by now."""


@dataclass(slots=True)
class _Spent:
    """How a request came in.

    Attributes:
        admitted: None until it was.
    """

    started_ms: float
    admitted: Admitted | None = None


async def search(daemon: StoreDaemon, caller: Caller, message: Search) -> Body:
    """Answer a search, as its document or as what a command line prints."""
    request, spent = _scoped(daemon, message), _Spent(daemon.shared.clock.monotonic_ms())
    deadline = caller.deadline(daemon, request.timeout_ms)
    if message.claim is not None:
        await check_claim(daemon, message.claim, request.scope)

    def work(engine: "Engine") -> tuple[QueryResponse, Body]:
        response = engine.search(
            request,
            deadline,
            budgets=dict(message.budgets),
            request_id=caller.request_id,
            admitted=spent.admitted,
        )
        response = _with_warnings(daemon, response)
        if message.render is None:
            return response, {"response": query_success(response)}
        rendered = render_answer(response, daemon.identity.root, message.render)
        return response, {"rendered": rendered.document()}

    try:
        if message.claim is None:
            await _first_snapshot(daemon, deadline)
            # How long a first index takes is told by its sync; it makes no search slow.
            spent.started_ms = daemon.shared.clock.monotonic_ms()
        response, body = await _worked(daemon, caller, deadline, spent, work)
    except BaseException as error:
        # A client that came by a hint asks again, and waits for the first index then.
        if message.claim is None or not isinstance(error, NoIndex):
            _note_failure(daemon, caller, request, spent, error)
        raise
    daemon.counters.note_work(response.segments, response.timings_ms)
    _note(daemon, caller, request, spent, response)
    return body


def _scoped(daemon: StoreDaemon, message: Search) -> SearchRequest:
    """Return the request, narrowed to the path that it names.

    Raises:
        InvalidRequest: the path is not below the root.
    """
    if not message.path:
        return message.request
    path, root = PurePosixPath(message.path), daemon.identity.root
    if ".." in path.parts or not path.is_relative_to(root):
        raise InvalidRequest(f"path: {message.path!r} is not below the root")
    scope = path.relative_to(root).as_posix()
    return replace(message.request, scope="" if scope == "." else scope)


async def describe(daemon: StoreDaemon, caller: Caller, message: Describe) -> Body:
    """Answer what a coordinator must know before it asks."""
    deadline = caller.deadline(daemon, message.timeout_ms)
    found = await _plainly(daemon, caller, deadline, lambda engine: engine.describe(deadline))
    stale = (_stale_notice(daemon),) if daemon.stale else ()
    told = replace(found, freshness=_freshness(daemon), notices=(*found.notices, *stale))
    return {"description": to_json(told)}


async def term_stats(daemon: StoreDaemon, caller: Caller, message: TermStats) -> Body:
    """Answer with the active snapshot and its statistics for a query's terms."""
    deadline = caller.deadline(daemon, message.request.timeout_ms)
    snapshot_id, figures = await _plainly(
        daemon, caller, deadline, lambda engine: engine.term_stats(message.request, deadline)
    )
    return {"snapshot_id": snapshot_id, "statistics": to_json(figures)}


async def pool(daemon: StoreDaemon, caller: Caller, message: Pool) -> Body:
    """Answer with the ranked lists that a coordinator merges."""
    request, spent = message.request, _Spent(daemon.shared.clock.monotonic_ms())
    deadline = caller.deadline(daemon, request.search.timeout_ms)

    memory = daemon.pools

    def work(engine: "Engine") -> RememberedPool:
        view = engine.view(deadline)
        if view.notices:  # they are of this moment
            return remembered(engine.pool(request, deadline))
        held = memory.get(view.manifest.snapshot_id, request)
        return held or memory.put(request, engine.pool(request, deadline))

    try:
        found = await _worked(daemon, caller, deadline, spent, work)
    except BaseException as error:
        _note_failure(daemon, caller, request.search, spent, error)
        raise
    _note(daemon, caller, request.search, spent, found.pool)
    return {"pool": found.document}


async def encode(daemon: StoreDaemon, caller: Caller, message: Encode) -> Body:
    """Answer with a query's vector; null without an encoder."""
    deadline = caller.deadline(daemon, message.timeout_ms)
    found = await _plainly(
        daemon, caller, deadline, lambda engine: engine.encode(message.text, deadline)
    )
    return {"vector": None} if found is None else {"vector": to_json(found)}


async def _plainly(
    daemon: StoreDaemon, caller: Caller, deadline: Deadline, work: Callable[["Engine"], T]
) -> T:
    spent = _Spent(daemon.shared.clock.monotonic_ms())
    return await _worked(daemon, caller, deadline, spent, work)


async def _worked(
    daemon: StoreDaemon,
    caller: Caller,
    deadline: Deadline,
    spent: _Spent,
    work: Callable[["Engine"], T],
) -> T:
    """Return what the engine makes of it, once there is room and a core.

    The thread is waited for even where nobody wants its outcome any more: it holds a core until
    its next look at the deadline.
    """
    shared = daemon.shared
    async with (
        daemon.admission.admit(caller.client, caller.lane, deadline) as admitted,
        shared.cpu.hold(caller.client, caller.lane, deadline) as waited_ms,
    ):
        spent.admitted = replace(admitted, waited_ms=admitted.waited_ms + waited_ms)
        return await to_thread.run_sync(lambda: work(daemon.engine()), limiter=shared.threads)


async def _first_snapshot(daemon: StoreDaemon, deadline: Deadline) -> None:
    """Wait until there is something to search.

    Raises:
        NoIndex: nothing will be: indexing failed, or is not done here.
        DeadlineExceeded: the request's time ran out first.
    """
    pointer = names.active_file(daemon.identity.store)
    while not pointer.exists():
        deadline.check("the first indexing")
        state = daemon.syncs.statistics()
        if state.state == "frozen":
            raise NoIndex("this repository has no index yet, and its daemon is stale")
        if state.last_result == "failed" and state.state == "idle":
            raise NoIndex(
                f"this repository has no index yet; indexing it failed: {state.last_error}"
            )
        with anyio.move_on_after(min(_LOOK_MS, deadline.remaining_ms()) / 1000.0):
            await daemon.published.wait()


def _with_warnings(daemon: StoreDaemon, response: QueryResponse) -> QueryResponse:
    """Add what only the daemon knows: that its settings, or the snapshot, are behind."""
    found = []
    if daemon.stale:
        found.append(_stale_notice(daemon))
    if not response.request.deterministic:
        found += _of_the_moment(daemon, partial=response.provenance.partial)
    if not found:
        return response
    return replace(response, warnings=sorted_notices((*response.warnings, *found)))


def _stale_notice(daemon: StoreDaemon) -> Notice:
    return Notice("stale_config", f"{daemon.stale_reason}; this is the last good answer")


def _freshness(daemon: StoreDaemon) -> Freshness:
    """Return whether the index holds the work tree, as far as anybody watches it."""
    syncs = daemon.syncs.statistics()
    if syncs.behind:
        return "behind"
    watch = daemon.shared.watcher.state(daemon.identity.root)
    looked = syncs.last_result == "ok" and watch.mode == "watching"
    return "current" if looked and not daemon.stale else "unknown"


def _of_the_moment(daemon: StoreDaemon, *, partial: bool) -> list[Notice]:
    """Return what an answer that has to be the same again cannot hold.

    Of a `partial` snapshot it is said already that there is more.
    """
    found = []
    if not partial and daemon.syncs.statistics().behind:
        found.append(Notice("index_behind", "files have changed since; they are being indexed"))
    watch = daemon.shared.watcher.state(daemon.identity.root)
    if watch.mode == "polling":
        told = f"changes are noticed some seconds late: {watch.problem}"
        found.append(Notice("watch_polling", sanitise_line(told)))
    return found


def _note(
    daemon: StoreDaemon,
    caller: Caller,
    request: SearchRequest,
    spent: _Spent,
    response: QueryResponse | PoolResponse,
) -> None:
    total_ms = daemon.shared.clock.monotonic_ms() - spent.started_ms
    daemon.counters.note("ok", total_ms)
    event = _event(caller, request, spent, "ok", total_ms)
    hits = response.hits if isinstance(response, QueryResponse) else response.blended
    stages = response.timings_ms if isinstance(response, QueryResponse) else ()
    daemon.log.query(
        replace(
            event,
            snapshot_id=response.provenance.snapshot_id,
            stages=stages,
            hits=len(hits),
            limits_hit=tuple(limit.code for limit in response.limits_hit),
            warnings=tuple(notice.code for notice in response.warnings),
        )
    )


def _note_failure(
    daemon: StoreDaemon,
    caller: Caller,
    request: SearchRequest,
    spent: _Spent,
    error: BaseException,
) -> None:
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
    event = _event(caller, request, spent, status, total_ms)
    code = error.code if isinstance(error, GgrepError) else None
    daemon.log.query(replace(event, error_code=code or "internal"))


def _event(
    caller: Caller, request: SearchRequest, spent: _Spent, status: QueryStatus, total_ms: float
) -> QueryEvent:
    waited = spent.admitted.waited_ms if spent.admitted else 0.0
    return QueryEvent(
        request_id=caller.request_id,
        snapshot_id=None,
        client=caller.client,
        lane=caller.lane.value,
        mode=request.mode.value,
        max_results=request.limit,
        per_file=request.per_file,
        snippet=request.snippet.value,
        stages=(("admission", waited),),
        total_ms=total_ms,
        status=status,
    )
