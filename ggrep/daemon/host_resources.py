"""Resources that all daemons of one host process share, and stores that it only reads."""

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
from ggrep.daemon.sync_process import SyncProcess
from ggrep.daemon.watching import HostWatcher
from ggrep.index.embedding.encode_slots import EncodeSlots
from ggrep.model.batched_query import Member
from ggrep.model.response import RepoDescription

if TYPE_CHECKING:
    from ggrep.parse.workers.occurrence_pool import OccurrencePool
    from ggrep.search.engine.engine import Engine

_MOST: Final = 16_384
_HELD_MS: Final = 30_000.0
"""Validity of settings that were read, since their files are not watched."""


class ForeignStores:
    """Engines of stores that others serve. Threads may share it."""

    def __init__(self, home: Home, environ: Mapping[str, str], clock: Clock) -> None:
        """Open nothing yet."""
        self._home = home
        self._environ = environ
        self._clock = clock
        self._lock = Lock()
        self._held: dict[Member, tuple[float, Engine]] = {}

    def engine(self, place: Member, flags: Mapping[str, object]) -> "Engine | None":
        """Return the engine of a store; None where its settings lead to another store by now.

        `flags` are those of the daemon that was asked.
        """
        now_ms = self._clock.monotonic_ms()
        with self._lock:
            until_ms, held = self._held.get(place, (0.0, None))
            if held is not None and now_ms < until_ms:
                return held
        opened = self._opened(place, flags)
        with self._lock:
            if opened is None:
                self._held.pop(place, None)
                return None
            if len(self._held) >= _MOST:
                self._held.clear()
            if held is not None and held.settings == opened.settings:
                opened = held  # what it has opened is as good as before
            self._held[place] = now_ms + _HELD_MS, opened
            return opened

    def _opened(self, place: Member, flags: Mapping[str, object]) -> "Engine | None":
        from ggrep.search.engine.engine import Engine

        try:
            engine = Engine(
                Path(place.root), self._home, environ=self._environ, flags=flags, clock=self._clock
            )
        except GgrepError:
            return None
        found = engine.identity
        same = (found.store_id, found.config_fingerprint)
        return engine if same == (place.store_id, place.config_fingerprint) else None


_COORDINATING: Final = 8
_POLLED_AT_ONCE: Final = 10
"""Daemons of one host that look at their files every `poll_s`; more look less often."""

Adopt = Callable[[Path, Mapping[str, object]], Awaitable[None]]
"""Begins to serve another root with some flags; raises what keeps it from that."""


async def adopt_none(root: Path, flags: Mapping[str, object]) -> None:
    """Refuse to serve another root."""
    del flags
    raise InvalidRequest(f"{root}: this process serves no other root")


class ServedStore(Protocol):
    """A daemon, as other daemons of its host see it.

    Attributes:
        stopping: why it takes no requests any more; None while it does.
        last_asked_ms: when it was asked last, on the host's clock.
    """

    stopping: str | None
    last_asked_ms: float

    def engine(self) -> "Engine":
        """Return its engine; thread-safe."""
        ...

    def described(self, told: RepoDescription) -> RepoDescription:
        """Return a description with what the daemon knows beside it; thread-safe."""
        ...


@dataclass(frozen=True, slots=True)
class HostResources:
    """Resources of the host that its daemons share.

    Attributes:
        environ: the variables that all its daemons were started under.
        host_id: tells the daemons of one host from those of another.
        occurrences: returns who looks for names, made when first asked for; thread-safe.
        threads: bounds the threads that search.
        operators: bounds the threads that inspect stores for operators, apart from the others.
        coordinating: bounds those that coordinate workspaces, which wait for others.
        poll_s: how often a daemon looks at its files; of many each looks less often.
        adopt: has this process serve another root; of its event loop alone.
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
        """Open packs and foreign stores of our home."""
        object.__setattr__(
            self, "foreign_stores", ForeignStores(self.home, self.environ, self.clock)
        )
        object.__setattr__(self, "packs", HostPacks(self.home, self.clock))

    @property
    def look_s(self) -> float:
        """Return how often each daemon looks at its files now."""
        return self.poll_s * max(1.0, len(self.stores) / _POLLED_AT_ONCE)

    @property
    def settings_environ(self) -> dict[str, str]:
        """Return all variables with our prefix, the only ones that change settings."""
        return {
            name: value for name, value in sorted(self.environ.items()) if name.startswith("GGREP_")
        }
