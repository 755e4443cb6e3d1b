"""The JSON documents of `ggrep gc|compact|repair`."""

from typing import TYPE_CHECKING, Final

from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.index.maintenance.collection import CollectionReport
    from ggrep.index.maintenance.compaction import CompactionReport
    from ggrep.index.maintenance.repair import RepairReport
    from ggrep.model.schemas.maintenance import CollectionJson, CompactionJson, RepairJson

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
