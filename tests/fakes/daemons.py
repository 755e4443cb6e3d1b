"""Figures of daemons that nobody runs."""

from ggrep.model.daemons import (
    Daemon,
    DaemonLoad,
    DaemonState,
    EncodeLoad,
    OpenHandles,
    QueryLoad,
    QueryWorkers,
    Stop,
    SyncLoad,
    WatchStatus,
)

STARTED_AT = "2031-02-03T04:05:06Z"


def quiet_load() -> DaemonLoad:
    return DaemonLoad(
        pid=4711,
        started_at=STARTED_AT,
        uptime_ms=7_300_000,
        binary_version="0.1.0",
        build="b1",
        protocol_version=1,
        queries=QueryLoad(max_concurrent=8, max_queue_depth=32, timeout_ms=60_000),
        watch=WatchStatus(mode="events"),
    )


def busy_load() -> DaemonLoad:
    """Return the figures of a daemon that does everything at once, and much of it badly."""
    return DaemonLoad(
        pid=4711,
        started_at=STARTED_AT,
        uptime_ms=7_300_000,
        binary_version="0.1.0",
        build="b1",
        protocol_version=1,
        queries=QueryLoad(
            max_concurrent=8,
            max_queue_depth=32,
            timeout_ms=60_000,
            in_flight=3,
            queue_depth=2,
            query_total=1_200,
            busy_total=4,
            timeouts_total=5,
            cancelled_total=6,
            failed_total=7,
            slow_total=8,
            slow_query_ms=2_000,
            latency_p50_ms=301,
            latency_p95_ms=900,
            segments_touched_max=65,
            clients=2,
        ),
        stale=True,
        stale_reason="the encoder changed",
        warming=True,
        encode=EncodeLoad(max_concurrent=2, in_use=1, stale=True),
        handles=OpenHandles(segments_open=500, segments_budget=512),
        workers=QueryWorkers(running=2, max_running=3, started_total=4, answered_total=90),
        sync=SyncLoad(
            state="indexing",
            stage="index",
            done_files=9,
            total_files=20,
            last_result="error",
            failures_total=1,
            pending=True,
        ),
        watch=WatchStatus(
            mode="polling", events_total=40, last_event_age_ms=1_500, problem="no watches left"
        ),
        rss_bytes=412_000_000,
        connections=5,
        stages=(("admission", 0.25), ("rank", 3.0)),
    )


def rows() -> tuple[Daemon, ...]:
    """Return a line for each state a daemon can be in, in no order."""
    return (
        Daemon(
            "/code/shop",
            "shop-0",
            DaemonState.READY,
            pid=12,
            files=1_834,
            query_total=12_873,
            in_flight=3,
            query_latency_p50_ms=12,
            rss_bytes=412_000_000,
            uptime_ms=7_300_000,
        ),
        Daemon(
            "/code/ledger",
            "ledger-0",
            DaemonState.INDEXING,
            pid=12,
            progress_percent=45,
            files=980,
            query_total=12,
            in_flight=0,
            rss_bytes=412_000_000,
            uptime_ms=42_000,
        ),
        Daemon(
            "/code/gateway",
            "gateway-0",
            DaemonState.STALE,
            pid=13,
            files=98_000,
            query_total=1_200_400,
            in_flight=1,
            query_latency_p50_ms=1_412,
            rss_bytes=2_100_000_000,
            uptime_ms=300_000_000,
            problem="the encoder changed",
        ),
        Daemon("/code/fresh", "fresh-0", DaemonState.STARTING, pid=14, uptime_ms=800),
        Daemon("/code/mute", "mute-0", DaemonState.SILENT, pid=15),
        Daemon(None, "other-0", DaemonState.OTHER, pid=16, problem="speaks protocol 2"),
    )


def stops() -> tuple[Stop, ...]:
    """Return each way in which a daemon can stop."""
    return (
        Stop("/code/shop", "shop-0", 12, "stopped"),
        Stop("/code/mute", "mute-0", 15, "killed"),
        Stop("/code/ledger", "ledger-0", None, "gone"),
        Stop(None, "other-0", 16, "failed", "it belongs to another user"),
    )
