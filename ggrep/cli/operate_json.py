"""The JSON of `ggrep status|health|list|clean`; the schemas of the same names ship beside."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ggrep.clock import rfc3339
from ggrep.domain.sanitise import sanitise_line
from ggrep.formats import HEALTH_SCHEMA, STATUS_SCHEMA
from ggrep.stable_json import Json

if TYPE_CHECKING:
    from ggrep.maintenance.health import HealthReport
    from ggrep.maintenance.inventory import StoreEntry
    from ggrep.maintenance.status import StatusReport

INVENTORY_SCHEMA = 1


def status_json(report: "StatusReport") -> dict[str, Json]:
    """Return the status document; figures of a daemon are zero while none runs."""
    return {
        "schema_version": STATUS_SCHEMA,
        "store_id": report.store_id,
        "canonical_root": sanitise_line(report.canonical_root),
        "config_fingerprint": report.config_fingerprint,
        "ignore_fingerprint": report.manifest.ignore_fingerprint if report.manifest else None,
        "encoder": report.encoder,
        "daemon": {
            "running": False,
            "pid": None,
            "started_at": None,
            "binary_version": None,
            "protocol_version": None,
            "stale": False,
            "supported_schema_versions": None,
        },
        "snapshot": _snapshot(report),
        "sync": _sync(report),
        "queries": {
            "max_concurrent": 0,
            "max_queue_depth": 0,
            "timeout_ms": report.query_timeout_ms,
            "in_flight": 0,
            "queue_depth": 0,
            "busy_total": 0,
            "timeouts_total": 0,
            "slow_total": 0,
        },
        "resources": {
            "embed_global": {"max_concurrent": 0, "in_use": 0, "stale_lock": False},
            "disk": {
                "store_bytes": report.store_bytes,
                "store_budget_bytes": report.store_budget_bytes,
                "cache_bytes": report.cache_bytes,
                "cache_budget_bytes": report.cache_budget_bytes,
                "log_bytes": report.log_bytes,
                "log_budget_bytes": report.log_budget_bytes,
            },
            "open_handles": {"segments_open": 0, "segments_budget": report.segments_budget},
        },
        "performance": _performance(report),
    }


def _performance(report: "StatusReport") -> dict[str, Json]:
    """Return latencies against the contract's budgets; null is what only a daemon measures."""
    last = report.last_sync
    return {
        "query_latency_p50_ms": None,
        "query_latency_p95_ms": None,
        "query_latency_budget_p50_ms": 300,
        "query_latency_budget_p95_ms": 1500,
        "segments_touched_max": None,
        "segments_touched_budget": 64,
        "publish_time_last_ms": last.last_duration_ms if last else None,
        "publish_time_budget_ms": 600_000,
        "gc_time_last_ms": last.upkeep.last_gc_ms if last else None,
        "gc_time_budget_ms": 120_000,
        "compaction_time_last_ms": last.upkeep.last_compaction_ms if last else None,
        "compaction_time_budget_ms": 600_000,
    }


def _snapshot(report: "StatusReport") -> dict[str, Json]:
    manifest = report.manifest
    git = manifest.git if manifest else None
    return {
        "active_snapshot_id": manifest.snapshot_id if manifest else None,
        "created_at": manifest.created_at if manifest else None,
        "head_sha": git.head_sha if git else None,
        "dirty": git.dirty if git else None,
        "untracked_included": git.untracked_included if git else None,
        "degraded": manifest.degraded if manifest else False,
        "partial": manifest.partial if manifest else False,
        "files": manifest.counts.files_indexed if manifest else 0,
        "chunks": manifest.counts.chunks_visible if manifest else 0,
        "segments": len(manifest.segments) if manifest else 0,
        "tombstones": manifest.counts.tombstones_added if manifest else 0,
    }


def _sync(report: "StatusReport") -> dict[str, Json]:
    last = report.last_sync
    return {
        "state": "indexing" if report.writing else "idle",
        "last_sync_at": last.last_sync_at if last else None,
        "last_result": last.last_result if last else None,
        "last_duration_ms": last.last_duration_ms if last else None,
        "staging_txn_id": report.staging_txn_id,
        "skipped_files": len(last.skipped) if last else 0,
    }


def health_json(report: "HealthReport") -> dict[str, Json]:
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


def inventory_json(entries: Sequence["StoreEntry"]) -> dict[str, Json]:
    """Return the document of `ggrep list`."""
    stores: list[Json] = [
        {
            "store_id": entry.store_id,
            "size_bytes": entry.size_bytes,
            "modified_at": rfc3339(entry.modified_at),
            "last_used_at": rfc3339(entry.last_used_at) if entry.last_used_at else None,
            "canonical_root": entry.canonical_root and sanitise_line(entry.canonical_root),
            "root_exists": entry.root_exists,
            "config_fingerprint": entry.config_fingerprint,
            "active_snapshot_id": entry.active_snapshot_id,
            "created_at": entry.created_at,
            "files": entry.files,
            "chunks": entry.chunks,
            "problem": entry.problem,
        }
        for entry in entries
    ]
    return {"schema_version": INVENTORY_SCHEMA, "stores": stores}


def removal_json(freed: Mapping[str, int]) -> dict[str, Json]:
    """Return the document of `ggrep clean`."""
    removed: list[Json] = [{"store_id": key, "size_bytes": size} for key, size in freed.items()]
    return {"schema_version": INVENTORY_SCHEMA, "removed": removed}
