"""Health checks of a store's processes: writer, caches, and a daemon's measurements."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final

from ggrep.base import stable_json
from ggrep.base.clock import Clock, rfc3339
from ggrep.base.lease import LeaseRecord, is_live, read_record
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.maintenance.examination import Examination
from ggrep.index.sync import stat_cache
from ggrep.index.sync.healing import read_healed
from ggrep.index.sync.index_state import IndexState, Upkeep
from ggrep.model.daemons import DaemonLoad
from ggrep.model.maintenance import OK, WARN, HealthCheck
from ggrep.model.status import (
    COMPACTION_MS,
    GC_MS,
    NEAR,
    PUBLISH_MS,
    QUERY_P50_MS,
    QUERY_P95_MS,
    SEGMENTS_TOUCHED,
)

UNMEASURED: Final = "no daemon: not measured"


_RECENT = timedelta(days=1)
"""How long health warns of what was healed."""

_ENOUGH_SEARCHES = 10
"""Searches before their latencies say anything about the machine."""


def lease(found: Examination, clock: Clock) -> HealthCheck:
    """Return who may write, and whether that writer is still there."""
    files = store_files.lease_files(found.store)
    record = read_record(files.record)
    if record is None:
        there = files.record.exists()
        what = "the record is damaged" if there else "there is no record of a writer"
        return HealthCheck("lease", WARN, f"{what}; the next writer begins another")
    epoch = record.lease_epoch
    if found.manifest is not None and epoch < found.manifest.lease_epoch:
        told = f"its epoch {epoch} is before the active snapshot's, {found.manifest.lease_epoch}"
        return HealthCheck("lease", WARN, told)
    if record.released:
        return HealthCheck("lease", OK, f"no writer is at work; last epoch: {epoch}")
    silent_ms = None
    if is_live(files):
        silent_ms = round(clock.monotonic_ms() - record.heartbeat_ms)
    return _writer(record, silent_ms)


def _writer(record: LeaseRecord, silent_ms: int | None) -> HealthCheck:
    """Return what is known of a writer that did not let go; None when it is dead."""
    who = f"process {record.pid} of epoch {record.lease_epoch}"
    if silent_ms is None:
        return HealthCheck(
            "lease", WARN, f"{who} died at work; the next writer goes on from before it"
        )
    told = f"{who} is at work, last heard of {silent_ms} ms ago"
    if silent_ms > record.lease_ttl_ms:
        return HealthCheck("lease", WARN, f"{told}; the next writer takes over")
    return HealthCheck("lease", OK, told)


def derived_caches(store: Path) -> HealthCheck:
    """Return whether what spares reading and hashing can be read."""
    damaged = [
        path.name
        for path, is_readable in (
            (store_files.stat_cache_file(store), _is_stat_cache),
            (store_files.verified_file(store), _is_verified),
        )
        if path.exists() and not is_readable(path)
    ]
    if damaged:
        told = f"damaged, and not used: {', '.join(damaged)}; the next sync rewrites them"
        return HealthCheck("derived_caches", WARN, told)
    return HealthCheck("derived_caches", OK, "stat cache and memory of verified files can be read")


def healed(store: Path, clock: Clock) -> HealthCheck:
    """Return the damage that was rebuilt."""
    found = read_healed(store)
    if found is None:
        return HealthCheck("healed", OK, "no damage was ever rebuilt")
    told = f"damaged artifacts that were rebuilt: {found.files}, the last at {rfc3339(found.at)}"
    recent = clock.now() - found.at < _RECENT
    if recent:
        told += "; check the disk if it happens again"
    return HealthCheck("healed", WARN if recent else OK, told, (found.last,))


def open_handles(found: Examination, settings: Settings, load: DaemonLoad | None) -> HealthCheck:
    """Hold open segments against their budgets: a query's, and those of the daemon's process."""
    segments = len(found.manifest.segments) if found.manifest else 0
    budget = settings.max_open_segments_per_query
    near = segments >= NEAR * budget
    told = f"a query opens {segments} segments of {budget}"
    if load is None:
        measured = "no daemon: handles not measured"
    else:
        handles = load.handles
        limit = handles.segments_budget
        near = near or bool(limit and handles.segments_open >= NEAR * limit)
        measured = f"the daemon holds {handles.segments_open} of {limit or 'unlimited'}"
    return HealthCheck("open_handles", WARN if near else OK, f"{told}; {measured}")


def embed_limiter(load: DaemonLoad | None) -> HealthCheck:
    """Return whether those that hold the host's slots for encoding are heard of."""
    if load is None:
        return HealthCheck("embed_limiter", OK, UNMEASURED)
    encode = load.encode
    if not encode.max_concurrent:
        return HealthCheck("embed_limiter", OK, "nothing limits encoding on this host")
    told = f"slots for encoding in use: {encode.in_use} of {encode.max_concurrent}"
    if encode.stale:
        return HealthCheck("embed_limiter", WARN, f"{told}; a holder has died or fallen silent")
    return HealthCheck("embed_limiter", OK, told)


