"""The JSON of commands on stores; see `maintenance.schema.json` and `inventory.schema.json`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from ggrep.base.clock import rfc3339
from ggrep.model.sanitise import sanitise_line
from ggrep.render.error_json import query_error

if TYPE_CHECKING:
    from ggrep.index.maintenance.collection import CollectionReport
    from ggrep.index.maintenance.compaction import CompactionReport
    from ggrep.index.maintenance.inventory import StoreEntry
    from ggrep.index.maintenance.repair import RepairReport
    from ggrep.index.maintenance.stores_gc import StoreCandidate, StoresReport
    from ggrep.index.maintenance.upgrade import UpgradeReport
    from ggrep.model.schemas.maintenance import CollectionJson, CompactionJson, RepairJson
    from ggrep.model.schemas.stores import (
        CandidateJson,
        FromVersionsJson,
        RemovalJson,
        RemovedStoreJson,
        StoreJson,
        StoresCollectionJson,
        StoresJson,
        ToVersionsJson,
        UpgradeJson,
    )


COLLECTION_SCHEMA: Final = 1
COMPACTION_SCHEMA: Final = 1
REPAIR_SCHEMA: Final = 1


def collection_json(store_id: str, report: "CollectionReport") -> "CollectionJson":
    """Return the document of `ggrep gc`."""
    return {
        "schema_version": COLLECTION_SCHEMA,
        "store_id": store_id,
        "dry_run": report.dry_run,
        "active_snapshot_id": report.active_snapshot_id,
        "retained_snapshots": list(report.retained_snapshots),
        "deleted_snapshots": list(report.deleted_snapshots),
        "deleted_segments": list(report.deleted_segments),
        "deleted_tombstones": list(report.deleted_tombstones),
        "freed_bytes": report.freed_bytes,
        "duration_ms": report.duration_ms,
    }


def compaction_json(store_id: str, report: "CompactionReport") -> "CompactionJson":
    """Return the document of `ggrep compact`."""
    return {
        "schema_version": COMPACTION_SCHEMA,
        "store_id": store_id,
        "performed": report.performed,
        "reason": report.reason,
        "base_snapshot_id": report.base_snapshot_id,
        "new_snapshot_id": report.new_snapshot_id,
        "segments_before": report.segments_before,
        "segments_after": report.segments_after,
        "tombstones_before": report.tombstones_before,
        "tombstones_after": report.tombstones_after,
        "rows_before": report.rows_before,
        "rows_after": report.rows_after,
        "duration_ms": report.duration_ms,
    }


def repair_json(store_id: str, report: "RepairReport") -> "RepairJson":
    """Return the document of `ggrep repair`."""
    return {
        "schema_version": REPAIR_SCHEMA,
        "store_id": store_id,
        "performed": report.performed,
        "damage": report.damage and sanitise_line(report.damage),
        "lost_segments": list(report.lost_segments),
        "healed": list(report.files_healed),
        "files": {
            "rebuilt": report.files_rebuilt,
            "deleted": report.files_deleted,
            "kept": report.files_kept,
        },
        "snapshot_id": report.snapshot_id,
        "duration_ms": report.duration_ms,
    }


INVENTORY_SCHEMA: Final = 1


def inventory_json(entries: Sequence["StoreEntry"]) -> "StoresJson":
    """Return the document of `ggrep list`."""
    stores: list[StoreJson] = [
        {
            "store_id": sanitise_line(entry.store_id),
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
            "problem": entry.problem and sanitise_line(entry.problem),
        }
        for entry in entries
    ]
    return {"schema_version": INVENTORY_SCHEMA, "stores": stores}


def removal_json(freed: Mapping[str, int]) -> "RemovalJson":
    """Return the document of `ggrep clean`."""
    removed: list[RemovedStoreJson] = [
        {"store_id": key, "size_bytes": size} for key, size in freed.items()
    ]
    return {"schema_version": INVENTORY_SCHEMA, "removed": removed}


STORES_SCHEMA: Final = 1


def upgrade_json(report: "UpgradeReport") -> "UpgradeJson":
    """Return the document of `ggrep upgrade-store`."""
    return {
        "schema_version": STORES_SCHEMA,
        "store_id": report.store_id,
        "snapshot_id": report.snapshot_id,
        "upgraded": report.upgraded,
        "from_versions": cast("FromVersionsJson", dict(report.from_versions)),
        "to_versions": cast("ToVersionsJson", dict(report.to_versions)),
    }


def stores_gc_json(report: "StoresReport") -> "StoresCollectionJson":
    """Return the document of `ggrep gc --stores`."""
    return {
        "schema_version": STORES_SCHEMA,
        "dry_run": report.dry_run,
        "candidates": _candidates(report.candidates),
        "deleted": _candidates(report.deleted),
        "refused": [
            {"store_id": refusal.store_id, **query_error(refusal.error)}
            for refusal in report.refused
        ],
    }


def _candidates(found: "Sequence[StoreCandidate]") -> "list[CandidateJson]":
    return [
        {
            "store_id": item.store_id,
            "size_bytes": item.size_bytes,
            "modified_at": item.modified_at,
            "last_used_at": item.last_used_at,
            "canonical_root": item.canonical_root and sanitise_line(item.canonical_root),
            "reason": item.reason,
        }
        for item in found
    ]
