"""The resources that all daemons of one host process share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from anyio import CapacityLimiter

from ggrep.base.clock import Clock
from ggrep.config.home import Home
from ggrep.daemon.asked_line import LineReader, no_lines
from ggrep.daemon.qos.cpu import CpuPermits
from ggrep.daemon.qos.handles import HandleBudget
from ggrep.daemon.sync_process import SyncProcess
from ggrep.daemon.watching import HostWatcher
from ggrep.index.embedding.encode_slots import EncodeSlots

if TYPE_CHECKING:
    from ggrep.daemon.store_daemon import StoreDaemon
    from ggrep.parse.workers.occurrence_pool import OccurrencePool


_COORDINATING: Final = 8


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
    stores: dict[tuple[str, str], "StoreDaemon"] = field(default_factory=dict)
    coordinating: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(_COORDINATING))

    @property
    def settings_environ(self) -> dict[str, str]:
        """Return all variables with our prefix, the only ones that change settings."""
        return {
            name: value for name, value in sorted(self.environ.items()) if name.startswith("GGREP_")
        }
