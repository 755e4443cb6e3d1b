"""Admits requests of clients, and assigns a core and a thread to each."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import anyio
from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline, Stop
from ggrep.base.errors import InvalidRequest, NoIndex
from ggrep.base.fair_queue import Lane
from ggrep.config import store_files
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.index.store.active import has_index
from ggrep.model.response import Admitted
from ggrep.protocol.wire.handshake import Hello
from ggrep.protocol.wire.messages import Ask, Message, Search

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine


class Caller(Struct, frozen=True):
    """The sender of a request.

    Attributes:
        client: name of the client; if it forwards another caller's request, also the caller's name;
            can be empty.
        owner: scope of the request id: the client's name, or the connection if the client has no
            name.
        request_id: unique among the running requests of the client.
    """

    client: str
    owner: str
    lane: Lane
    request_id: str
    stop: Stop

    def deadline(self, daemon: StoreDaemon, timeout_ms: int) -> Deadline:
        """Return the request's deadline: from `timeout_ms`, or from the settings if it is 0."""
        wanted_ms = timeout_ms or daemon.config.settings.query_timeout_ms
        return Deadline.after(daemon.shared.clock, wanted_ms, self.stop)


def caller_of(
    hello: Hello | None, message: Message, caller: str, *, owner: str, request_id: str, stop: Stop
) -> Caller:
    """Return the sender of a message: a client, or the `caller` whose request a client forwards.

    `owner` is the scope of request ids if the client has no name.
    """
    client, kind = (hello.client_id, hello.client_kind) if hello else ("", "interactive")
    if isinstance(message, Search | Ask) and message.priority == "batch":
        kind = "batch"
    named = f"{client}/{caller}" if caller else client
    return Caller(named, client or owner, Lane(kind), request_id, stop)


@contextmanager
def registered(daemon: StoreDaemon, caller: Caller) -> Iterator[None]:
    """Register the request during the block, so that the client can cancel it by its id."""
    key = (caller.owner, caller.request_id)
    if key in daemon.requests:
        raise InvalidRequest(
            f"request_id: a request with the id {caller.request_id!r} is already running"
        )
    daemon.requests[key] = caller.stop
    try:
        yield
    finally:
        del daemon.requests[key]


ResultT = TypeVar("ResultT")
Elsewhere: TypeAlias = Callable[[], Awaitable[ResultT | None]]
"""Returns the result of another process; None if this process has to compute it."""

_LOOK_MS: Final = 50.0
"""Interval of checks for a first index."""


class TimeSpent(Struct):
    """The arrival time of a request, and the record of its admission."""

    started_ms: float
    admitted: Admitted | None = None


def spent_from_now(daemon: StoreDaemon) -> TimeSpent:
    """Return a record of the time spent on a request that arrives now."""
    return TimeSpent(daemon.shared.clock.monotonic_ms())


async def run_admitted(
    daemon: StoreDaemon,
    caller: Caller,
    deadline: Deadline,
    spent: TimeSpent,
    work: Callable[["Engine"], ResultT],
) -> ResultT:
    """Run `work` with the engine once the request is admitted and has a core; return the result."""
    return await run_admitted_with(daemon, caller, deadline, spent, lambda: work(daemon.engine()))


async def run_admitted_with(
    daemon: StoreDaemon,
    caller: Caller,
    deadline: Deadline,
    spent: TimeSpent,
    work: Callable[[], ResultT],
    elsewhere: Elsewhere[ResultT] | None = None,
) -> ResultT:
    """Run `work` once the request is admitted and has a core; return the result.

    If this process is computing another query, `elsewhere` can let another process do the work.
    Cancellation waits for the thread, which uses a core until it checks the deadline.
    """
    shared = daemon.shared
    async with (
        daemon.admission.admit(caller.client, caller.lane, deadline) as admitted,
        shared.cpu.hold(caller.client, caller.lane, deadline) as waited_ms,
    ):
        spent.admitted = replace(admitted, waited_ms=admitted.waited_ms + round(waited_ms))
        if elsewhere is not None and shared.cpu.computing > 1:
            with shared.cpu.elsewhere():
                result = await elsewhere()
            if result is not None:
                return result
        return await to_thread.run_sync(work, limiter=shared.threads)


def is_published(daemon: StoreDaemon) -> bool:
    """Return whether the store has an active snapshot or a damaged index."""
    store = daemon.identity.store
    if store_files.active_file(store).exists():
        return True
    if not has_index(store):
        return False
    # Imported here because it loads the database, which a first answer does not need.
    from ggrep.index.store.judging import is_first_publish

    return not is_first_publish(store)


def request_missing_snapshot(daemon: StoreDaemon) -> None:
    """Request a sync after the active snapshot has disappeared without an event.

    Requires: no snapshot is published.
    """
    state = daemon.syncs.statistics()
    if state.state == "idle" and state.last_result in {"ok", "degraded"}:
        daemon.syncs.note_change(0)


async def first_snapshot(daemon: StoreDaemon, deadline: Deadline) -> None:
    """Wait until there is a snapshot to search."""
    while not is_published(daemon):
        daemon.let_index()
        request_missing_snapshot(daemon)
        deadline.check("the first indexing")
        state = daemon.syncs.statistics()
        if state.state == "frozen":
            raise NoIndex("this repository has no index yet, and its daemon has outdated settings")
        if state.last_result == "cancelled" and state.state == "idle":
            raise NoIndex("indexing was cancelled; to index this repository: ggrep index")
        if state.last_result == "failed" and state.state == "idle":
            raise NoIndex(f"this repository has no index yet: indexing failed: {state.last_error}")
        with anyio.move_on_after(min(_LOOK_MS, deadline.remaining_ms()) / 1000.0):
            await daemon.published.wait()
