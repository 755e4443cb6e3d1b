"""The host process of daemons: an event loop, a watcher and a worker for syncs.

The daemons of a host share CPU permits, file handles and encoding slots. An error in one daemon
does not end the other daemons. The process ends with its last daemon, after a signal, or after a
long time without requests.
"""

import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import anyio
from anyio import CapacityLimiter
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Clock, SystemClock, rfc3339
from ggrep.base.errors import GgrepError, StoreError
from ggrep.base.identifiers import IdSource
from ggrep.base.ids import StoreId
from ggrep.base.processes import raise_descriptors
from ggrep.config.home import Home
from ggrep.config.settings import Settings, load_settings, without_profile
from ggrep.daemon.accept_loop import AcceptLoop
from ggrep.daemon.daemon_tasks import DaemonTasks
from ggrep.daemon.endpoint_files import DaemonLocks, Endpoint, sweep
from ggrep.daemon.event_log import EventLog, WarningHandler, place_of_error
from ggrep.daemon.host_resources import HostResources
from ggrep.daemon.plan import LineReader, no_lines
from ggrep.daemon.qos.permits import CpuPermits, HandleBudget
from ggrep.daemon.query_process import QueryProcesses
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.daemon.sync_process import SyncProcess
from ggrep.daemon.watching import HostWatcher
from ggrep.index.embedding.encode_slots import EncodeSlots
from ggrep.protocol.wire.endpoint import place_of_socket

if TYPE_CHECKING:
    from ggrep.parse.workers.occurrence_pool import OccurrencePool

_SWITCH_S: Final = 0.001
"""Switch interval of threads: the default of 5 ms is as long as a search takes."""

_THREADS: Final = 64
_OPERATOR_THREADS: Final = 4
_MOST_QUERY_WORKERS: Final = 3
_POLL_S: Final = 0.5
_LONG_SYNC_FILES: Final = 5_000
"""A process accepts no further root during a sync of more files: the root's syncs would wait."""
_APART: Final = 32
"""Up to this many daemons of a host each have a lock descriptor; more daemons share one. Older
builds cannot distinguish the shared names of a dead host: one acquired name acquires all."""
_IDLE_CHECKS: Final = 10
_IDLE_CHECK_S: Final = 10.0
_STALE_IDLE_MS: Final = 60_000.0
"""Longest time without a request if all daemons of a host are stale."""


def preload() -> None:
    """Load packages that every first answer needs, and the modules that they import lazily.

    Requires: numeric libraries use a single thread, because this process may fork.
    """
    import asyncio  # noqa: F401, TID251 - the backend that anyio loads late

    import numpy  # noqa: F401 - for ranking

    _ = anyio.create_unix_listener, anyio.open_signal_receiver


class ServeResult(Struct, frozen=True):
    """The outcome of starting to serve a root.

    Attributes:
        error: None if this process serves the root; AlreadyServed if another process does.
    """

    root: Path
    store_id: str
    socket: Path | None
    error: GgrepError | None = None


def serve(  # noqa: PLR0913 - all but the roots and the home have a default
    roots: Sequence[Path],
    home: Home,
    *,
    environ: Mapping[str, str],
    flags: Mapping[str, object] = MappingProxyType({}),
    build: str = "",
    notify: Callable[[Sequence[ServeResult]], None] = lambda _: None,
    awaited: bool = False,
    reads: LineReader = no_lines,
) -> str:
    """Serve the repositories at canonical roots; return the reason for the end.

    Args:
        roots: roots of the repositories; an error in one root does not affect the other roots.
        home: directory of the stores.
        environ: environment variables to read settings from.
        flags: settings with precedence over all others.
        build: build of the running code, which clients compare with theirs.
        notify: called once with the outcome of each root.
        awaited: a request of the client that started the process is expected at once.
        reads: parses command lines and returns their plans.

    Raises:
        GgrepError: no root can be served.
    """
    sys.setswitchinterval(_SWITCH_S)
    raise_descriptors()
    host = _Host(home, environ, flags, SystemClock(), build, awaited=awaited, reads=reads)
    handler = WarningHandler(EventLog(home.logs, StoreId("host"), SystemClock()))
    logging.getLogger("ggrep").addHandler(handler)
    try:
        return anyio.run(host.run, roots, notify)
    finally:
        logging.getLogger("ggrep").removeHandler(handler)


