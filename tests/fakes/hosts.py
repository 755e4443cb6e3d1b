"""A daemon in this process, served from a thread, without worker processes."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import anyio
from anyio import CapacityLimiter, from_thread, to_thread

from ggrep.base.clock import Deadline, SystemClock, rfc3339
from ggrep.config.home import Home
from ggrep.daemon.daemon_tasks import DaemonTasks
from ggrep.daemon.endpoint_files import Endpoint
from ggrep.daemon.host_resources import HostResources, ServedStore
from ggrep.daemon.qos.permits import CpuPermits, HandleBudget
from ggrep.daemon.query_process import QueryProcesses
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.daemon.watching import HostWatcher
from ggrep.index.embedding.encode_slots import EncodeSlots
from ggrep.model.sync import SyncJob, SyncOutcome, SyncProgress
from ggrep.parse.workers.occurrence_pool import OccurrencePool
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.link import Link
from ggrep.protocol.wire.messages import Message
from ggrep.protocol.wire.replies import Reply
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.sync_outcomes import outcome_of
from tests.fakes.wires import Wire

CLOCK = SystemClock()
BUILD = "test-build"
POLL_S = 0.5
"""How often a daemon looks at its files."""
FLAGS: Mapping[str, object] = MappingProxyType(
    {"watch": False, "encoder": "hashed", "parse_workers": 1}
)
"""Those of `tests.fakes.repos.open_engine`, so that both mean the same store."""


class InProcessSyncs:
    """Does syncs in a thread of this process, and counts them."""

    def __init__(self) -> None:
        self.jobs: list[SyncJob] = []
        self.wishes: list[tuple[str, tuple[str, ...]]] = []
        self._working = threading.Condition()
        self._at_work = 0
        self.gate = threading.Event()
        self.gate.set()

    async def run(self, job: SyncJob, on_progress: Callable[[SyncProgress], None]) -> SyncOutcome:
        """Do one sync; it waits while the gate is shut."""
        self.jobs.append(job)
        on_progress(SyncProgress("scan", 0, 0, 0))
        return await to_thread.run_sync(self._sync, job, abandon_on_cancel=True)

    def join(self) -> None:
        with self._working:
            self._working.wait_for(lambda: not self._at_work, 30)

    def _sync(self, job: SyncJob) -> SyncOutcome:
        with self._working:
            self._at_work += 1
        try:
            return self._synced(job)
        finally:
            with self._working:
                self._at_work -= 1
                self._working.notify_all()

    def _synced(self, job: SyncJob) -> SyncOutcome:
        self.gate.wait(30)
        engine = Engine(job.root, Home(job.home), environ=job.environ, flags=job.flags)
        report = engine.sync(strict=job.strict, allow_degraded=job.allow_degraded, fresh=job.fresh)
        return outcome_of(report)

    async def prioritise(self, store_id: str, paths: Sequence[str]) -> None:
        """Note what a first index is to begin with."""
        self.wishes.append((store_id, tuple(paths)))

    async def aclose(self) -> None:
        """There is no process to end."""


@dataclass
class Served:
    """A daemon that serves.

    Attributes:
        call: runs a function in the daemon's event loop, and returns what it returns.
    """

    daemon: StoreDaemon
    service: DaemonTasks
    address: DaemonAddress
    syncs: InProcessSyncs
    call: Callable[..., Any]
    links: list[Link] = field(default_factory=list)

    def reload(self) -> None:
        """Have the daemon take in its settings as they are on disk."""
        result = self.daemon.read_config()
        self.call(self.daemon.reload, result)

    def link(self, **changes: Any) -> Link:
        """Return a fresh connection; `changes` are of its hello."""
        from msgspec.structs import replace

        link = Link.connect(self.address.socket, replace(self.address.hello, **changes), CLOCK)
        self.links.append(link)
        return link

    def wire(self, client_id: str | None = None, **changes: Any) -> Wire:
        """Return a connection that has introduced itself; `changes` are of its hello."""
        from msgspec.structs import replace

        named = {} if client_id is None else {"client_id": client_id}
        return Wire.greeted(self.address.socket, replace(self.address.hello, **named, **changes))

    def ask(self, message: Message, **changes: Any) -> Reply:
        with self.link(**changes) as link:
            return link.ask(message, Deadline.after(CLOCK, 600_000))

    def settled(self) -> None:
        """Wait until the sync that a daemon begins with is over."""
        self.eventually(lambda: self.daemon.syncs.statistics().last_result)

    def eventually(self, holds: Callable[[], object]) -> None:
        """Wait until something holds; fail when it never does."""
        deadline = Deadline.after(CLOCK, 600_000)
        while not holds():
            assert deadline.remaining_ms() > 0.0, "it never came to hold"
            time.sleep(0.01)


@contextmanager
def served(  # noqa: PLR0915 - a whole daemon is put together
    root: Path,
    home: Path,
    *,
    environ: Mapping[str, str] = MappingProxyType({}),
    flags: Mapping[str, object] = FLAGS,
    cores: int = 2,
    handles: int = 512,
    gated: bool = False,
    awaited: bool = False,
    stores: dict[tuple[str, str], ServedStore] | None = None,
) -> Iterator[Served]:
    """Serve a root for the length of the block, at its real socket.

    Args:
        root: canonical.
        home: where its store lies.
        environ: variables that settings are read from.
        flags: settings that beat all others.
        cores: how many searches compute at once.
        handles: how many segments may be open at once.
        gated: even the first sync waits until `syncs.gate` is set.
        awaited: whoever had it started is about to ask.
        stores: the daemons of the host that it is of; None for a host of its own.
    """
    syncs = InProcessSyncs()
    if gated:
        syncs.gate.clear()
    place, ended = Home(home), threading.Event()
    with from_thread.start_blocking_portal() as portal:

        def make() -> tuple[StoreDaemon, DaemonTasks]:
            shared = HostResources(
                home=place,
                environ=environ,
                clock=CLOCK,
                host_id="host",
                build=BUILD,
                started_at=rfc3339(CLOCK.now()),
                started_ms=CLOCK.monotonic_ms(),
                cpu=CpuPermits(cores, CLOCK),
                handles=HandleBudget(handles),
                slots=EncodeSlots(place.encode_slots, 2, CLOCK, wait=time.sleep),
                occurrences=OccurrencePool,
                threads=CapacityLimiter(64),
                operators=CapacityLimiter(4),
                poll_s=POLL_S,
                queries=QueryProcesses(0, ""),
                syncs=syncs,  # type: ignore[arg-type] # as much of it as is used
                compactions=syncs,  # type: ignore[arg-type] # none is due
                watcher=HostWatcher(CLOCK),
                stores={} if stores is None else stores,
            )
            daemon = StoreDaemon(root, flags, shared, 4242)
            address = arrange(root, place, environ=environ, flags=flags)
            return daemon, DaemonTasks(daemon, Endpoint(place, address.socket), awaited=awaited)

        daemon, service = portal.call(make)

        async def run(*, task_status: anyio.abc.TaskStatus[None]) -> None:
            try:
                await service.run(task_status=task_status)
            finally:
                ended.set()

        future, _ = portal.start_task(run)
        result = Served(
            daemon,
            service,
            arrange(root, place, environ=environ, flags=flags, build=BUILD),
            syncs,
            portal.call,
        )
        try:
            yield result
        finally:
            for link in result.links:
                link.close()
            syncs.gate.set()
            if not ended.is_set():
                portal.call(service.end, "the test is over")
            ended.wait(20)
            future.result(20)
            daemon.shared.watcher.close()
            syncs.join()
