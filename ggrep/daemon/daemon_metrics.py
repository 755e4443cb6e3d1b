"""Metrics of daemons for other programs: Prometheus' text format, and JSON.

Names of the metrics, all with the label `store`; counters start at 0 with the process:

    ggrep_daemon_info{version,build}    1
    ggrep_uptime_seconds                gauge
    ggrep_resident_bytes                gauge, of the host process
    ggrep_connections                   gauge
    ggrep_stale, ggrep_warming          gauges, 0 or 1
    ggrep_queries_total{status}         counter: ok, busy, timeout, cancelled, error
    ggrep_slow_queries_total            counter
    ggrep_queries_in_flight             gauge, and ggrep_queries_in_flight_limit
    ggrep_queries_queued                gauge, and ggrep_queries_queued_limit
    ggrep_query_clients                 gauge
    ggrep_query_latency_seconds{quantile}   gauge of recent queries: 0.5, 0.95
    ggrep_query_stage_seconds{stage}    gauge, mean of recent queries
    ggrep_segments_touched_max          gauge, of recent queries
    ggrep_segments_open                 gauge, and ggrep_segments_open_limit
    ggrep_query_workers                 gauge, and ggrep_query_workers_limit; of the process
    ggrep_query_workers_started_total   counter, of the process
    ggrep_query_workers_answered_total  counter, of queries that these workers answered
    ggrep_encode_slots_used             gauge, and ggrep_encode_slots_limit; of the host
    ggrep_encode_slots_stale            gauge, 0 or 1
    ggrep_sync_running, ggrep_sync_pending  gauges, 0 or 1
    ggrep_sync_files, ggrep_sync_files_done gauges, of the sync that runs
    ggrep_sync_failures_total           counter
    ggrep_watch_mode{mode}              1 for the current mode: events, polling, off
    ggrep_watch_events_total            counter

A metric without a measurement has no sample. A scrape of all daemons of a home also contains

    ggrep_daemon_up{root}               1, or 0 if the daemon did not answer
    ggrep_daemons                       gauge, without a store: number of daemons
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field, to_builtins

from ggrep.base.stable_json import Json
from ggrep.model.daemons import DaemonLoad

if TYPE_CHECKING:
    from prometheus_client import Metric

METRICS_SCHEMA: Final = 1
"""Version of the JSON of the figures.

