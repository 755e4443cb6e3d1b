"""Time budgets of searches and upkeep; exceeding one is a warning, never a failure."""

from typing import Final

QUERY_P50_MS: Final = 300
QUERY_P95_MS: Final = 1_500
SEGMENTS_TOUCHED: Final = 64
PUBLISH_MS: Final = 600_000
GC_MS: Final = 120_000
COMPACTION_MS: Final = 600_000
NEAR: Final = 0.9
"""The share of a bound from which on it is near."""
