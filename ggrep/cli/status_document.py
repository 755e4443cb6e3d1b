"""What the terminal shows of a status document, whichever build wrote it.

A daemon of another version may know less or more: unknown keys are ignored, and what is missing
has the value it has where no daemon runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ggrep.cli.daemon_row import DaemonRow, DaemonState
from ggrep.domain.decode import DecodeError, decode
from ggrep.domain.made import MadeFiles
from ggrep.errors import Incompatible


@dataclass(frozen=True, slots=True)
class ShownDaemon:
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


@dataclass(frozen=True, slots=True)
class ShownSnapshot:
    """The active snapshot, or none."""

    active_snapshot_id: str | None = None
    created_at: str | None = None
    degraded: bool = False
    partial: bool = False
    files: int = 0
    masked_files: int = 0
    made_files: MadeFiles = MadeFiles()  # noqa: RUF009 - frozen
    chunks: int = 0
    segments: int = 0


@dataclass(frozen=True, slots=True)
class ShownSync:
    """What goes on, and how the last one ended."""

    state: str = "idle"
    stage: str | None = None
    done_files: int = 0
    total_files: int = 0
    pending: bool = False
    last_sync_at: str | None = None
    last_result: str | None = None
    secret_files: int = 0


@dataclass(frozen=True, slots=True)
class ShownWatch:
    """How the daemon learns of changes."""

    mode: str = "off"
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ShownQueries:
    """The daemon's load."""

    in_flight: int = 0
    queue_depth: int = 0
    query_total: int = 0
    busy_total: int = 0


@dataclass(frozen=True, slots=True)
class ShownDisk:
    """What the store takes."""

    store_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ShownResources:
    """What is in use."""

    disk: ShownDisk = ShownDisk()


@dataclass(frozen=True, slots=True)
class ShownPerformance:
    """What was measured."""

    query_latency_p50_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ShownWarning:
    """What should be known of the rest."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ShownStatus:
    """One repository's status as the terminal shows it."""

    store_id: str
    canonical_root: str
    encoder: str = ""
    daemon: ShownDaemon = ShownDaemon()
    snapshot: ShownSnapshot = ShownSnapshot()
    sync: ShownSync = ShownSync()
    watch: ShownWatch = ShownWatch()
    queries: ShownQueries = ShownQueries()
    resources: ShownResources = ShownResources()
    performance: ShownPerformance = ShownPerformance()
    warnings: tuple[ShownWarning, ...] = ()


def read_document(document: Mapping[str, object]) -> ShownStatus:
    """Return what a status document says.

    Raises:
        Incompatible: it is of a shape that this build cannot read.
    """
    try:
        return decode(ShownStatus, document)
    except DecodeError as error:
        raise Incompatible(f"status: {error}") from error


def row_of(shown: ShownStatus) -> DaemonRow:
    """Return the line of a daemon that answered."""
    daemon, sync = shown.daemon, shown.sync
    return DaemonRow(
        root=shown.canonical_root,
        store_id=shown.store_id,
        state=_state(shown),
        pid=daemon.pid,
        done_files=sync.done_files,
        total_files=sync.total_files,
        files=shown.snapshot.files,
        query_total=shown.queries.query_total,
        in_flight=shown.queries.in_flight,
        latency_p50_ms=shown.performance.query_latency_p50_ms,
        rss_bytes=daemon.rss_bytes,
        uptime_ms=daemon.uptime_ms,
        problem=daemon.stale_reason or shown.watch.problem,
    )


def _state(shown: ShownStatus) -> DaemonState:
    if shown.daemon.stale:
        return DaemonState.STALE
    if shown.sync.state == "indexing":
        return DaemonState.INDEXING
    if shown.snapshot.active_snapshot_id is None:
        return DaemonState.STARTING
    return DaemonState.READY