1. First shape.
"""


class Sample(Struct, frozen=True):
    """A figure of a daemon, independent of the output format.

    Attributes:
        name: name of the metric, without the suffix `_total` of counters.
    """

    name: str
    kind: str
    about: str
    value: float | None
    labels: Mapping[str, str] = field(default_factory=dict)


class Scraped(Struct, frozen=True):
    """The result of scraping a daemon of a home."""

    store_id: str
    root: str
    load: DaemonLoad | None
    problem: str = ""


def scrape_text(rows: Sequence[Scraped]) -> str:
    """Return the figures of all daemons of a home in the text format of Prometheus."""
    from prometheus_client import CollectorRegistry, Gauge, generate_latest

    registry = CollectorRegistry(auto_describe=False)
    up = Gauge(
        "ggrep_daemon_up", "1 while the daemon answers.", ("store", "root"), registry=registry
    )
    for row in rows:
        up.labels(row.store_id, row.root).set(row.load is not None)
    Gauge("ggrep_daemons", "Daemons of the home.", registry=registry).set(len(rows))
    loads = [(row.store_id, row.load) for row in rows if row.load is not None]
    return generate_latest(registry).decode() + metrics_text(loads)


def scrape_json(rows: Sequence[Scraped]) -> dict[str, Json]:
    """Return the figures as a JSON document; `load` is null if there is a `problem`."""
    stores: list[Json] = [
        {
            "store_id": row.store_id,
            "root": row.root,
            "load": None if row.load is None else to_builtins(row.load),
            "problem": row.problem or None,
        }
        for row in rows
    ]
    return {"schema_version": METRICS_SCHEMA, "stores": stores}


def metrics_text(loads: Sequence[tuple[str, DaemonLoad]]) -> str:
    """Return the figures of daemons, labelled by store, in the text format of Prometheus."""
    from prometheus_client import CollectorRegistry, generate_latest

    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(sorted(loads, key=lambda pair: pair[0])))
    return generate_latest(registry).decode()


def metrics_json(loads: Sequence[tuple[str, DaemonLoad]]) -> dict[str, Json]:
    """Return the figures of daemons by store; `load` can be decoded as a `DaemonLoad`."""
    stores: list[Json] = [
        {"store_id": store_id, "load": to_builtins(load)}
        for store_id, load in sorted(loads, key=lambda pair: pair[0])
    ]
    return {"schema_version": METRICS_SCHEMA, "stores": stores}


class _Collector:
    """Passes computed figures to a registry."""

    def __init__(self, loads: Iterable[tuple[str, DaemonLoad]]) -> None:
        self._loads = list(loads)

    def collect(self) -> "Iterator[Metric]":
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        kinds = {"counter": CounterMetricFamily, "gauge": GaugeMetricFamily}
        families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
        for store_id, load in self._loads:
            for sample in samples(load):
                family = families.get(sample.name)
                if family is None:
                    family = kinds[sample.kind](
                        f"ggrep_{sample.name}", sample.about, labels=("store", *sample.labels)
                    )
                    families[sample.name] = family
                if sample.value is not None:
                    family.add_metric((store_id, *sample.labels.values()), sample.value)
        yield from families.values()


def samples(load: DaemonLoad) -> Iterator[Sample]:
    """Yield all figures of a daemon."""
    build = {"version": load.binary_version, "build": load.build}
    yield Sample("daemon_info", "gauge", "The running build.", 1, build)
    yield Sample("uptime_seconds", "gauge", "Time since the start.", load.uptime_ms / 1000)
    yield Sample("resident_bytes", "gauge", "Memory of the process.", load.rss_bytes)
    yield Sample("connections", "gauge", "Open connections.", load.connections)
    yield Sample("stale", "gauge", "1 if the daemon uses outdated settings.", load.stale)
    yield Sample("warming", "gauge", "1 until the daemon has answered a search.", load.warming)
    yield from _of_queries(load)
    yield from _of_resources(load)
    yield from _of_sync(load)


def _of_queries(load: DaemonLoad) -> Iterator[Sample]:
    queries = load.queries
    for status, count in (
        ("ok", queries.query_total),
        ("busy", queries.busy_total),
        ("timeout", queries.timeouts_total),
        ("cancelled", queries.cancelled_total),
        ("error", queries.failed_total),
    ):
        yield Sample("queries", "counter", "Queries by outcome.", count, {"status": status})
    yield Sample("slow_queries", "counter", "Queries over the threshold.", queries.slow_total)
    for name, about, value in (
        ("queries_in_flight", "Queries running.", queries.in_flight),
        ("queries_in_flight_limit", "Most queries at once.", queries.max_concurrent),
        ("queries_queued", "Queries waiting.", queries.queue_depth),
        ("queries_queued_limit", "Most queries that wait.", queries.max_queue_depth),
        ("query_clients", "Clients with queries running or waiting.", queries.clients),
        (
            "segments_touched_max",
            "Maximum number of segments in a query.",
            queries.segments_touched_max,
        ),
    ):
        yield Sample(name, "gauge", about, value)
    for quantile, spent_ms in (("0.5", queries.latency_p50_ms), ("0.95", queries.latency_p95_ms)):
        seconds = None if spent_ms is None else spent_ms / 1000
        labels = {"quantile": quantile}
        yield Sample("query_latency_seconds", "gauge", "Recent queries.", seconds, labels)
    for stage, mean_ms in load.stages:
        labels = {"stage": stage}
        yield Sample("query_stage_seconds", "gauge", "Mean by stage.", mean_ms / 1000, labels)


def _of_resources(load: DaemonLoad) -> Iterator[Sample]:
    for name, about, value in (
        ("segments_open", "Open segments.", load.handles.segments_open),
        ("segments_open_limit", "Most open segments.", load.handles.segments_budget),
        ("query_workers", "Processes that answer queries.", load.workers.running),
        ("query_workers_limit", "Most query workers.", load.workers.max_running),
        ("encode_slots_used", "Processes of the host that encode.", load.encode.in_use),
        (
            "encode_slots_limit",
            "Limit on these processes; 0 for no limit.",
            load.encode.max_concurrent,
        ),
        ("encode_slots_stale", "1 if such a process has died or hangs.", load.encode.stale),
    ):
        yield Sample(name, "gauge", about, value)

    workers = load.workers
    for name, about, count in (
        ("query_workers_started", "Query workers started.", workers.started_total),
        ("query_workers_answered", "Queries answered by workers.", workers.answered_total),
    ):
        yield Sample(name, "counter", about, count)


def _of_sync(load: DaemonLoad) -> Iterator[Sample]:
    sync, watch = load.sync, load.watch
    for name, about, value in (
        ("sync_running", "1 while a sync runs.", sync.state == "indexing"),
        ("sync_pending", "1 while a change waits for the next sync.", sync.pending),
        ("sync_files", "All files of the running sync.", sync.total_files),
        ("sync_files_done", "Files that the running sync has processed.", sync.done_files),
    ):
        yield Sample(name, "gauge", about, value)
    yield Sample("sync_failures", "counter", "Syncs that failed.", sync.failures_total)
    yield Sample("watch_events", "counter", "Change events.", watch.events_total)
    yield Sample("watch_mode", "gauge", "Method of change detection.", 1, {"mode": watch.mode})
