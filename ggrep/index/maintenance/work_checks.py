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

UNMEASURED: Final = "not measured: no daemon runs"


_RECENT = timedelta(days=1)
"""How long health warns after a repair."""

_ENOUGH_SEARCHES = 10
"""Fewest searches whose latencies are judged."""


def lease(examination: Examination, clock: Clock) -> HealthCheck:
    """Return the current writer, and whether it is alive."""
    files = store_files.lease_files(examination.store)
    record = read_record(files.record)
    if record is None:
        there = files.record.exists()
        what = "the record is damaged" if there else "there is no record of a writer"
        return HealthCheck("lease", WARN, f"{what}; the next writer creates one")
    epoch = record.lease_epoch
    if examination.manifest is not None and epoch < examination.manifest.lease_epoch:
        message = (
            f"the epoch of the lease, {epoch}, is before that of the active snapshot, "
            f"{examination.manifest.lease_epoch}"
        )
        return HealthCheck("lease", WARN, message)
    if record.released:
        return HealthCheck("lease", OK, f"no process is writing; last epoch: {epoch}")
    silent_ms = None
    if is_live(files):
        silent_ms = round(clock.monotonic_ms() - record.heartbeat_ms)
    return _writer(record, silent_ms)


def _writer(record: LeaseRecord, silent_ms: int | None) -> HealthCheck:
    """Return the facts about a writer that did not release the lease; None if it is dead."""
    who = f"process {record.pid} of epoch {record.lease_epoch}"
    if silent_ms is None:
        return HealthCheck(
            "lease", WARN, f"{who} died while writing; the next writer discards its changes"
        )
    message = f"{who} is writing, last heartbeat {silent_ms} ms ago"
    if silent_ms > record.lease_ttl_ms:
        return HealthCheck("lease", WARN, f"{message}; the next writer takes the lease over")
    return HealthCheck("lease", OK, message)


def derived_caches(store: Path) -> HealthCheck:
    """Return whether the caches of stats and hashes can be read."""
    damaged = [
        path.name
        for path, is_readable in (
            (store_files.stat_cache_file(store), _is_stat_cache),
            (store_files.verified_file(store), _is_verified),
        )
        if path.exists() and not is_readable(path)
    ]
    if damaged:
        message = (
            f"damaged caches, which are not used: {', '.join(damaged)}; the next sync rewrites them"
        )
        return HealthCheck("derived_caches", WARN, message)
    return HealthCheck(
        "derived_caches", OK, "the caches of file stats and verified files can be read"
    )


def healed(store: Path, clock: Clock) -> HealthCheck:
    """Return the damage that was repaired."""
    damage = read_healed(store)
    if damage is None:
        return HealthCheck("healed", OK, "nothing was ever repaired")
    message = f"rebuilt artifacts: {damage.files}, last at {rfc3339(damage.at)}"
    recent = clock.now() - damage.at < _RECENT
    if recent:
        message += "; check the disk if it happens again"
    return HealthCheck("healed", WARN if recent else OK, message, (damage.last,))


def open_handles(
    examination: Examination, settings: Settings, load: DaemonLoad | None
) -> HealthCheck:
    """Compare the open segments with their budgets: of one query, and of the daemon's process."""
    segments = len(examination.manifest.segments) if examination.manifest else 0
    budget = settings.max_open_segments_per_query
    near = segments >= NEAR * budget
    message = f"a query opens {segments} of at most {budget} segments"
    if load is None:
        measured = "handles are not measured: no daemon runs"
    else:
        handles = load.handles
        limit = handles.segments_budget
        near = near or bool(limit and handles.segments_open >= NEAR * limit)
        measured = f"the daemon has {handles.segments_open} segments open, limit: {limit or 'none'}"
    return HealthCheck("open_handles", WARN if near else OK, f"{message}; {measured}")


def embed_limiter(load: DaemonLoad | None) -> HealthCheck:
    """Return whether every holder of an encoding slot of this host sends heartbeats."""
    if load is None:
        return HealthCheck("embed_limiter", OK, UNMEASURED)
    encode = load.encode
    if not encode.max_concurrent:
        return HealthCheck("embed_limiter", OK, "encoding is not limited on this host")
    message = f"encoding slots in use: {encode.in_use} of {encode.max_concurrent}"
    if encode.stale:
        return HealthCheck(
            "embed_limiter", WARN, f"{message}; a process with a slot has died or hangs"
        )
    return HealthCheck("embed_limiter", OK, message)


def daemon_stale(load: DaemonLoad | None) -> HealthCheck:
    """Return whether the daemon uses the current configuration."""
    if load is None:
        return HealthCheck("daemon_stale", OK, "no daemon runs")
    if load.stale:
        why = load.stale_reason or "the configuration has changed"
        message = f"process {load.pid} uses outdated settings and indexes no changes: {why}"
        return HealthCheck("daemon_stale", WARN, message)
    return HealthCheck("daemon_stale", OK, f"process {load.pid} uses the current settings")


def performance(state: IndexState | None, load: DaemonLoad | None) -> Iterator[HealthCheck]:
    """Yield the measurements of speed."""
    yield _query_latency(load)
    yield _segments_touched(load)
    if state is None:
        yield HealthCheck("perf_publish_time", OK, "not measured: there is no record of a sync")
    else:
        slow = state.last_duration_ms > PUBLISH_MS
        message = f"the last sync took {state.last_duration_ms} ms, budget: {PUBLISH_MS} ms"
        yield HealthCheck("perf_publish_time", WARN if slow else OK, message)
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
    # The first search of a daemon opens files that later searches reuse.
    enough = load.queries.query_total >= _ENOUGH_SEARCHES
    slow = enough and (p50 > QUERY_P50_MS or p95 > QUERY_P95_MS)
    message = (
        f"recent searches: median {p50} ms, budget: {QUERY_P50_MS} ms;"
        f" 95th percentile {p95} ms, budget: {QUERY_P95_MS} ms"
    )
    return HealthCheck("perf_query_latency", WARN if slow else OK, message)


def _segments_touched(load: DaemonLoad | None) -> HealthCheck:
    if load is None:
        return HealthCheck("perf_segments_touched", OK, UNMEASURED)
    touched = load.queries.segments_touched_max
    if touched is None:
        return HealthCheck("perf_segments_touched", OK, "not measured: no search yet")
    message = f"recent searches read at most {touched} segments, budget: {SEGMENTS_TOUCHED}"
    over = touched > SEGMENTS_TOUCHED
    return HealthCheck("perf_segments_touched", WARN if over else OK, message)


def _upkeep_time(code: str, what: str, took_ms: int | None, budget_ms: int) -> HealthCheck:
    if took_ms is None:
        return HealthCheck(code, OK, f"no {what} yet")
    severity = WARN if took_ms > budget_ms else OK
    return HealthCheck(code, severity, f"the last {what} took {took_ms} ms, budget: {budget_ms} ms")


def _is_stat_cache(path: Path) -> bool:
    return bool(stat_cache.load(path)) or path.read_bytes() == stable_json.dumps({})


def _is_verified(path: Path) -> bool:
    try:
        values = stable_json.loads(path.read_bytes())
    except ValueError:
        return False
    return isinstance(values, dict) and all(isinstance(value, str) for value in values.values())
