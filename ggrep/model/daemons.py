"""Daemons of a host: measurements, and the results of stopping daemons."""

from enum import Enum
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.constraints import Count, Held, Later, Named, Positive, Versioned
from ggrep.model.index_freshness import UP_TO_DATE, IndexFreshness
from ggrep.model.status import OpenHandles, QueryCounts, QueryWorkers, WatchStatus


class DaemonState(Enum):
    """A daemon's activity; tables show it with spaces instead of underscores."""

    READY = "ready"
    INDEXING = "indexing"
    STALE = "stale"
    STARTING = "starting"
    SILENT = "not_answering"
    OTHER = "other_version"

    @property
    def words(self) -> str:
        """Return the state's text in tables."""
        return self.value.replace("_", " ")


class Daemon(Struct, frozen=True):
    """A daemon; fields that the daemon did not report are null."""

    root: str | None
    """Absolute path of the repository; null when unknown."""
    store_id: Named
    """Store that the daemon serves; the name of its endpoint if it did not report a store."""
    state: DaemonState
    """Activity of the daemon."""
    pid: Positive | None = None
    """Process id; null when unknown."""
    progress_percent: Annotated[int, Held(least=0, most=100)] | None = None
    """Progress of the running sync, percent."""
    files: Count | None = None
    """Searchable files."""
    query_total: Count | None = None
    """Queries answered since the start."""
    in_flight: Count | None = None
    """Queries running."""
    query_latency_p50_ms: Count | None = None
    """Median of recent queries, milliseconds; null when there was none."""
    query_latency_p95_ms: Later[Count | None] = None
    """95th percentile of recent queries, milliseconds; null when there was none."""
    rss_bytes: Count | None = None
    """Memory of the daemon's process, bytes; all daemons of a process share this memory."""
    uptime_ms: Count | None = None
    """Time since the start of the daemon, milliseconds."""
    problem: str | None = None
    """Problem of the daemon, on a single line."""


class Daemons(Versioned, frozen=True, kw_only=True):
    """Running daemons, by root."""

    daemons: tuple[Daemon, ...]
    """One entry for each served store."""


def percent_done(done_files: int, total_files: int) -> int | None:
    """Return the progress of a sync; None while the number of its files is unknown."""
    return min(100 * done_files // total_files, 100) if total_files > 0 else None


class Stop(Struct, frozen=True):
    """A daemon and the result of stopping it."""

    root: str | None
    """Absolute path of the repository; null when unknown."""
    store_id: Named
    """Store that the daemon serves; the name of its endpoint if it did not report a store."""
    pid: Positive | None
    """Process id; null when unknown."""
    outcome: Literal["stopped", "killed", "gone", "failed"]
    """`stopped`: it ended on request; `killed`: the system ended it; `gone`: it had ended before
    the request; `failed`: it still runs.
    """
    reason: str | None = None
    """Reason why the daemon still runs, on a single line."""


class Stops(Versioned, frozen=True, kw_only=True):
    """Results of stopping daemons, by root."""

    ok: bool
    """Whether all daemons have ended."""
    stops: tuple[Stop, ...]
    """One entry for each daemon."""


DaemonsDocument: TypeAlias = Daemons | Stops
"""All daemons of one home and their activities, or the results of stopping daemons."""

WAITS_FOR_GIT: Final = "waiting for git"
"""Stage of a sync that waits until git has changed its files."""


class QueryLoad(QueryCounts, frozen=True):
    """Bounds, counters and latencies of searches; latencies are None without recent searches."""

    latency_p50_ms: int | None = None
    latency_p95_ms: int | None = None
    segments_touched_max: int | None = None


class EncodeLoad(Struct, frozen=True):
    """Slots that limit how many processes of the machine encode at the same time.

    Attributes:
        max_concurrent: 0 for no bound.
        stale: whether a slot belongs to a process that has died or has long sent no heartbeat.
    """

    max_concurrent: int = 0
    in_use: int = 0
    stale: bool = False


class SyncLoad(Struct, frozen=True):
    """The state of the daemon's syncs.

    Attributes:
        state: `idle` or `indexing`.
        stage: stage of the sync as text, also `WAITS_FOR_GIT` before a sync starts; empty while
            idle.
        done_files: number of finished files out of `total_files`; both are 0 while idle or unknown.
        last_result: `ok`, `degraded` or `error`; None before the first sync and after a cancelled
            sync.
        pending: whether a change waits for the next sync.
    """

    state: str = "idle"
    stage: str = ""
    done_files: int = 0
    total_files: int = 0
    last_result: str | None = None
    failures_total: int = 0
    pending: bool = False
    standing: IndexFreshness = UP_TO_DATE


class DaemonLoad(Struct, frozen=True):
    """All measurements of a daemon. Counters start at 0 with the process and never decrease.

    Attributes:
        started_at: start time, RFC 3339 in UTC.
        build: distinguishes builds with the same `binary_version`.
        stale: whether the configuration is outdated; `stale_reason` describes the change.
        warming: whether the daemon has not yet answered a search of the active snapshot.
        rss_bytes: memory of the daemon's process.
        stages: mean milliseconds of each stage in recent searches, in order.
    """

    pid: int
    started_at: str
    uptime_ms: int
    binary_version: str
    build: str
    protocol_version: int
    queries: QueryLoad
    stale: bool = False
    stale_reason: str = ""
    warming: bool = False
    encode: EncodeLoad = EncodeLoad()
    handles: OpenHandles = OpenHandles()
    workers: QueryWorkers = QueryWorkers()
    sync: SyncLoad = SyncLoad()
    watch: WatchStatus = WatchStatus()
    rss_bytes: int = 0
    connections: int = 0
    stages: tuple[tuple[str, float], ...] = ()
