"""Reports of stores that nobody has made."""

from ggrep.base.ids import StoreId
from ggrep.index.maintenance.status import StatusReport
from ggrep.model.standing import AT_REST

EMPTY_STATUS = StatusReport(
    store_id=StoreId("shop-0123456789ab-0123456789ab"),
    canonical_root="/code/shop",
    config_fingerprint="0" * 64,
    encoder="none",
    manifest=None,
    last_sync=None,
    standing=AT_REST,
    store_bytes=0,
    store_budget_bytes=0,
    cache_bytes=0,
    cache_budget_bytes=0,
    log_bytes=0,
    log_budget_bytes=0,
    query_timeout_ms=60_000,
    segments_budget=64,
    writing=False,
    staging_txn_id=None,
    problems=(),
)
"""Nothing was published yet, nothing runs, and nothing is bounded."""