class _Host:
    def __init__(  # noqa: PLR0913 - the arguments of `serve`
        self,
        home: Home,
        environ: Mapping[str, str],
        flags: Mapping[str, object],
        clock: Clock,
        build: str,
        *,
        awaited: bool,
        reads: LineReader = no_lines,
    ) -> None:
        self._awaited = awaited
        self._reads = reads
        self._home = home
        self._environ = environ
        self._flags = flags
        self._clock = clock
        self._build = build
        self._services: list[DaemonTasks] = []
        self._faults: dict[Path, GgrepError] = {}
        self._occurrences: OccurrencePool | None = None
        self._opening = Lock()
        self._locks = DaemonLocks()
        self._accept_loop: AcceptLoop
        self._served: anyio.abc.TaskGroup | None = None
        self._reason = "all its daemons have ended"

    async def run(
        self, roots: Sequence[Path], notify: Callable[[Sequence[ServeResult]], None]
    ) -> str:
        """Serve all roots; return the reason for the end."""
        environ = without_profile(self._environ)
        settings = load_settings(self._home, Path("/"), environ=environ).settings
        shared = self._share(settings)
        try:
            eager, self._locks = len(roots) == 1, DaemonLocks(joined=len(roots) > _APART)
            outcomes = [self._open(root, shared, self._flags, eager=eager) for root in roots]
            sweep(self._home)
            if not self._services:
                raise next(outcome.error for outcome in outcomes if outcome.error)
            async with anyio.create_task_group() as group:
                group.start_soon(self._await_signals, group.cancel_scope)
                outcomes = await self._serve(group, outcomes, notify, settings)
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await shared.syncs.aclose()
                await shared.compactions.aclose()
                await shared.queries.aclose()
            shared.watcher.close()
            if self._occurrences is not None:
                self._occurrences.close()
        if all(outcome.error is not None for outcome in outcomes):
            raise next(outcome.error for outcome in outcomes if outcome.error)
        if self._services and all(s.socket in self._faults for s in self._services):
            raise self._faults[self._services[0].socket]
        return self._reason

    async def _serve(
        self,
        group: anyio.abc.TaskGroup,
        outcomes: Sequence[ServeResult],
        notify: Callable[[Sequence[ServeResult]], None],
        settings: Settings,
    ) -> list[ServeResult]:
        """Run all daemons until each has ended; return the outcomes of their starts."""
        self._accept_loop = AcceptLoop(group)
        async with anyio.create_task_group() as served:
            for service in self._services:
                await served.start(self._contain, service, self._accept_loop)
            after = [self._after_start(outcome) for outcome in outcomes]
            self._served = served
            if any(outcome.error is None for outcome in after):
                notify(after)
                group.start_soon(self._exit_when_idle, settings)
        self._served = None
        return after

    def _after_start(self, outcome: ServeResult) -> ServeResult:
        """Return an outcome with the error of its daemon's start, if the start failed."""
        fault = self._faults.get(outcome.socket) if outcome.socket else None
        return outcome if fault is None else replace(outcome, error=fault)

    def _share(self, settings: Settings) -> HostResources:
        clock = self._clock
        return HostResources(
            home=self._home,
            environ=self._environ,
            clock=clock,
            host_id=IdSource(clock)(),
            build=self._build,
            started_at=rfc3339(clock.now()),
            started_ms=clock.monotonic_ms(),
            cpu=CpuPermits(os.cpu_count() or 1, clock),
            handles=HandleBudget(settings.max_open_segments_global),
            slots=EncodeSlots(
                self._home.encode_slots,
                settings.max_embed_global,
                clock,
                ttl_ms=settings.embed_lock_ttl_ms,
                wait=time.sleep,
            ),
            occurrences=self._occurrence_pool,
            threads=CapacityLimiter(_THREADS),
            operators=CapacityLimiter(_OPERATOR_THREADS),
            poll_s=_POLL_S,
            syncs=SyncProcess(),
            compactions=SyncProcess(),
            queries=QueryProcesses(
                min((os.cpu_count() or 1) - 1, _MOST_QUERY_WORKERS), self._build
            ),
            watcher=HostWatcher(clock),
            reads=self._reads,
            adopt=self._adopt,
        )

    def _occurrence_pool(self) -> "OccurrencePool":
        from ggrep.parse.workers.occurrence_pool import OccurrencePool

        with self._opening:
            self._occurrences = self._occurrences or OccurrencePool()
            return self._occurrences

    async def _adopt(self, root: Path, flags: Mapping[str, object]) -> None:
        """Serve a further root."""
        daemons = [service.daemon for service in self._services]
        syncs = (daemon.syncs.statistics() for daemon in daemons)
        if self._served is None or any(sync.total_files > _LONG_SYNC_FILES for sync in syncs):
            raise StoreError(f"this process cannot also serve {root}: a long sync is running")
        self._services = [tasks for tasks in self._services if not tasks.daemon.ended.is_set()]
        outcome = self._open(root, daemons[0].shared, flags, eager=False)
        if outcome.error is None:
            self._faults.pop(self._services[-1].socket, None)
            await self._served.start(self._contain, self._services[-1], self._accept_loop)
            outcome = self._after_start(outcome)
        if outcome.error is not None:
            raise outcome.error

    def _open(
        self, root: Path, shared: HostResources, flags: Mapping[str, object], *, eager: bool
    ) -> ServeResult:
        """Create the daemon of a root and claim its endpoint."""
        store_id = ""
        try:
            daemon = StoreDaemon(root, flags, shared, os.getpid())
            identity = daemon.identity
            store_id = identity.store_id
            path = place_of_socket(self._home, store_id, identity.config_fingerprint)
            endpoint = Endpoint(self._home, path, self._locks)
        except GgrepError as error:
            return ServeResult(root, store_id, None, error)
        self._services.append(DaemonTasks(daemon, endpoint, eager=eager, awaited=self._awaited))
        return ServeResult(root, store_id, path)

    async def _contain(
        self,
        service: DaemonTasks,
        accept_loop: AcceptLoop,
        *,
        task_status: anyio.abc.TaskStatus[None],
    ) -> None:
        """Run a daemon; its failure does not end the other daemons."""
        try:
            await service.run(accept_loop, task_status=task_status)
        except Exception as error:  # noqa: BLE001 - the other daemons continue
            service.daemon.log.lifecycle("fault", reason=place_of_error(error))
            reason = error.strerror if isinstance(error, OSError) else place_of_error(error)
            self._faults[service.socket] = StoreError(
                f"the daemon of {service.daemon.identity.root} failed: {reason}"
            )
            with suppress(RuntimeError):
                task_status.started()

    async def _await_signals(self, scope: anyio.CancelScope) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for number in signals:
                name = signal.Signals(number).name
                if self._reason == f"{name} was received":
                    scope.cancel()  # a second signal ends the process at once
                self._end(f"{name} was received")

    def _end(self, reason: str) -> None:
        self._reason = reason
        for service in self._services:
            service.end(reason)

    async def _exit_when_idle(self, settings: Settings) -> None:
        """End after a long time without requests, once no sync is running."""
        idle_ms = 1000.0 * settings.idle_timeout_secs
        while True:
            await anyio.sleep(min(idle_ms / 1000.0 / _IDLE_CHECKS, _IDLE_CHECK_S))
            daemons = [service.daemon for service in self._services]
            asked_ms = max(daemon.last_asked_ms for daemon in daemons)
            silent_ms = self._clock.monotonic_ms() - asked_ms
            stale = all(daemon.stale or daemon.stopping for daemon in daemons)
            busy = any(
                daemon.syncs.statistics().state == "indexing" or daemon.requests
                for daemon in daemons
            )
            if not busy and silent_ms >= (min(_STALE_IDLE_MS, idle_ms) if stale else idle_ms):
                self._end("idle for too long")
                return
