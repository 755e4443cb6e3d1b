"""The resources that all daemons of one host process share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from anyio import CapacityLimiter

from ggrep.base.clock import Clock
from ggrep.config.home import Home
from ggrep.daemon.asked_line import LineReader, no_lines
from ggrep.daemon.guests import Guests
from ggrep.daemon.host_packs import HostPacks
from ggrep.daemon.joint_members import JointMembers
from ggrep.daemon.open_logs import OpenLogs
from ggrep.daemon.qos.cpu import CpuPermits
from ggrep.daemon.qos.handles import HandleBudget
from ggrep.daemon.sync_process import SyncProcess
from ggrep.daemon.watching import HostWatcher
from ggrep.index.embedding.encode_slots import EncodeSlots
from ggrep.model.response import RepoDescription

if TYPE_CHECKING:
    from ggrep.parse.workers.occurrence_pool import OccurrencePool
    from ggrep.search.engine.engine import Engine


_COORDINATING: Final = 8


class ServedStore(Protocol):
    """What daemons of one host know of each other.

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
class Shared:
    """Resources of the host that its daemons share.

    Attributes:
        environ: the variables that all its daemons were started under.
        host_id: tells the daemons of one host from those of another.
        occurrences: returns who looks for names, made when first asked for; thread-safe.
        threads: bounds the threads that search.
        desk: bounds those that look at stores for operators, who must not take the others' place.
        coordinating: bounds those that coordinate workspaces, which wait for others.
        poll_s: how often each daemon looks at its files.
        build: of the code that runs.
        reads: reads typed commands.
        stores: the daemons of this host, by store and configuration.
        guests: stores that it reads and does not serve.
        joint: which of them are asked together.
        packs: what such questions are answered from.
        logs: which of the daemons' logs are open.
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
    desk: CapacityLimiter
    poll_s: float
    syncs: SyncProcess
    watcher: HostWatcher
    reads: LineReader = no_lines
    stores: dict[tuple[str, str], ServedStore] = field(default_factory=dict)
    joint: JointMembers = field(default_factory=JointMembers)
    logs: OpenLogs = field(default_factory=OpenLogs)
    guests: Guests = field(init=False)
    packs: HostPacks = field(init=False)
    coordinating: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(_COORDINATING))

    def __post_init__(self) -> None:
        """Have packs of our home, and guests."""
        object.__setattr__(self, "guests", Guests(self.home, self.environ, self.clock))
        object.__setattr__(self, "packs", HostPacks(self.home, self.clock))

    @property
    def settings_environ(self) -> dict[str, str]:
        """Return all variables with our prefix, the only ones that change settings."""
        return {
            name: value for name, value in sorted(self.environ.items()) if name.startswith("GGREP_")
        }
