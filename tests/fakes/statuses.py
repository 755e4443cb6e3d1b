"""The status of a store that nobody has made."""

from ggrep.model.status import OpenHandles, QueryCounts, Resources, Status

EMPTY_STATUS = Status(
    store_id="shop-0123456789ab-0123456789ab",
    canonical_root="/code/shop",
    config_fingerprint="0" * 64,
    encoder="none",
    queries=QueryCounts(timeout_ms=60_000),
    resources=Resources(open_handles=OpenHandles(segments_budget=64)),
)
"""Nothing was published yet, nothing runs, and nothing is bounded."""
