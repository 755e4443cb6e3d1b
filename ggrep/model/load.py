"""Measurements of a daemon at one moment, for status, health and metrics.

Counters begin with the process and never fall; the other figures say how it is now.
"""

from typing import Final

from msgspec import Struct

from ggrep.model.standing import AT_REST, Standing
from ggrep.model.status import OpenHandles, QueryCounts, WatchStatus

WAITS_FOR_GIT: Final = "waiting for git"
"""Stage of a sync that waits until git has moved its files."""


class QueryLoad(QueryCounts, frozen=True):
    """Searches: bounds, what goes on, counters, and measurements of recent searches.

    Attributes:
        latency_p50_ms: None while there was no search, as the other two.
        segments_touched_max: most that a recent search read.
    """

    latency_p50_ms: int | None = None
    latency_p95_ms: int | None = None
    segments_touched_max: int | None = None


class EncodeLoad(Struct, frozen=True):
    """Slots for encoding, of the whole host.

    Attributes:
        max_concurrent: 0 when nothing limits them.
        stale: a slot's record is of a holder that has died or has long been silent.
    """

    max_concurrent: int = 0
    in_use: int = 0
    stale: bool = False


class SyncLoad(Struct, frozen=True):
    """The daemon's own updating of its index.

    Attributes:
        state: `idle` or `indexing`.
        stage: what it is at, for people; empty while idle. `WAITS_FOR_GIT` before it begins, too.
        done_files: of `total_files`; both 0 while idle or not known yet.
        last_result: `ok`, `degraded` or `error`; None before the first, or where it was cancelled.
        pending: a change is waiting for the next one.
        standing: what answers say of it.
    """

    state: str = "idle"
    stage: str = ""
    done_files: int = 0
    total_files: int = 0
    last_result: str | None = None
    failures_total: int = 0
    pending: bool = False
    standing: Standing = AT_REST


class DaemonLoad(Struct, frozen=True):
    """Everything that one daemon measures.

    Attributes:
        started_at: RFC 3339, UTC.
        binary_version: version of the package; `build` tells apart two builds of one version.
        stale: it serves a configuration that is no longer the present one; `stale_reason` says
            what changed.
        warming: it has not yet answered its first search of the active snapshot.
        rss_bytes: memory of the process that carries the daemon.
        stages: mean milliseconds of recent searches by stage, in the order they are passed.
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
