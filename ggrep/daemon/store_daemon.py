"""The daemon of a store: its settings, engine, admission, sync loop and log."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup
from msgspec.structs import replace

from ggrep import __version__
from ggrep.base.clock import Stop
from ggrep.base.errors import GgrepError, StoreError
from ggrep.base.formats import SCHEMA_VERSIONS
from ggrep.base.identifiers import IdSource
from ggrep.base.linux import resident_bytes
from ggrep.base.processes import own_start_ticks, without_collecting
from ggrep.config import store_files
from ggrep.daemon.counters import QueryCounters
from ggrep.daemon.event_log import EventLog, SyncEvent
from ggrep.daemon.host_resources import HostResources
from ggrep.daemon.joint_members import PoolCache
from ggrep.daemon.qos.admission import Admission, AdmissionLimits
from ggrep.daemon.query_job import StoreToOpen
from ggrep.daemon.sync_loop import SyncLoop
from ggrep.daemon.sync_schedule import LOW_IMPACT, LoopFigures
from ggrep.daemon.watched_root import LoadedConfig, load_config
from ggrep.index.repo_identity import RepoIdentity, identify
from ggrep.index.store.active import has_index
from ggrep.model.daemons import DaemonLoad, EncodeLoad
from ggrep.model.index_freshness import IndexFreshness, stale_notice
from ggrep.model.response import Freshness, RepoDescription
from ggrep.model.status import OpenHandles
from ggrep.model.sync import SyncJob, SyncOutcome
from ggrep.parse.source.git_work import GitWatch
from ggrep.protocol.wire.endpoint import DaemonRecord
from ggrep.protocol.wire.frames import PROTOCOL_VERSIONS
from ggrep.protocol.wire.handshake import Welcome
from ggrep.protocol.wire.messages import (
    Ask,
    Cancel,
    Health,
    Line,
    Message,
    Metrics,
    Ping,
    Search,
    Serve,
    Shutdown,
    Status,
    SyncStatus,
    WatchStatus,
)

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine
    from ggrep.search.engine.scanning import Scanner


_COST_FLAGS = frozenset({"low_impact", "watch"})
"""Flags that change the cost of a daemon, but not its answers."""


_LOGGED = {*SyncEvent.__struct_fields__} & {*SyncOutcome.__struct_fields__}
"""Fields of a sync's outcome that have the same names in the log."""

_LOOKS = (Cancel, Health, Metrics, Ping, Serve, Status, SyncStatus, WatchStatus)
"""Messages that only inspect a daemon and need no index."""


_ANSWERED = (Ask, Line, Search)
"""Messages that a daemon may answer before a sync."""


