"""The JSON of `clone-store`, `upgrade-store` and `gc --stores`; see `inventory.schema.json`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from ggrep.model.sanitise import sanitise_line
from ggrep.render.error_json import query_error

if TYPE_CHECKING:
    from ggrep.index.maintenance.clone import CloneReport
    from ggrep.index.maintenance.stores_gc import StoreCandidate, StoresReport
    from ggrep.index.maintenance.upgrade import UpgradeReport
    from ggrep.model.schemas.stores import (
        CandidateJson,
        CloneJson,
        FromVersionsJson,
        StoresCollectionJson,
        ToVersionsJson,
        UpgradeJson,
    )

STORES_SCHEMA: Final = 1


def clone_json(report: "CloneReport") -> "CloneJson":
    """Return the document of `ggrep clone-store`."""
    return {
        "schema_version": STORES_SCHEMA,
        "source_store_id": report.source,
        "store_id": report.store_id,
        "snapshot_id": report.snapshot_id,
        "size_bytes": report.size_bytes,
        "files_linked": report.artifacts.linked,
        "files_copied": report.artifacts.copied,
        "replaced": report.replaced,
    }


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
