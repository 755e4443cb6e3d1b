"""Resources that all daemons of a host process share, and stores that the host only reads."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol

from anyio import CapacityLimiter

from ggrep.base.clock import Clock
from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.config.home import Home
from ggrep.daemon.event_log import OpenLogs
from ggrep.daemon.joint_members import HostPacks, JointMembers
from ggrep.daemon.plan import LineReader, no_lines
from ggrep.daemon.qos.permits import CpuPermits, HandleBudget
from ggrep.daemon.query_process import QueryProcesses
from ggrep.daemon.sync_process import SyncProcess
from ggrep.daemon.watching import HostWatcher
from ggrep.index.embedding.encode_slots import EncodeSlots
from ggrep.model.batched_query import Member
from ggrep.model.response import RepoDescription

if TYPE_CHECKING:
    from ggrep.parse.workers.occurrence_pool import OccurrencePool
    from ggrep.search.engine.engine import Engine

_MOST: Final = 16_384
_CACHED_MS: Final = 30_000.0
"""Time for which cached settings of foreign stores are valid: their files are not watched."""


class ForeignStores:
    """Engines of stores that other processes serve. Thread-safe."""

    def __init__(self, home: Home, environ: Mapping[str, str], clock: Clock) -> None:
        """Start without open engines."""
        self._home = home
        self._environ = environ
        self._clock = clock
        self._lock = Lock()
        self._cached: dict[Member, tuple[float, Engine]] = {}

    def engine(self, place: Member, flags: Mapping[str, object]) -> "Engine | None":
        """Return the engine of a store; None if its settings now select another store.

        `flags` are the flags of the daemon that received the request.
        """
        now_ms = self._clock.monotonic_ms()
        with self._lock:
            until_ms, cached = self._cached.get(place, (0.0, None))
            if cached is not None and now_ms < until_ms:
                return cached
        opened = self._opened(place, flags)
        with self._lock:
            if opened is None:
                self._cached.pop(place, None)
                return None
            if len(self._cached) >= _MOST:
                self._cached.clear()
            if cached is not None and cached.settings == opened.settings:
                opened = cached  # its open files are still valid
            self._cached[place] = now_ms + _CACHED_MS, opened
            return opened

    def _opened(self, place: Member, flags: Mapping[str, object]) -> "Engine | None":
        from ggrep.search.engine.engine import Engine

        try:
            engine = Engine(
                Path(place.root), self._home, environ=self._environ, flags=flags, clock=self._clock
            )
        except GgrepError:
            return None
        identity = engine.identity
        key = (identity.store_id, identity.config_fingerprint)
        return engine if key == (place.store_id, place.config_fingerprint) else None


_COORDINATING: Final = 8
_POLLED_AT_ONCE: Final = 10
"""Up to this many daemons of a host check their files every `poll_s`; more check less often."""

Adopt = Callable[[Path, Mapping[str, object]], Awaitable[None]]
"""Starts to serve a further root with flags; raises an error if that fails."""


async def adopt_none(root: Path, flags: Mapping[str, object]) -> None:
    """Refuse to serve another root."""
    del flags
    raise InvalidRequest(f"this process serves a single root and cannot also serve {root}")


class ServedStore(Protocol):
    """The interface of a daemon for other daemons of its host.

    Attributes:
        stopping: reason why the daemon accepts no more requests; None if it accepts requests.
    """

    stopping: str | None

    def note_use(self) -> None:
        """Record a request to the store."""
        ...

    def engine(self) -> "Engine":
        """Return the engine of the daemon; thread-safe."""
        ...

    def described(self, description: RepoDescription) -> RepoDescription:
        """Return a description with the daemon's freshness and notices; thread-safe."""
        ...


@dataclass(frozen=True, slots=True)
class HostResources:
    """Resources of the host that its daemons share.

    Attributes:
        environ: environment variables at the start of the host's daemons.
        host_id: the same for all daemons of a host, and different for other hosts.
        occurrences: returns the pool of workers that look up names; created on first use;
            thread-safe.
        threads: bounds the threads that search.
        compactions: the worker that merges segments, in addition to the worker for syncs.
        operators: bounds the threads that inspect stores for operators; `threads` does not count
            these.
        coordinating: bounds the number of concurrent workspace queries.
        poll_s: shortest interval at which a daemon checks its files.
        adopt: makes this process serve a further root; only for the event loop's thread.
    """

    home: Home
    environ: Mapping[str, str]
    clock: Clock
    host_id: str
    build: str
    started_at: str
    started_ms: float
    cpu: CpuPermits
    handles: HandleBudget
    slots: EncodeSlots
    occurrences: Callable[[], "OccurrencePool"]
    threads: CapacityLimiter
    operators: CapacityLimiter
    poll_s: float
    syncs: SyncProcess
    compactions: SyncProcess
    queries: QueryProcesses
    watcher: HostWatcher
    reads: LineReader = no_lines
    adopt: Adopt = adopt_none
    stores: dict[tuple[str, str], ServedStore] = field(default_factory=dict)
    joint: JointMembers = field(default_factory=JointMembers)
    logs: OpenLogs = field(default_factory=OpenLogs)
    foreign_stores: ForeignStores = field(init=False)
    packs: HostPacks = field(init=False)
    coordinating: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(_COORDINATING))

    def __post_init__(self) -> None:
        """Create the empty caches `packs` and `foreign_stores`."""
        object.__setattr__(
            self, "foreign_stores", ForeignStores(self.home, self.environ, self.clock)
        )
        object.__setattr__(self, "packs", HostPacks(self.home, self.clock))

    @property
    def look_s(self) -> float:
        """Return the present interval at which each daemon checks its files."""
        return self.poll_s * max(1.0, len(self.stores) / _POLLED_AT_ONCE)

    @property
    def settings_environ(self) -> dict[str, str]:
        """Return all `GGREP_*` variables, the only variables that change settings."""
        return {
            name: value for name, value in sorted(self.environ.items()) if name.startswith("GGREP_")
        }
