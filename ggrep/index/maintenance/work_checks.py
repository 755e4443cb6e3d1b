"""Health checks of a store's processes: writer, caches, and a daemon's measurements."""

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

from ggrep.base import stable_json
from ggrep.base.clock import rfc3339
from ggrep.base.lease import is_live, read_record
from ggrep.config import store_files
from ggrep.index.maintenance.examination import Subject
from ggrep.index.maintenance.findings import Checks, given, ok, warn, warn_if
from ggrep.index.sync import stat_cache
from ggrep.index.sync.healing import read_healed
from ggrep.index.sync.index_state import Upkeep
from ggrep.model.daemons import DaemonLoad
from ggrep.model.maintenance import HealthCheck
from ggrep.model.status import (
    COMPACTION_MS,
    GC_MS,
    NEAR,
    PUBLISH_MS,
    QUERY_P50_MS,
    QUERY_P95_MS,
    SEGMENTS_TOUCHED,
)

_RECENT = timedelta(days=1)
"""How long health warns after a repair."""
_ENOUGH_SEARCHES = 10
"""Minimum number of searches for a judgement of latencies."""


def _lease(subject: Subject) -> HealthCheck:
    """Report the current writer, and whether its process is alive."""
    files = store_files.lease_files(subject.examination.store)
    record, manifest = read_record(files.record), subject.examination.manifest
    if record is None:
        exists = files.record.exists()
        what = "the record is damaged" if exists else "there is no record of a writer"
        return warn(f"{what}; the next writer creates a new record")
    epoch = record.lease_epoch
    if manifest is not None and epoch < manifest.lease_epoch:
        return warn(
            f"the lease has epoch {epoch}, but the active snapshot has the later epoch"
            f" {manifest.lease_epoch}"
        )
    if record.released:
        return ok(f"no process is writing; last epoch: {epoch}")
    who = f"process {record.pid} of epoch {epoch}"
    if not is_live(files):
        return warn(f"{who} died while writing; the next writer discards the unfinished changes")
    silent_ms = round(subject.clock.monotonic_ms() - record.heartbeat_ms)
    late = silent_ms > record.lease_ttl_ms
    message = f"{who} is writing, last heartbeat {silent_ms} ms ago"
    return warn_if(late, f"{message}; the next writer takes the lease over" if late else message)


def _derived_caches(subject: Subject) -> HealthCheck:
    """Return whether the caches of stats and hashes can be read."""
    store = subject.examination.store
    damaged = [
        path.name
        for path, is_readable in (
            (store_files.stat_cache_file(store), _is_stat_cache),
            (store_files.verified_file(store), _is_verified),
        )
        if path.exists() and not is_readable(path)
    ]
    if damaged:
        names = ", ".join(damaged)
        return warn(f"damaged caches, which are not used: {names}; the next sync rewrites them")
    return ok("the caches of file stats and verified files can be read")


def _healed(subject: Subject) -> HealthCheck:
    damage = read_healed(subject.examination.store)
    if damage is None:
        return ok("nothing was ever repaired")
    message = f"{damage.files} damaged files were rebuilt, the last at {rfc3339(damage.at)}"
    if subject.clock.now() - damage.at < _RECENT:
        return warn(f"{message}; check the disk if it happens again", (damage.last,))
    return ok(message, (damage.last,))


def _open_handles(subject: Subject) -> HealthCheck:
    """Compare the number of open segments with the budgets of a query and of the daemon."""
    manifest, load = subject.examination.manifest, subject.load
    segments = len(manifest.segments) if manifest else 0
    budget = subject.settings.max_open_segments_per_query
    near = segments >= NEAR * budget
    measured = "handles are not measured: no daemon runs"
    if load is not None:
        number, limit = load.handles.segments_open, load.handles.segments_budget
        near = near or bool(limit and number >= NEAR * limit)
        measured = f"the daemon has {number} segments open, limit: {limit or 'none'}"
    return warn_if(near, f"a query opens {segments} of at most {budget} segments; {measured}")


