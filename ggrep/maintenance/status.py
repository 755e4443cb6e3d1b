"""Status of one store: what is published, what the last sync did, what is in use."""

from dataclasses import dataclass
from pathlib import Path

from ggrep.config.settings import Settings
from ggrep.domain.ids import StoreId
from ggrep.domain.standing import Standing
from ggrep.home import Home
from ggrep.layout import names
from ggrep.lease import is_live, read_record
from ggrep.store.disk import store_bytes
from ggrep.store.manifest import SnapshotManifest
from ggrep.store.view import SnapshotView
from ggrep.sync.index_state import IndexState, read_index_state, recorded_standing


@dataclass(frozen=True, slots=True)
class StatusReport:
    """What status shows; `manifest` and `last_sync` are None before the first publish.

    Attributes:
        standing: how the updating stands, as its last sync wrote it down.
        writing: a writer that lives holds the lease.
        staging_txn_id: what it is putting together, once it is.
    """

    store_id: StoreId
    canonical_root: str
    config_fingerprint: str
    encoder: str
    manifest: SnapshotManifest | None
    last_sync: IndexState | None
    standing: Standing
    store_bytes: int
    store_budget_bytes: int
    cache_bytes: int
    cache_budget_bytes: int
    log_bytes: int
    log_budget_bytes: int
    query_timeout_ms: int
    segments_budget: int
    writing: bool
    staging_txn_id: str | None


def read_status(
    settings: Settings,
    view: SnapshotView | None,
    home: Home,
    *,
    root: Path,
    store_id: StoreId,
    config_fingerprint: str,
) -> StatusReport:
    """Return the status of one store; nothing is written."""
    store = home.store_dir(store_id)
    files = names.lease_files(store)
    record, writing = read_record(files.record), is_live(files)
    return StatusReport(
        store_id=store_id,
        canonical_root=str(root),
        config_fingerprint=config_fingerprint,
        encoder=settings.encoder,
        manifest=view.manifest if view else None,
        last_sync=read_index_state(names.index_state_file(store)) if view else None,
        standing=recorded_standing(names.index_state_file(store)),
        store_bytes=store_bytes(store),
        store_budget_bytes=settings.max_store_bytes,
        cache_bytes=store_bytes(home.cache),
        cache_budget_bytes=settings.max_cache_bytes,
        log_bytes=store_bytes(home.logs),
        log_budget_bytes=settings.max_log_bytes,
        query_timeout_ms=settings.query_timeout_ms,
        segments_budget=settings.max_open_segments_per_query,
        writing=writing,
        staging_txn_id=record.staging_txn_id if record and writing else None,
    )