def daemon_stale(load: DaemonLoad | None) -> HealthCheck:
    """Return whether the daemon serves the present configuration."""
    if load is None:
        return HealthCheck("daemon_stale", OK, "no daemon")
    if load.stale:
        why = load.stale_reason or "the configuration has changed"
        told = f"process {load.pid} answers from before a change and takes in no other: {why}"
        return HealthCheck("daemon_stale", WARN, told)
    return HealthCheck("daemon_stale", OK, f"process {load.pid} serves the present configuration")


def performance(state: IndexState | None, load: DaemonLoad | None) -> Iterator[HealthCheck]:
    """Yield what was measured of speed."""
    yield _query_latency(load)
    yield _segments_touched(load)
    if state is None:
        yield HealthCheck("perf_publish_time", OK, "not measured: there is no record of a sync")
    else:
        slow = state.last_duration_ms > PUBLISH_MS
        told = f"the last sync took {state.last_duration_ms} ms of {PUBLISH_MS}"
        yield HealthCheck("perf_publish_time", WARN if slow else OK, told)
    upkeep = state.upkeep if state else Upkeep()
    yield _upkeep_time("perf_gc_time", "collection", upkeep.last_gc_ms, GC_MS)
    yield _upkeep_time(
        "perf_compaction_time",
        "compaction",
        upkeep.last_compaction_ms,
        COMPACTION_MS,
    )


def _query_latency(load: DaemonLoad | None) -> HealthCheck:
    if load is None:
        return HealthCheck("perf_query_latency", OK, UNMEASURED)
    p50, p95 = load.queries.latency_p50_ms, load.queries.latency_p95_ms
    if p50 is None or p95 is None:
        return HealthCheck("perf_query_latency", OK, "not measured: no search yet")
    # The first search of a daemon opens what the others find open.
    enough = load.queries.query_total >= _ENOUGH_SEARCHES
    slow = enough and (p50 > QUERY_P50_MS or p95 > QUERY_P95_MS)
    told = (
        f"recent searches: median {p50} ms of {QUERY_P50_MS},"
        f" 95th percentile {p95} ms of {QUERY_P95_MS}"
    )
    return HealthCheck("perf_query_latency", WARN if slow else OK, told)


def _segments_touched(load: DaemonLoad | None) -> HealthCheck:
    if load is None:
        return HealthCheck("perf_segments_touched", OK, UNMEASURED)
    touched = load.queries.segments_touched_max
    if touched is None:
        return HealthCheck("perf_segments_touched", OK, "not measured: no search yet")
    told = f"recent searches read {touched} segments at most, of {SEGMENTS_TOUCHED}"
    over = touched > SEGMENTS_TOUCHED
    return HealthCheck("perf_segments_touched", WARN if over else OK, told)


def _upkeep_time(code: str, what: str, took_ms: int | None, budget_ms: int) -> HealthCheck:
    if took_ms is None:
        return HealthCheck(code, OK, f"no {what} yet")
    severity = WARN if took_ms > budget_ms else OK
    return HealthCheck(code, severity, f"the last {what} took {took_ms} ms of {budget_ms}")


def _is_stat_cache(path: Path) -> bool:
    return bool(stat_cache.load(path)) or path.read_bytes() == stable_json.dumps({})


def _is_verified(path: Path) -> bool:
    try:
        values = stable_json.loads(path.read_bytes())
    except ValueError:
        return False
    return isinstance(values, dict) and all(isinstance(value, str) for value in values.values())
