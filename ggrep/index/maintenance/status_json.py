"""The JSON of `ggrep status` and `ggrep health`; the schemas of the same names ship beside."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from ggrep.base.formats import HEALTH_SCHEMA, SCHEMA_VERSIONS, STATUS_SCHEMA
from ggrep.index.maintenance import speed_budgets
from ggrep.model.limits import Notice, sorted_notices
from ggrep.model.load import DaemonLoad, QueryLoad, SyncLoad, WatchLoad
from ggrep.model.sanitise import sanitise_line, without_directories
from ggrep.model.standing import standing_notices

if TYPE_CHECKING:
    from ggrep.index.maintenance.health import HealthReport
    from ggrep.index.maintenance.status import StatusReport
    from ggrep.model.schemas.health import HealthJson
    from ggrep.model.schemas.status import (
        PerformanceJson,
        QueryCountsJson,
        ResourcesJson,
        SnapshotStatusJson,
        StatusDaemonJson,
        StatusJson,
        SupportedVersionsJson,
        SyncStatusJson,
        WatchStatusJson,
    )


def status_json(report: "StatusReport", load: DaemonLoad | None = None) -> "StatusJson":
    """Return the status document; without a load no daemon runs, and its figures are zero."""
    return {
        "schema_version": STATUS_SCHEMA,
        "store_id": report.store_id,
        "canonical_root": sanitise_line(report.canonical_root),
        "config_fingerprint": report.config_fingerprint,
        "ignore_fingerprint": report.manifest.ignore_fingerprint if report.manifest else None,
        "encoder": report.encoder,
        "daemon": _daemon(load),
        "snapshot": _snapshot(report),
        "sync": _sync(report, load.sync if load else SyncLoad(standing=report.standing)),
        "watch": _watch(load.watch if load else WatchLoad()),
        "queries": _queries(load.queries if load else QueryLoad(0, 0, report.query_timeout_ms)),
        "resources": _resources(report, load),
        "performance": _performance(report, load),
        "warnings": [
            {"code": notice.code, "message": sanitise_line(notice.message)}
            for notice in sorted_notices(_warnings(report, load))
        ],
    }


def _daemon(load: DaemonLoad | None) -> "StatusDaemonJson":
    return {
        "running": load is not None,
        "pid": load.pid if load else None,
        "started_at": load.started_at if load else None,
        "uptime_ms": load.uptime_ms if load else None,
        "binary_version": load.binary_version if load else None,
        "build": load.build if load else None,
        "protocol_version": load.protocol_version if load else None,
        "stale": load.stale if load else False,
        "stale_reason": sanitise_line(load.stale_reason) if load and load.stale else None,
        "warming": load.warming if load else False,
        "connections": load.connections if load else 0,
        "rss_bytes": load.rss_bytes if load else None,
        "supported_schema_versions": _versions() if load else None,
    }


def _versions() -> "SupportedVersionsJson":
    found = {name: list(versions) for name, versions in SCHEMA_VERSIONS.items()}
    return cast("SupportedVersionsJson", found)  # the table names each document


def _snapshot(report: "StatusReport") -> "SnapshotStatusJson":
    manifest, damage = report.manifest, report.damage
    git = manifest.git if manifest else None
    lacks = damage is not None and not damage.is_complete
    return {
        "active_snapshot_id": manifest.snapshot_id if manifest else None,
        "created_at": manifest.created_at if manifest else None,
        "head_sha": git.head_sha if git else None,
        "dirty": git.dirty if git else None,
        "untracked_included": git.untracked_included if git else None,
        "degraded": bool(manifest and manifest.degraded) or lacks,
        "partial": bool(manifest and manifest.partial and damage is None),
        "files": manifest.counts.files_indexed if manifest else 0,
        "masked_files": report.masked_files,
        "made_files": {
            "generated": report.made_files.generated,
            "minified": report.made_files.minified,
            "data": report.made_files.data,
            "shortened": report.made_files.shortened,
        },
        "chunks": manifest.counts.chunks_visible if manifest else 0,
        "segments": len(manifest.segments) if manifest else 0,
        "tombstones": manifest.counts.tombstones_added if manifest else 0,
    }


def _sync(report: "StatusReport", sync: SyncLoad) -> "SyncStatusJson":
    """Return what is known of syncs: the daemon's own, or any writer's at work."""
    last = report.last_sync
    indexing = report.writing or sync.state == "indexing"
    return {
        "state": "indexing" if indexing else "idle",
        "stage": sync.stage or None,
        "done_files": sync.done_files,
        "total_files": sync.total_files,
        "pending": sync.pending,
        "last_sync_at": last.last_sync_at if last else None,
        "last_result": sync.last_result or (last.last_result if last else None),
        "last_duration_ms": last.last_duration_ms if last else None,
        "last_error": without_directories(sync.standing.failure) or None,
        "next_retry_ms": sync.standing.retry_ms,
        "failures_total": sync.failures_total,
        "staging_txn_id": report.staging_txn_id,
        "skipped_files": len(last.skipped) if last else 0,
        "secret_files": sum(skip.reason == "secret" for skip in last.skipped) if last else 0,
    }


def _watch(watch: WatchLoad) -> "WatchStatusJson":
    return {
        "mode": watch.mode,
        "events_total": watch.events_total,
        "last_event_age_ms": watch.last_event_age_ms,
        "problem": sanitise_line(watch.problem) or None,
    }


def _queries(queries: QueryLoad) -> "QueryCountsJson":
    return {
        "max_concurrent": queries.max_concurrent,
        "max_queue_depth": queries.max_queue_depth,
        "timeout_ms": queries.timeout_ms,
        "in_flight": queries.in_flight,
        "queue_depth": queries.queue_depth,
        "query_total": queries.query_total,
        "busy_total": queries.busy_total,
        "timeouts_total": queries.timeouts_total,
        "cancelled_total": queries.cancelled_total,
        "failed_total": queries.failed_total,
        "slow_total": queries.slow_total,
        "slow_query_ms": queries.slow_query_ms,
        "clients": queries.clients,
    }


def _resources(report: "StatusReport", load: DaemonLoad | None) -> "ResourcesJson":
    encode, handles = (load.encode, load.handles) if load else (None, None)
    return {
        "embed_global": {
            "max_concurrent": encode.max_concurrent if encode else 0,
            "in_use": encode.in_use if encode else 0,
            "stale_lock": encode.stale if encode else False,
        },
        "disk": {
            "store_bytes": report.store_bytes,
            "store_budget_bytes": report.store_budget_bytes,
            "cache_bytes": report.cache_bytes,
            "cache_budget_bytes": report.cache_budget_bytes,
            "log_bytes": report.log_bytes,
            "log_budget_bytes": report.log_budget_bytes,
        },
        "open_handles": {
            "segments_open": handles.segments_open if handles else 0,
            "segments_budget": handles.segments_budget if handles else report.segments_budget,
        },
    }


def _performance(report: "StatusReport", load: DaemonLoad | None) -> "PerformanceJson":
    """Return times against their budgets; null is what was not measured."""
    last, queries = report.last_sync, load.queries if load else None
    return {
        "query_latency_p50_ms": queries.latency_p50_ms if queries else None,
        "query_latency_p95_ms": queries.latency_p95_ms if queries else None,
        "query_latency_budget_p50_ms": speed_budgets.QUERY_P50_MS,
        "query_latency_budget_p95_ms": speed_budgets.QUERY_P95_MS,
        "segments_touched_max": queries.segments_touched_max if queries else None,
        "segments_touched_budget": speed_budgets.SEGMENTS_TOUCHED,
        "stages_mean_ms": {name: round(spent, 3) for name, spent in load.stages} if load else {},
        "publish_time_last_ms": last.last_duration_ms if last else None,
        "publish_time_budget_ms": speed_budgets.PUBLISH_MS,
        "gc_time_last_ms": last.upkeep.last_gc_ms if last else None,
        "gc_time_budget_ms": speed_budgets.GC_MS,
        "compaction_time_last_ms": last.upkeep.last_compaction_ms if last else None,
        "compaction_time_budget_ms": speed_budgets.COMPACTION_MS,
    }


def _warnings(report: "StatusReport", load: DaemonLoad | None) -> Iterator[Notice]:
    yield from report.problems
    for code, what, used, budget in (
        ("disk_budget_cache", "cache", report.cache_bytes, report.cache_budget_bytes),
        ("disk_budget_logs", "logs", report.log_bytes, report.log_budget_bytes),
        ("disk_budget_store", "store", report.store_bytes, report.store_budget_bytes),
    ):
        if budget and used >= speed_budgets.NEAR * budget:
            yield Notice(code, f"{what} uses {used} bytes of {budget}")
    yield from standing_notices(load.sync.standing if load else report.standing)
    if load and load.stale:
        why = load.stale_reason or "the configuration has changed"
        yield Notice("stale_config", f"the daemon answers from before a change: {why}")
    if load and load.watch.mode == "polling":
        why = load.watch.problem or "changes are polled"
        yield Notice("watch_polling", why)
    if load and load.encode.stale:
        yield Notice(
            "encode_slot_stale", "the holder of a slot for encoding has died or fallen silent"
        )


def health_json(report: "HealthReport") -> "HealthJson":
    """Return the health document."""
    return {
        "schema_version": HEALTH_SCHEMA,
        "store_id": report.store_id,
        "active_snapshot_id": report.active_snapshot_id,
        "ok": report.ok,
        "checks": [
            {
                "code": check.code,
                "severity": check.severity,
                "message": sanitise_line(check.message),
                "paths": [sanitise_line(path) for path in check.paths],
            }
            for check in report.checks
        ],
    }
