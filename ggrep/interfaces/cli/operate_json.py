"""The JSON of `ggrep list|clean`; see `inventory.schema.json`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ggrep.base.clock import rfc3339
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.index.maintenance.inventory import StoreEntry
    from ggrep.model.schemas.stores import RemovalJson, RemovedStoreJson, StoreJson, StoresJson

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