def _embed_limiter(_: Subject, load: DaemonLoad) -> HealthCheck:
    """Return whether every holder of an encoding slot of this host sends heartbeats."""
    encode = load.encode
    if not encode.max_concurrent:
        return ok("encoding is not limited on this host")
    message = f"encoding slots in use: {encode.in_use} of {encode.max_concurrent}"
    if encode.stale:
        return warn(f"{message}; a process with a slot has died or hangs")
    return ok(message)


def _daemon_stale(_: Subject, load: DaemonLoad) -> HealthCheck:
    """Return whether the daemon uses the current configuration."""
    if not load.stale:
        return ok(f"process {load.pid} uses the current settings")
    why = load.stale_reason or "the configuration has changed"
    return warn(f"process {load.pid} uses outdated settings and indexes no changes: {why}")


def _publish_time(subject: Subject) -> HealthCheck:
    if subject.state is None:
        return ok("not measured: there is no record of a sync")
    took_ms = subject.state.last_duration_ms
    return warn_if(
        took_ms > PUBLISH_MS, f"the last sync took {took_ms} ms, budget: {PUBLISH_MS} ms"
    )


def _query_latency(_: Subject, load: DaemonLoad) -> HealthCheck:
    p50, p95 = load.queries.latency_p50_ms, load.queries.latency_p95_ms
    if p50 is None or p95 is None:
        return ok("not measured: no search yet")
    # A daemon's first search opens files that later searches reuse.
    enough = load.queries.query_total >= _ENOUGH_SEARCHES
    return warn_if(
        enough and (p50 > QUERY_P50_MS or p95 > QUERY_P95_MS),
        f"recent searches: median {p50} ms, budget: {QUERY_P50_MS} ms;"
        f" 95th percentile {p95} ms, budget: {QUERY_P95_MS} ms",
    )


def _segments_touched(_: Subject, load: DaemonLoad) -> HealthCheck:
    touched = load.queries.segments_touched_max
    if touched is None:
        return ok("not measured: no recent search counted its segments")
    message = f"recent searches read at most {touched} segments, budget: {SEGMENTS_TOUCHED}"
    return warn_if(touched > SEGMENTS_TOUCHED, message)


def _upkeep_time(what: str, subject: Subject) -> HealthCheck:
    upkeep = subject.state.upkeep if subject.state else Upkeep()
    took_ms, budget_ms = {
        "collection": (upkeep.last_gc_ms, GC_MS),
        "compaction": (upkeep.last_compaction_ms, COMPACTION_MS),
    }[what]
    if took_ms is None:
        return ok(f"no {what} yet")
    return warn_if(
        took_ms > budget_ms, f"the last {what} took {took_ms} ms, budget: {budget_ms} ms"
    )


def _is_stat_cache(path: Path) -> bool:
    return bool(stat_cache.load(path)) or path.read_bytes() == stable_json.dumps({})


def _is_verified(path: Path) -> bool:
    try:
        values = stable_json.loads(path.read_bytes())
    except ValueError:
        return False
    return isinstance(values, dict) and all(isinstance(value, str) for value in values.values())


def _load_of(subject: Subject) -> DaemonLoad | None:
    return subject.load


_UNMEASURED: Final = ok("no daemon: not measured")

WORK: Final[Checks[Subject]] = (
    ("lease", _lease),
    ("derived_caches", _derived_caches),
    ("healed", _healed),
    ("open_handles", _open_handles),
    ("embed_limiter", given(_load_of, _embed_limiter, _UNMEASURED)),
    ("daemon_stale", given(_load_of, _daemon_stale, ok("no daemon"))),
    ("perf_query_latency", given(_load_of, _query_latency, _UNMEASURED)),
    ("perf_segments_touched", given(_load_of, _segments_touched, _UNMEASURED)),
    ("perf_publish_time", _publish_time),
    ("perf_gc_time", partial(_upkeep_time, "collection")),
    ("perf_compaction_time", partial(_upkeep_time, "compaction")),
)
