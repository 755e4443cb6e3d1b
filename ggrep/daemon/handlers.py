"""The daemon's handler for each message."""

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.deadline import Deadline
from ggrep.base.errors import Cancelled, GgrepError, InvalidRequest
from ggrep.base.stable_json import Document, Json
from ggrep.daemon import joint_pooling, navigating, searching
from ggrep.daemon.caller import Caller
from ggrep.daemon.hint_checks import check_process
from ggrep.daemon.status_reply import at_desk, status_of
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.daemon.sync_rounds import Wanted
from ggrep.daemon.typed_lines import line
from ggrep.protocol.wire import message_types as m
from ggrep.protocol.wire.replies import error_of

Body = Document
Handler = Callable[[StoreDaemon, Caller, Any], Awaitable[Body]]


async def handle(daemon: StoreDaemon, caller: Caller, message: m.Message) -> Body:
    """Return the body of the reply to a message.

    Raises:
        GgrepError: it cannot be done.
    """
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
        from ggrep.index.maintenance.health import check_health

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

    return {"health": await at_desk(daemon, work)}


async def _metrics(daemon: StoreDaemon, caller: Caller, message: m.Metrics) -> Body:
    del caller, message
    load = daemon.load()

    def work() -> Body:
        from ggrep.daemon.daemon_metrics import metrics_json, metrics_text

        loads = [(str(daemon.identity.store_id), load)]
        return {"text": metrics_text(loads), "metrics": metrics_json(loads)}

    return await at_desk(daemon, work)


async def _sync(daemon: StoreDaemon, caller: Caller, message: m.Sync) -> Body:
    if daemon.stale:
        raise InvalidRequest(f"this daemon is stale and writes nothing: {daemon.stale_reason}")
    clock = daemon.shared.clock
    deadline = Deadline(clock, float("inf"), caller.stop)
    if message.timeout_ms:
        deadline = Deadline.after(clock, message.timeout_ms, caller.stop)
    wanted = Wanted(message.strict, message.allow_degraded, message.fresh)
    ask = partial(daemon.syncs.sync_now, wanted, deadline)
    if not message.wait:
        daemon.in_background(ask)
        return {"state": "accepted"}
    from ggrep.model.sync_jobs import outcome_json

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
    """Return the output of one of our own commands, run in a process of its own, as syncs are.

    Raises:
        InvalidRequest: the daemon is stale, so that the command would look at another store.
        GgrepError: as the command says.
    """
    if daemon.stale:
        why = f"this daemon is stale and maintains nothing: {daemon.stale_reason}"
        raise InvalidRequest(f"{why}; to end it: ggrep stop")
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
        raise GgrepError(f"{name}: ended with status {done.returncode}") from error
    if isinstance(document, dict) and "error" in document:
        raise error_of(document)
    return document


async def _shutdown(daemon: StoreDaemon, caller: Caller, message: m.Shutdown) -> Body:
    del caller
    daemon.stop_after_reply(message.reason or "shutdown was asked for")
    return {"stopping": True, "pid": daemon.pid, "root": str(daemon.identity.root)}


async def _serve(daemon: StoreDaemon, caller: Caller, message: m.Serve) -> Body:
    del caller
    check_process(daemon.shared, message.claim)
    flags = {"encoder": message.encoder} if message.encoder else {}
    await daemon.shared.adopt(Path(message.claim.root), flags)
    return {"root": message.claim.root}


_HANDLERS: Final[dict[type, Handler]] = {
    m.Search: searching.search,
    m.Ask: navigating.ask,
    m.Line: line,
    m.Describe: searching.describe,
    m.TermStats: searching.term_stats,
    m.Fetch: navigating.fetch,
    m.JointDescribe: joint_pooling.joint_describe,
    m.JointPool: joint_pooling.joint_pool,
    m.Encode: searching.encode,
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
