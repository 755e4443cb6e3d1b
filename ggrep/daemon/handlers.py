"""The daemon's handlers of messages."""

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio
from anyio import to_thread
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, Cancelled, GgrepError, InvalidRequest, NoIndex
from ggrep.base.stable_json import Document, Json
from ggrep.daemon import joint_pooling, queries
from ggrep.daemon.admitting import Caller, is_published, registered
from ggrep.daemon.event_log import place_of_error
from ggrep.daemon.in_process import connection_in
from ggrep.daemon.plan import ServedRoot, WorkspacePlan, execute
from ggrep.daemon.queries import StaleHint, check_claim, check_process
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.daemon.sync_loop import SyncKind
from ggrep.protocol.wire import messages as m
from ggrep.protocol.wire.messages import timeout_of
from ggrep.protocol.wire.replies import error_of
from ggrep.render.printed import Rendered

StatusT = TypeVar("StatusT")

_MAX_WAITING_STATUS: Final = 64
"""Maximum number of operators' requests that wait for a thread."""


async def status_of(daemon: StoreDaemon) -> Document:
    """Return the `status` document."""
    load = daemon.load()

    def work() -> Document:
        from ggrep.index.maintenance.status import read_status

        settings, home = daemon.config.settings, daemon.shared.home
        inspect = daemon.engine().inspect
        return read_status(settings, inspect, home, daemon.identity, load).to_dict()

    return await in_operator_thread(daemon, work)


async def in_operator_thread(daemon: StoreDaemon, work: Callable[[], StatusT]) -> StatusT:
    """Handle an operator's request in a thread reserved for such requests."""
    operators = daemon.shared.operators
    if operators.statistics().tasks_waiting >= _MAX_WAITING_STATUS:
        raise Busy("daemon busy: too many administrative requests", retry_after_ms=1_000)
    return await to_thread.run_sync(work, limiter=operators)


T = TypeVar("T")

_MAX_WAITING_LINES: Final = 64
"""Maximum number of queued workspace queries."""


async def answer_line(daemon: StoreDaemon, caller: Caller, message: m.Line) -> Document:
    """Answer a command line with rendered output."""
    shared = daemon.shared
    served = ServedRoot(daemon.identity.root, shared.home, daemon.config.profile, shared.environ)
    read = partial(shared.reads, message, served)
    planned = await to_thread.run_sync(read, limiter=shared.threads)
    if planned is None:
        raise StaleHint("this daemon may parse the command line differently than its client")
    await check_claim(daemon, message.claim, *planned.places)
    if isinstance(planned.plan, WorkspacePlan):
        return {"rendered": (await _coordinated(daemon, caller, planned.plan)).document()}
    rendered = await execute(planned.plan, _DaemonHost(daemon, caller, message))
    return {"rendered": rendered.document()}


class _DaemonHost(Struct, frozen=True):
    """This daemon as the host that executes the plan of a command line."""

    daemon: StoreDaemon
    caller: Caller
    line: m.Line

    async def answer(self, message: m.QueryMessage | m.Status) -> object:
        """Return the answer to a message."""
        if isinstance(message, m.Status):
            return await status_of(self.daemon)
        if isinstance(message, m.Search):
            claimed = replace(message, claim=self.line.claim, priority=self.line.priority)
            rendered = (await queries.search(self.daemon, self.caller, claimed))["rendered"]
            assert isinstance(rendered, dict)  # noqa: S101 - a line's search is always rendered
            return Rendered(**rendered)
        if not is_published(self.daemon):
            raise NoIndex("this repository has no index yet")
        answers: list[Any] = []

        def keep(answer: object) -> Rendered:
            answers.append(answer)
            return Rendered("", "")

        await queries.answer_query(self.daemon, self.caller, message, keep)
        return answers[0]

    async def compute(self, work: Callable[[], T]) -> T:
        """Return the result of a function that runs in a thread."""
        return await to_thread.run_sync(work, limiter=self.daemon.shared.threads)

    def deadline(self, message: m.QueryMessage) -> Deadline:
        """Return the deadline of a message whose timeout starts now."""
        return self.caller.deadline(self.daemon, timeout_of(message))


async def _coordinated(daemon: StoreDaemon, caller: Caller, plan: WorkspacePlan) -> Rendered:
    """Return the output of a workspace plan; daemons in this process are called directly."""
    shared = daemon.shared
    if shared.coordinating.statistics().tasks_waiting >= _MAX_WAITING_LINES:
        raise Busy(
            "daemon busy: too many workspace queries",
            retry_after_ms=daemon.admission.retry_after_ms(),
        )
    try:
        async with shared.coordinating:
            return await plan.run(
                caller.stop, caller.client, partial(connection_in, shared, answer)
            )
    except GgrepError as error:
        raise StaleHint(str(error)) from error


Body = Document
Handler = Callable[[StoreDaemon, Caller, Any], Awaitable[Body]]


async def answer(daemon: StoreDaemon, caller: Caller, message: m.Message) -> Body:
    """Return the body of the reply to a message; the client can cancel the request by its id.

    Raises:
        GgrepError: the request failed. Any other exception is logged as a bug and then raised
            as a GgrepError.
    """
    try:
        with registered(daemon, caller):
            return await handle(daemon, caller, message)
    except GgrepError:
        raise
    except Exception as error:
        daemon.log.lifecycle("bug", reason=place_of_error(error))
        raise GgrepError(f"a bug in ggrep: {type(error).__name__}: {error}") from error


async def handle(daemon: StoreDaemon, caller: Caller, message: m.Message) -> Body:
    """Return the body of the reply to a message."""
    if daemon.stopping is not None:
        raise Cancelled(daemon.stopping)
    return await _HANDLERS[type(message)](daemon, caller, message)


