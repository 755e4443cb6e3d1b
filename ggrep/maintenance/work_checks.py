"""Health of what works on a store: its writer, its caches, and what only a daemon measures."""

from collections.abc import Iterator
from pathlib import Path

from ggrep import stable_json
from ggrep.clock import Clock
from ggrep.config.settings import Settings
from ggrep.layout import names
from ggrep.lease import LeaseRecord, is_live, read_record
from ggrep.maintenance.examination import Examination
from ggrep.maintenance.findings import OK, WARN, Check
from ggrep.sync import stat_cache
from ggrep.sync.index_state import IndexState, Upkeep

PUBLISH_BUDGET_MS = 600_000
GC_BUDGET_MS = 120_000
COMPACTION_BUDGET_MS = 600_000
_NEAR = 0.9


def lease(found: Examination, clock: Clock) -> Check:
    """Return who may write, and whether that writer is still there."""
    files = names.lease_files(found.store)
    record = read_record(files.record)
    if record is None:
        there = files.record.exists()
        what = "the record is damaged" if there else "there is no record of a writer"
        return Check("lease", WARN, f"{what}; the next writer begins another")
    epoch = record.lease_epoch
    if found.manifest is not None and epoch < found.manifest.lease_epoch:
        told = f"its epoch {epoch} is before the active snapshot's, {found.manifest.lease_epoch}"
        return Check("lease", WARN, told)
    if record.released:
        return Check("lease", OK, f"no writer is at work; last epoch: {epoch}")
    silent_ms = None
    if is_live(files):
        silent_ms = round(clock.monotonic_ms() - record.heartbeat_ms)
    return _writer(record, silent_ms)


def _writer(record: LeaseRecord, silent_ms: int | None) -> Check:
    """Return what is known of a writer that did not let go; None when it is dead."""
    who = f"process {record.pid} of epoch {record.lease_epoch}"
    if silent_ms is None:
        return Check("lease", WARN, f"{who} died at work; the next writer goes on from before it")
    told = f"{who} is at work, last heard of {silent_ms} ms ago"
    if silent_ms > record.lease_ttl_ms:
        return Check("lease", WARN, f"{told}; the next writer takes over")
    return Check("lease", OK, told)


def derived_caches(store: Path) -> Check:
    """Return whether what spares reading and hashing can be read."""
    damaged = [
        path.name
        for path, is_readable in (
            (names.stat_cache_file(store), _is_stat_cache),
            (names.verified_file(store), _is_verified),
        )
        if path.exists() and not is_readable(path)
    ]
    if damaged:
        told = f"damaged, and not used: {', '.join(damaged)}; the next sync rewrites them"
        return Check("derived_caches", WARN, told)
    return Check("derived_caches", OK, "stat cache and memory of verified files can be read")


def open_handles(found: Examination, settings: Settings) -> Check:
    """Hold the segments that a query opens against their budget."""
    segments = len(found.manifest.segments) if found.manifest else 0
    budget = settings.max_open_segments_per_query
    severity = WARN if segments >= _NEAR * budget else OK
    told = f"a query opens {segments} segments of {budget}; no daemon: handles not measured"
    return Check("open_handles", severity, told)


def embed_limiter() -> Check:
    """Say that nothing limits encoders across processes."""
    return Check("embed_limiter", OK, "no daemon: not measured")


def performance(state: IndexState | None) -> Iterator[Check]:
    """Yield what was measured of speed."""
    yield Check("perf_query_latency", OK, "no daemon: not measured")
    yield Check("perf_segments_touched", OK, "no daemon: not measured")
    if state is None:
        yield Check("perf_publish_time", OK, "not measured: there is no record of a sync")
    else:
        slow = state.last_duration_ms > PUBLISH_BUDGET_MS
        told = f"the last sync took {state.last_duration_ms} ms of {PUBLISH_BUDGET_MS}"
        yield Check("perf_publish_time", WARN if slow else OK, told)
    upkeep = state.upkeep if state else Upkeep()
    yield _upkeep_time("perf_gc_time", "collection", upkeep.last_gc_ms, GC_BUDGET_MS)
    yield _upkeep_time(
        "perf_compaction_time", "compaction", upkeep.last_compaction_ms, COMPACTION_BUDGET_MS
    )


def _upkeep_time(code: str, what: str, took_ms: int | None, budget_ms: int) -> Check:
    if took_ms is None:
        return Check(code, OK, f"no {what} yet")
    severity = WARN if took_ms > budget_ms else OK
    return Check(code, severity, f"the last {what} took {took_ms} ms of {budget_ms}")


def _is_stat_cache(path: Path) -> bool:
    return bool(stat_cache.load(path)) or path.read_bytes() == stable_json.dumps({})


def _is_verified(path: Path) -> bool:
    try:
        values = stable_json.loads(path.read_bytes())
    except ValueError:
        return False
    return isinstance(values, dict) and all(isinstance(value, str) for value in values.values())