class StoreDaemon:
    """A store with everything that its requests need.

    Methods must be called in the event loop's thread, unless documented as thread-safe.

    Attributes:
        free: set once a client was answered or waits for a sync. Work that a first answer does not
            need may run from then on.
        whole: whether the first index is known to be complete.
    """

    def __init__(
        self, root: Path, flags: Mapping[str, object], shared: HostResources, pid: int
    ) -> None:
        """Read the settings of a canonical root; the store is not opened yet."""
        self.shared = shared
        self.pid = pid
        self._flags = flags
        self.config: LoadedConfig = load_config(root, shared.home, shared.environ, flags)
        settings = self.config.settings
        self.identity: RepoIdentity = identify(root, shared.home, settings)
        limits = AdmissionLimits(
            max_concurrent=settings.max_concurrent_queries,
            max_queue_depth=settings.max_query_queue_depth,
            per_client=settings.max_queries_per_client,
        )
        self.admission = Admission(limits, shared.clock)
        self.counters = QueryCounters(lambda: self.config.settings)
        self.log = EventLog(
            shared.home.logs,
            self.identity.store_id,
            shared.clock,
            total_bytes=settings.max_log_bytes,
            opened=shared.logs,
        )
        self.syncs = SyncLoop(
            self._job(),
            shared.syncs,
            self._figures(),
            shared.clock,
            self._on_published,
            on_failed=self._on_failed,
            compactor=shared.compactions,
            on_done=self._on_done,
            is_git_at_work=GitWatch(root, shared.clock).is_at_work,
            is_indexed=self._is_indexed,
        )
        self.pools = PoolCache()
        self.store_to_open = StoreToOpen.of(root, shared.home, settings)
        self.stale_reason = ""
        self.stopping: str | None = None
        self.connections = 0
        self.requests: dict[tuple[str, str], Stop] = {}
        self.scopes: dict[str, str] = {}
        self.published = anyio.Event()
        self.ended = anyio.Event()
        self.free = anyio.Event()
        self.whole = False
        self.last_asked_ms = shared.clock.monotonic_ms()
        self.tasks: TaskGroup | None = None
        self._ending: str | None = None
        self._new_id = IdSource(shared.clock)
        self._engine: Engine | None = None
        self._opening = Lock()
        self._described: tuple[RepoDescription, object, RepoDescription] | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Return the store id and configuration fingerprint, unique among the host's daemons."""
        return self.identity.store_id, self.identity.config_fingerprint

    @property
    def flags(self) -> Mapping[str, object]:
        """Return the settings that have precedence over all other settings."""
        return self._flags

    @property
    def leads(self) -> bool:
        """Return whether plain searches use this store: no flag selected another store."""
        return all(name in _COST_FLAGS for name in self._flags)

    @property
    def stale(self) -> bool:
        """Return whether the settings on disk now select another store."""
        return bool(self.stale_reason)

    def engine(self) -> "Engine":
        """Return the engine, opened on first use; thread-safe."""
        with without_collecting():
            from ggrep.search.engine.engine import Engine
            from ggrep.search.engine.repo_index import Hosted

        with self._opening:
            if self._engine is None:
                self._engine = Engine(
                    self.identity.root,
                    self.shared.home,
                    settings=self.config.settings,
                    clock=self.shared.clock,
                    hosted=Hosted(
                        handles=self.shared.handles.reserve,
                        slots=self.shared.slots,
                        occurrences=self.shared.occurrences(),
                        on_damage=self.rebuild,
                        standing=self.standing,
                    ),
                )
            return self._engine

    def scanner(self, damage: str = "") -> "Scanner":
        """Return a scanner for a search that no snapshot can answer; thread-safe.

        `damage` is the message about a damaged index, if the index is damaged.
        """
        from ggrep.search.scan import prefetch_listing

        # Git lists a large tree and workers start while the ranking is loaded.
        begun = prefetch_listing.begin(self.identity.root, self.config.settings, self.shared.clock)
        from ggrep.search.engine.scanning import Scanner

        return Scanner(
            self.identity,
            self.shared.home,
            self.config.settings,
            self.shared.clock,
            new_id=self._new_id,
            standing=self.standing,
            prefetch=begun,
            damage=damage,
            served=True,
        )

    @property
    def is_open(self) -> bool:
        """Return whether the engine is open."""
        return self._engine is not None

    def standing(self) -> IndexFreshness:
        """Return the state of the index's updates; thread-safe.

        Until this process has finished a sync, a failure recorded by an earlier process counts, and
        the files count as unchecked. A failure of this process counts until a sync of any process
        succeeds.
        """
        syncs = self.syncs.statistics()
        if syncs.last_result not in {None, "failed"}:
            return syncs.standing
        from ggrep.index.sync.index_state import last_success, recorded_standing

        record = store_files.index_state_file(self.identity.store)
        if syncs.last_result is None:
            before = recorded_standing(record)
            return replace(syncs.standing, failure=before.failure, unchecked=True)
        if last_success(record) < (syncs.last_sync_at or ""):
            return syncs.standing
        self.syncs.note_change(0)  # a sync of this process then updates the rest of its state
        return replace(syncs.standing, failure="", retry_ms=None)

    def freshness(self) -> Freshness:
        """Return whether the index matches the work tree, as far as events show; thread-safe."""
        syncs = self.syncs.statistics()
        if syncs.behind:
            return "behind"
        watch = self.shared.watcher.state(self.identity.root)
        looked = syncs.last_result == "ok" and watch.mode == "watching"
        return "current" if looked and not self.stale else "unknown"

    def is_sparse(self) -> bool:
        """Return whether the first index is missing or contains less than half of the files.

        The first files to index were chosen for an earlier query, so a scan of the tree then finds
        relevant files that the index lacks. Thread-safe.
        """
        from ggrep.index.store.manifest import read_active_manifest

        store = self.identity.store
        try:
            manifest = read_active_manifest(store)
        except StoreError:
            return False  # the engine reports the damage and requests a repair
        if manifest is None:
            return not has_index(store)  # the engine reports a lost pointer
        self.whole = not manifest.partial
        counts = manifest.counts
        return manifest.partial and 2 * counts.files_indexed < counts.files_eligible

    def _is_indexed(self) -> bool:
        """Return whether the first index is complete; True if it is damaged."""
        from ggrep.index.store.manifest import read_active_manifest

        store = self.identity.store
        try:
            manifest = read_active_manifest(store)
        except GgrepError:
            return True  # a damaged index is rebuilt
        return manifest is not None and not manifest.partial

    def rebuild(self) -> bool:
        """Request a sync to rebuild the damaged store; return whether it will run. Thread-safe."""
        self.syncs.note_change(0)
        syncs = self.syncs.statistics()
        stopped = self.stale or syncs.last_result in {"failed", "cancelled"}
        return syncs.state == "indexing" or not stopped

    def described(self, description: RepoDescription) -> RepoDescription:
        """Return a description with this daemon's freshness and notices; thread-safe.

        The result is cached because queries over many stores need all descriptions.
        """
        freshness = self.freshness()
        notices = (stale_notice(self.stale_reason),) if self.stale else ()
        state = freshness, notices
        cached = self._described
        if cached is not None and cached[0] is description and cached[1] == state:
            return cached[2]
        described = replace(
            description, freshness=freshness, notices=(*description.notices, *notices)
        )
        self._described = description, state, described
        return described

    def close_engine(self) -> bool:
        """Close the engine until its next use; return whether it was open."""
        with self._opening:
            engine, self._engine = self._engine, None
        # A running search can still cache lists for the old settings, but only in the old cache.
        self.pools = PoolCache()
        if engine is not None:
            engine.close()
        return engine is not None

    def read_config(self) -> tuple[LoadedConfig, RepoIdentity] | GgrepError:
        """Return the present settings on disk and the resulting store identity; thread-safe."""
        root = self.identity.root
        try:
            config = load_config(root, self.shared.home, self.shared.environ, self._flags)
            return config, identify(root, self.shared.home, config.settings)
        except GgrepError as error:
            return error

    def reload(self, result: tuple[LoadedConfig, RepoIdentity] | GgrepError) -> None:
        """Apply the result of `read_config`.

        If the settings select the same store, they apply from now on. If the settings select
        another store or cannot be read, the daemon becomes stale: it answers from the existing
        index, and neither syncs nor writes.
        """
        if isinstance(result, GgrepError):
            self._become_stale(f"the settings cannot be read: {result}")
            return
        config, identity = result
        if identity.config_fingerprint != self.identity.config_fingerprint:
            self._become_stale("the settings select another index")
            return
        self.config = config
        self.store_to_open = StoreToOpen.of(self.identity.root, self.shared.home, config.settings)
        self.close_engine()
        self.syncs.reconfigure(self._job(), self._figures())
        if self.stale:
            self.stale_reason = ""
            self.syncs.thaw()
        else:
            self.syncs.note_change(0)  # a sync that failed with the old settings may succeed now
        self.log.lifecycle("reloaded")

    def _become_stale(self, reason: str) -> None:
        if not self.stale:
            self.log.lifecycle("stale", reason=reason)
        self.stale_reason = reason
        self.syncs.freeze(reason)

    def welcome(self) -> Welcome:
        """Return the reply to a handshake."""
        return Welcome(
            protocol_version=max(PROTOCOL_VERSIONS),
            protocol_versions=PROTOCOL_VERSIONS,
            binary_version=__version__,
            supported_schema_versions=SCHEMA_VERSIONS,
            store_id=self.identity.store_id,
            config_fingerprint=self.identity.config_fingerprint,
            pid=self.pid,
            started_at=self.shared.started_at,
            stale=self.stale,
            build=self.shared.build,
        )

    def record(self, socket: Path) -> DaemonRecord:
        """Return the content of the record file next to the socket."""
        return DaemonRecord(
            store_id=self.identity.store_id,
            config_fingerprint=self.identity.config_fingerprint,
            root=str(self.identity.root),
            socket=str(socket),
            pid=self.pid,
            pid_started=own_start_ticks(),
            started_at=self.shared.started_at,
            binary_version=__version__,
            build=self.shared.build,
            protocol_versions=PROTOCOL_VERSIONS,
            host_id=self.shared.host_id,
            encoder=self.config.settings.encoder,
        )

    def load(self) -> DaemonLoad:
        """Return the current measurements."""
        shared = self.shared
        slots, handles = shared.slots.statistics(), shared.handles.statistics()
        return DaemonLoad(
            pid=self.pid,
            started_at=shared.started_at,
            uptime_ms=round(shared.clock.monotonic_ms() - shared.started_ms),
            binary_version=__version__,
            build=shared.build,
            protocol_version=max(PROTOCOL_VERSIONS),
            queries=self.counters.load(self.admission.statistics()),
            stale=self.stale,
            stale_reason=self.stale_reason,
            warming=self._engine is None and not self.counters.answered,
            encode=EncodeLoad(slots.max_concurrent, slots.in_use, stale=slots.stale > 0),
            handles=OpenHandles(handles.open, handles.budget),
            workers=shared.queries.load(),
            sync=self.syncs.statistics().load(self.standing()),
            watch=shared.watcher.state(self.identity.root).load(),
            rss_bytes=resident_bytes(),
            connections=self.connections,
            stages=self.counters.stages(),
        )

    def prioritise(self, paths: Sequence[str]) -> None:
        """Let the first index start with these files, the best files for a query."""
        self.in_background(lambda: self.shared.syncs.prioritise(self.identity.store_id, paths))

    def note_request(self, message: Message) -> None:
        """Record a request to this store."""
        self.note_use()
        if not isinstance(message, (*_LOOKS, *_ANSWERED)):
            self.let_index()

    def note_use(self) -> None:
        """Record that the store is used now."""
        self.last_asked_ms = self.shared.clock.monotonic_ms()

    def let_index(self) -> None:
        """Begin work that was delayed until after the first answer."""
        self.free.set()

    def new_id(self) -> str:
        """Return a new id for a request."""
        return self._new_id()

    @contextmanager
    def serving(self, tasks: TaskGroup) -> Iterator[None]:
        """Let the host's other daemons find this daemon during the block; `tasks` runs its work."""
        self.tasks = tasks
        self.shared.stores[self.key] = self
        self.log.lifecycle("started", pid=self.pid, build=self.shared.build)
        try:
            yield
        finally:
            self.shared.stores.pop(self.key, None)

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Count a client's connection during the block."""
        self.connections += 1
        try:
            yield
        finally:
            self.connections -= 1

    def in_background(self, work: Callable[[], Awaitable[object]]) -> None:
        """Run a task in the background, at most until the daemon ends."""
        if self.tasks is not None:
            self.tasks.start_soon(_quietly, work)

    def stop_after_reply(self, reason: str) -> None:
        """Stop the daemon once the reply to this request is sent."""
        self._ending = reason

    def replied(self, message: Message) -> None:
        """Record that a reply was sent."""
        if isinstance(message, _ANSWERED):
            self.let_index()
        if isinstance(message, Shutdown) and self._ending is not None:
            self.end(self._ending)

    def end(self, reason: str) -> None:
        """Cancel all requests for a reason, and let the daemon's tasks end."""
        self.cancel_all(reason)
        self.ended.set()

    def cancel_all(self, reason: str) -> None:
        """End all running and waiting requests."""
        self.stopping = self.stopping or reason
        self.admission.close(reason)
        for stop in list(self.requests.values()):
            stop.set(reason)

    def _job(self) -> SyncJob:
        return SyncJob(
            root=self.identity.root,
            home=self.shared.home.base,
            environ=self.shared.settings_environ,
            flags=dict(self._flags),
            store_id=self.identity.store_id,
            low_impact=self.config.settings.low_impact,
        )

    def _figures(self) -> LoopFigures:
        return LOW_IMPACT if self.config.settings.low_impact else LoopFigures()

    def _on_failed(self, error: GgrepError) -> None:
        trigger = self.syncs.statistics().trigger
        self.log.sync(SyncEvent(trigger, "error", 0.0, error_code=error.code))

    def _on_done(self, outcome: SyncOutcome) -> None:
        if self.shared.watcher.expect(self.identity.root, outcome.products):
            self.syncs.note_change(0)

    def _on_published(self, outcome: SyncOutcome) -> None:
        self.log.sync(
            SyncEvent(
                trigger=self.syncs.statistics().trigger,
                status="degraded" if outcome.degraded else "ok",
                **{name: getattr(outcome, name) for name in _LOGGED},
            )
        )
        self.published.set()
        self.published = anyio.Event()


async def _quietly(work: Callable[[], Awaitable[object]]) -> None:
    """Run a task and ignore its failure, which the status and the log report."""
    with suppress(GgrepError):
        await work()
