"""One daemon of this host, as a row of a table."""

from dataclasses import dataclass
from enum import Enum

from ggrep.service.status_reading import Status


class DaemonState(Enum):
    """A daemon's activity; the value is the word of documents and tables."""

    READY = "ready"
    INDEXING = "indexing"
    STALE = "stale"
    STARTING = "starting"
    SILENT = "not answering"
    OTHER = "other version"


@dataclass(frozen=True, slots=True)
class DaemonRow:
    """The data of one daemon; of one that did not answer, only its identity.

    Attributes:
        root: of the repository; empty when nobody knows.
        done_files: of `total_files`, while it indexes; both 0 when not known.
        files: that can be found; None when it did not say, like all that follow.
        query_total: counts from its start, of which `uptime_ms` says how long ago.
        problem: what should be known of it, for people.
    """

    root: str
    store_id: str
    state: DaemonState
    pid: int | None = None
    done_files: int = 0
    total_files: int = 0
    files: int | None = None
    query_total: int | None = None
    in_flight: int | None = None
    latency_p50_ms: int | None = None
    rss_bytes: int | None = None
    uptime_ms: int | None = None
    problem: str | None = None

    @property
    def progress(self) -> int | None:
        """Return the percentage of files done by the running sync; None if unknown."""
        if self.state is not DaemonState.INDEXING or self.total_files <= 0:
            return None
        return min(100 * self.done_files // self.total_files, 100)


def row_of(shown: Status) -> DaemonRow:
    """Return the row of a daemon that answered."""
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


def _state(shown: Status) -> DaemonState:
    if shown.daemon.stale:
        return DaemonState.STALE
    if shown.sync.state == "indexing":
        return DaemonState.INDEXING
    if shown.snapshot.active_snapshot_id is None:
        return DaemonState.STARTING
    return DaemonState.READY
