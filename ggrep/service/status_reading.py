"""A repository's status as a value, whichever build its document comes from.

A daemon of another version may know less or more: unknown keys are ignored, and what is missing
has the value it has where no daemon runs.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.decode import DecodeError, decode
from ggrep.base.errors import Incompatible, LoadError
from ggrep.base.stable_json import Document, Json
from ggrep.model.limits import Notice
from ggrep.model.made_counts import MadeFiles
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.client.reaching import Reaching
from ggrep.protocol.wire import message_types

if TYPE_CHECKING:
    from ggrep.model.schemas.status import StatusJson
    from ggrep.search.engine.engine import Engine

REPLY_MS: Final = 2_000
"""How long a daemon may take to say how it is."""


class DaemonStatus(Struct, frozen=True):
    """The process that serves the store, or none."""

    running: bool = False
    pid: int | None = None
    uptime_ms: int | None = None
    binary_version: str | None = None
    stale: bool = False
    stale_reason: str | None = None
    warming: bool = False
    connections: int = 0
    rss_bytes: int | None = None


class SnapshotStatus(Struct, frozen=True):
    """The active snapshot, or none."""

    active_snapshot_id: str | None = None
    created_at: str | None = None
    degraded: bool = False
    partial: bool = False
    files: int = 0
    masked_files: int = 0
    made_files: MadeFiles = MadeFiles()
    chunks: int = 0
    segments: int = 0


class SyncState(Struct, frozen=True):
    """What goes on, and how the last one ended."""

    state: str = "idle"
    stage: str | None = None
    done_files: int = 0
    total_files: int = 0
    pending: bool = False
    last_sync_at: str | None = None
    last_result: str | None = None
    secret_files: int = 0


class WatchState(Struct, frozen=True):
    """How the daemon learns of changes."""

    mode: str = "off"
    problem: str | None = None


class QueryFigures(Struct, frozen=True):
    """The daemon's load."""

    in_flight: int = 0
    queue_depth: int = 0
    query_total: int = 0
    busy_total: int = 0


class DiskFigures(Struct, frozen=True):
    """What the store takes."""

    store_bytes: int = 0


class ResourceFigures(Struct, frozen=True):
    """What is in use."""

    disk: DiskFigures = DiskFigures()


class Performance(Struct, frozen=True):
    """What was measured."""

    query_latency_p50_ms: int | None = None


class Status(Struct, frozen=True):
    """One repository's index and daemon.

    Attributes:
        document: what it was read from, which holds more than is read.
    """

    store_id: str
    canonical_root: str
    encoder: str = ""
    daemon: DaemonStatus = DaemonStatus()
    snapshot: SnapshotStatus = SnapshotStatus()
    sync: SyncState = SyncState()
    watch: WatchState = WatchState()
    queries: QueryFigures = QueryFigures()
    resources: ResourceFigures = ResourceFigures()
    performance: Performance = Performance()
    warnings: tuple[Notice, ...] = ()
    document: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the whole document, as `ggrep status --json` prints it."""
        return dict(self.document or {})


def read_document(document: Mapping[str, object]) -> Status:
    """Return what a status document says.

    Raises:
        Incompatible: it is of a shape that this build cannot read.
    """
    try:
        return replace(decode(Status, document), document=document)
    except DecodeError as error:
        raise Incompatible(f"status: {error}") from error


def status_document(
    address: DaemonAddress,
    environ: Mapping[str, str],
    engine: "Callable[[], Engine]",
    told: Callable[[str], None],
) -> Document:
    """Return the status of a repository: what its daemon says, else what lies on disk.

    No daemon is started. Where one runs and does not say, `told` gets a line for people.
    """
    return _of_daemon(address, environ, told) or disk_document(address, engine())


def _of_daemon(
    address: DaemonAddress, environ: Mapping[str, str], told: Callable[[str], None]
) -> dict[str, Json] | None:
    clock = SystemClock()
    try:
        link = Reaching(address, clock, environ).running()
        if link is None:
            return None
        with link:
            reply = link.ask(message_types.Status(), Deadline.after(clock, REPLY_MS))
    except (LoadError, Unreachable) as error:
        told(f"{error}; what follows is read from the disk")
        return None
    found = reply.body.get("status")
    return found if isinstance(found, dict) else None


def disk_document(address: DaemonAddress, engine: "Engine") -> "StatusJson":
    """Return the status of a repository as it lies on disk."""
    from ggrep.index.maintenance.status import read_status
    from ggrep.index.maintenance.status_json import status_json

    identity = address.identity
    report = read_status(
        engine.settings,
        engine.inspect,
        engine.home,
        root=identity.root,
        store_id=identity.store_id,
        config_fingerprint=identity.config_fingerprint,
    )
    return status_json(report)
