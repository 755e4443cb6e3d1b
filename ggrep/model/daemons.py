"""Daemons of a host: their measurements, and the results of stopping them."""

from enum import Enum
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.constraints import Count, Held, Named, Positive, Versioned
from ggrep.model.index_freshness import UP_TO_DATE, IndexFreshness
from ggrep.model.status import OpenHandles, QueryCounts, WatchStatus


class DaemonState(Enum):
    """A daemon's activity; tables show the word with blanks."""

    READY = "ready"
    INDEXING = "indexing"
    STALE = "stale"
    STARTING = "starting"
    SILENT = "not_answering"
    OTHER = "other_version"

    @property
    def words(self) -> str:
        """Return the state as tables show it."""
        return self.value.replace("_", " ")


class Daemon(Struct, frozen=True):
    """One daemon; null is what it did not say."""

    root: str | None
    """Absolute path of the repository; null when nobody knows."""
    store_id: Named
    """The store it serves, or its endpoint's name when it did not say."""
    state: DaemonState
    """What it is at."""
    pid: Positive | None = None
    """Its process id; null when not known."""
    progress_percent: Annotated[int, Held(least=0, most=100)] | None = None
    """How far a sync is that runs."""
    files: Count | None = None
    """Files that can be found."""
    query_total: Count | None = None
    """Queries answered since its start."""
    in_flight: Count | None = None
    """Queries running."""
    query_latency_p50_ms: Count | None = None
    """Median of recent queries, milliseconds; null when there was none."""
    rss_bytes: Count | None = None
    """Memory of the process that carries it; those of one process share it."""
    uptime_ms: Count | None = None
    """How long it has run, milliseconds."""
    problem: str | None = None
    """What should be known of it, one line for people."""


class Daemons(Versioned, frozen=True, kw_only=True):
    """What runs, by root."""

    daemons: tuple[Daemon, ...]
    """One entry for each store that is served."""


class Stop(Struct, frozen=True):
    """One daemon that was told to stop."""

    root: str | None
    """Absolute path of the repository; null when nobody knows."""
    store_id: Named
    """The store it serves, or its endpoint's name when it did not say."""
    pid: Positive | None
    """Its process id; null when not known."""
    outcome: Literal["stopped", "killed", "gone", "failed"]
    """`stopped` by itself, `killed` by the system, `gone` before it was told, `failed`: it goes on.
    """
    reason: str | None = None
    """Why it goes on, one line for people."""


class Stops(Versioned, frozen=True, kw_only=True):
    """What became of those told to stop, by root."""

    ok: bool
    """None of them goes on."""
    stops: tuple[Stop, ...]
    """One entry for each."""


DaemonsDocument: TypeAlias = Daemons | Stops
"""All daemons of one home and what they do, or what became of those that were told to stop."""

WAITS_FOR_GIT: Final = "waiting for git"
"""Stage of a sync that waits until git has moved its files."""


class QueryLoad(QueryCounts, frozen=True):
    """Searches: bounds, running ones, counters, and figures of recent ones, None without any."""

    latency_p50_ms: int | None = None
    latency_p95_ms: int | None = None
    segments_touched_max: int | None = None


class EncodeLoad(Struct, frozen=True):
    """Slots for encoding, of the whole host.

    Attributes:
        max_concurrent: 0 for no bound.
        stale: a slot belongs to a process that has died or is silent for long.
    """

    max_concurrent: int = 0
    in_use: int = 0
    stale: bool = False


class SyncLoad(Struct, frozen=True):
    """The daemon's own updating of its index.

    Attributes:
        state: `idle` or `indexing`.
        stage: for people; empty while idle. It is `WAITS_FOR_GIT` before it begins, too.
        done_files: of `total_files`; both 0 while idle or not known yet.
        last_result: `ok`, `degraded` or `error`; None before the first, and after a cancelled one.
        pending: a change is waiting for the next one.
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
    """All measurements of one daemon. Counters begin with the process and never fall.

    Attributes:
        started_at: RFC 3339, UTC.
        build: tells apart two builds of one `binary_version`.
        stale: its configuration is outdated; `stale_reason` says what changed.
        warming: it has not yet answered its first search of the active snapshot.
        rss_bytes: memory of the process that carries the daemon.
        stages: mean milliseconds of recent searches by stage, in their order.
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
    sync: SyncLoad = SyncLoad()
    watch: WatchStatus = WatchStatus()
    rss_bytes: int = 0
    connections: int = 0
    stages: tuple[tuple[str, float], ...] = ()