async def _ping(daemon: StoreDaemon, caller: Caller, message: m.Ping) -> Body:
    del caller, message
    return {"stale": daemon.stale}


async def _status(daemon: StoreDaemon, caller: Caller, message: m.Status) -> Body:
    del caller, message
    return {"status": await status_of(daemon)}


async def _health(daemon: StoreDaemon, caller: Caller, message: m.Health) -> Body:
    load = daemon.load()

    def work() -> Body:
        from ggrep.index.maintenance.checks import check_health

        identity = daemon.identity
        deadline = Deadline(daemon.shared.clock, float("inf"), caller.stop)
        daemon.engine().heal(deadline)
        report = check_health(
            identity.store,
            identity.store_id,
            daemon.config.settings,
            deep=message.deep,
            root=identity.root,
            clock=daemon.shared.clock,
            load=load,
            deadline=deadline,
            rebuild=daemon.rebuild,
        )
        return report.to_dict()

    return {"health": await in_operator_thread(daemon, work)}


async def _metrics(daemon: StoreDaemon, caller: Caller, message: m.Metrics) -> Body:
    del caller, message
    load = daemon.load()

    def work() -> Body:
        from ggrep.daemon.daemon_metrics import metrics_json, metrics_text

        loads = [(str(daemon.identity.store_id), load)]
        return {"text": metrics_text(loads), "metrics": metrics_json(loads)}

    return await in_operator_thread(daemon, work)


async def _sync(daemon: StoreDaemon, caller: Caller, message: m.Sync) -> Body:
    if daemon.stale:
        raise InvalidRequest(
            f"this daemon has outdated settings, so it does not index: {daemon.stale_reason}"
        )
    clock = daemon.shared.clock
    deadline = Deadline(clock, float("inf"), caller.stop)
    if message.timeout_ms:
        deadline = Deadline.after(clock, message.timeout_ms, caller.stop)
    wanted = SyncKind(message.strict, message.allow_degraded, message.fresh)
    ask = partial(daemon.syncs.sync_now, wanted, deadline)
    if not message.wait:
        daemon.in_background(ask)
        return {"state": "accepted"}
    from ggrep.model.sync import outcome_json

    return {"state": "done", "report": outcome_json(await ask())}


async def _sync_status(daemon: StoreDaemon, caller: Caller, message: m.SyncStatus) -> Body:
    del caller, message
    return {"sync": to_builtins(daemon.syncs.statistics())}


async def _watch_status(daemon: StoreDaemon, caller: Caller, message: m.WatchStatus) -> Body:
    del caller, message
    return {"watch": to_builtins(daemon.shared.watcher.state(daemon.identity.root))}


async def _cancel(daemon: StoreDaemon, caller: Caller, message: m.Cancel) -> Body:
    reason = "cancelled on request"
    if message.target == "sync":
        return {"cancelled": daemon.syncs.cancel(reason)}
    stop = daemon.requests.get((caller.owner, message.target))
    if stop is not None:
        stop.set(reason)
    return {"cancelled": stop is not None}


async def _gc(daemon: StoreDaemon, caller: Caller, message: m.Gc) -> Body:
    del caller
    return {"report": await _command(daemon, "gc", force=message.force)}


async def _compact(daemon: StoreDaemon, caller: Caller, message: m.Compact) -> Body:
    del caller
    return {"report": await _command(daemon, "compact", force=message.force)}


async def _command(daemon: StoreDaemon, name: str, *, force: bool) -> Json:
    """Return the output of a ggrep command that runs in a separate process."""
    if daemon.stale:
        why = (
            "this daemon has outdated settings and cannot maintain the store: "
            f"{daemon.stale_reason}"
        )
        raise InvalidRequest(f"{why}; to end the daemon: ggrep stop")
    root = str(daemon.identity.root)
    line = [sys.executable, "-m", "ggrep", name, "--path", root, "--json"]
    environ = {
        **daemon.shared.environ,
        "GGREP_HOME": str(daemon.shared.home.base),
        "GGREP_ENCODER": daemon.config.settings.encoder,
    }
    done = await anyio.run_process(
        [*line, *(["--force"] if force else [])], check=False, env=environ, cwd="/"
    )
    try:
        document: Json = stable_json.loads(done.stdout)
    except ValueError as error:
        raise GgrepError(f"the command {name} ended with status {done.returncode}") from error
    if isinstance(document, dict) and "error" in document:
        raise error_of(document)
    return document


async def _shutdown(daemon: StoreDaemon, caller: Caller, message: m.Shutdown) -> Body:
    del caller
    daemon.stop_after_reply(message.reason or "shutdown was requested")
    return {"stopping": True, "pid": daemon.pid, "root": str(daemon.identity.root)}


async def _serve(daemon: StoreDaemon, caller: Caller, message: m.Serve) -> Body:
    del caller
    check_process(daemon.shared, message.claim)
    flags = {"encoder": message.encoder} if message.encoder else {}
    await daemon.shared.adopt(Path(message.claim.root), flags)
    return {"root": message.claim.root}


_HANDLERS: Final[dict[type, Handler]] = {
    m.Search: queries.search,
    m.Ask: queries.answer_query,
    m.Line: answer_line,
    m.Describe: queries.describe,
    m.Fetch: queries.answer_coordinator,
    m.JointDescribe: joint_pooling.joint_describe,
    m.JointPool: joint_pooling.joint_pool,
    m.Status: _status,
    m.Health: _health,
    m.Metrics: _metrics,
    m.Sync: _sync,
    m.SyncStatus: _sync_status,
    m.WatchStatus: _watch_status,
    m.Cancel: _cancel,
    m.Gc: _gc,
    m.Compact: _compact,
    m.Shutdown: _shutdown,
    m.Serve: _serve,
    m.Ping: _ping,
}
