"""Measurements of a daemon at one moment, for status, health and metrics.

Counters begin with the process and never fall; the other figures say how it is now.
"""

from typing import Final

from msgspec import Struct

from ggrep.model.standing import AT_REST, Standing

WAITS_FOR_GIT: Final = "waiting for git"
"""Stage of a sync that waits until git has moved its files."""


class QueryLoad(Struct, frozen=True):
    """Searches: bounds, what goes on, and counters.

    Attributes:
        query_total: those that were answered, with hits or without.
        busy_total: those turned away for want of room.
        failed_total: those that ended in an error that no other counter counts.
        slow_total: those that took longer than `slow_query_ms`.
        latency_p50_ms: of recent searches; None while there was none.
        segments_touched_max: most that a recent search read.
        clients: how many of them have searches running or waiting.
    """

    max_concurrent: int
    max_queue_depth: int
    timeout_ms: int
    in_flight: int = 0
    queue_depth: int = 0
    query_total: int = 0
    busy_total: int = 0
    timeouts_total: int = 0
    cancelled_total: int = 0
    failed_total: int = 0
    slow_total: int = 0
    slow_query_ms: int = 2000
    latency_p50_ms: int | None = None
    latency_p95_ms: int | None = None
    segments_touched_max: int | None = None
    clients: int = 0


class EncodeLoad(Struct, frozen=True):
    """Slots for encoding, of the whole host.

    Attributes:
        max_concurrent: 0 when nothing limits them.
        stale: a slot's record is of a holder that has died or has long been silent.
    """

    max_concurrent: int = 0
    in_use: int = 0
    stale: bool = False


class HandleLoad(Struct, frozen=True):
    """Open segments of this process, against what it may open."""

    segments_open: int = 0
    segments_budget: int = 0


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


class WatchLoad(Struct, frozen=True):
    """How the daemon learns of changes.

    Attributes:
        mode: `events`, `polling` or `off`.
        last_event_age_ms: None before the first.
        problem: why it is not `events`, for people; empty when nothing is wrong.
    """

    mode: str = "off"
    events_total: int = 0
    last_event_age_ms: int | None = None
    problem: str = ""


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
    handles: HandleLoad = HandleLoad()
    sync: SyncLoad = SyncLoad()
    watch: WatchLoad = WatchLoad()
    rss_bytes: int = 0
    connections: int = 0
    stages: tuple[tuple[str, float], ...] = ()
