"""Compiled-in caps: bounds that no file, variable or flag can widen."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

MAX_FILE_SIZE_BYTES: Final = 10 * 1024 * 1024
MAX_NOTEBOOK_BYTES: Final = 32 * 1024 * 1024
"""Of a notebook, with outputs; what is written in it may be as large as any file."""
"""Largest file that is read for indexing."""

MAX_CHUNKS_PER_FILE: Final = 2_000
"""Most chunks of one file."""

MAX_BYTES_PER_SYNC: Final = 256 * 1024 * 1024
"""Most file content that enters one snapshot; a larger change is published in several."""

MAX_PARSE_TIMEOUT_MS: Final = 600_000
"""Longest that a file is waited for before it is put off."""

MAX_PARSE_WORKERS: Final = 64
"""Most parse processes of one sync."""

MAX_SEGMENTS: Final = 64
"""Most segments a snapshot may hold before small ones are merged."""

MAX_CANDIDATES: Final = 10_000
"""Most rows kept after scoring and before quotas."""

MAX_QUERY_RESULTS: Final = 200
"""Most hits of one answer."""

MAX_QUERY_PER_FILE: Final = 50
"""Most hits of one file in one answer."""

MAX_OPEN_SEGMENTS_PER_QUERY: Final = 512
"""Most segments one query opens."""

MAX_TOTAL_SNIPPET_BYTES: Final = 10 * 1024 * 1024
"""Most snippet text of one answer."""

MAX_SNIPPET_BYTES_PER_RESULT: Final = 262_144
"""Most snippet text of one hit."""

MAX_QUERY_TIMEOUT_MS: Final = 3_600_000
"""Longest deadline a query may ask for."""

MAX_STORE_BYTES: Final = 2**50
"""Largest byte budget of a store that makes sense to write down."""

MAX_LEASE_TTL_MS: Final = 3_600_000
"""Longest that a silent writer keeps others waiting."""

MAX_RETAINED: Final = 1_000
"""Most snapshots that retention keeps by number."""

MAX_AGE_SECS: Final = 366 * 86_400
"""Longest age that retention goes by."""

MAX_TOMBSTONES: Final = 250_000
"""Most tombstones of one snapshot."""

MAX_CONCURRENT_QUERIES: Final = 256
"""Most queries of one daemon at work at once."""

MAX_QUERY_QUEUE: Final = 4_096
"""Most queries of one daemon that wait."""

MAX_OPEN_SEGMENTS: Final = 4_096
"""Most segments that a process holds open for queries."""

MAX_ENCODE_SLOTS: Final = 64
"""Most processes of a host that encode at once."""

MAX_REQUEST_BYTES: Final = 16 * 1024 * 1024
"""Largest message a daemon takes."""

MAX_RESPONSE_BYTES: Final = 64 * 1024 * 1024
"""Largest message a daemon sends."""

MAX_CONFIG_FILE_BYTES: Final = 64 * 1024
"""Largest settings file that is parsed."""

MAX_IGNORE_FILE_BYTES: Final = 1024 * 1024
"""Largest ignore file that is parsed."""

BOUNDS: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "max_file_size_bytes": (1, MAX_FILE_SIZE_BYTES),
        "max_chunks_per_file": (1, MAX_CHUNKS_PER_FILE),
        "max_bulk_bytes": (1024, MAX_FILE_SIZE_BYTES),
        "max_bytes_per_sync": (1, MAX_BYTES_PER_SYNC),
        "parse_timeout_ms": (1, MAX_PARSE_TIMEOUT_MS),
        "parse_workers": (0, MAX_PARSE_WORKERS),
        "max_segments": (1, MAX_SEGMENTS),
        "max_candidates": (1, MAX_CANDIDATES),
        "max_query_results": (1, MAX_QUERY_RESULTS),
        "max_query_per_file": (1, MAX_QUERY_PER_FILE),
        "max_open_segments_per_query": (1, MAX_OPEN_SEGMENTS_PER_QUERY),
        "max_total_snippet_bytes": (0, MAX_TOTAL_SNIPPET_BYTES),
        "max_snippet_bytes_per_result": (0, MAX_SNIPPET_BYTES_PER_RESULT),
        "query_timeout_ms": (1, MAX_QUERY_TIMEOUT_MS),
        "max_bytes_indexed": (0, MAX_STORE_BYTES),
        "max_store_bytes": (0, MAX_STORE_BYTES),
        "max_cache_bytes": (0, MAX_STORE_BYTES),
        "max_log_bytes": (0, MAX_STORE_BYTES),
        "lease_ttl_ms": (250, MAX_LEASE_TTL_MS),
        "retain_snapshots_min": (1, MAX_RETAINED),
        "retain_snapshots_min_age_secs": (0, MAX_AGE_SECS),
        "gc_safety_margin_ms": (0, MAX_LEASE_TTL_MS),
        "store_gc_days": (1, 366),
        "compaction_overdue_segments": (2, MAX_SEGMENTS),
        "compaction_overdue_tombstones": (1, MAX_TOMBSTONES),
        "max_tombstones_per_snapshot": (1, MAX_TOMBSTONES),
        "max_concurrent_queries": (1, MAX_CONCURRENT_QUERIES),
        "max_query_queue_depth": (0, MAX_QUERY_QUEUE),
        "max_queries_per_client": (0, MAX_CONCURRENT_QUERIES),
        "max_open_segments_global": (1, MAX_OPEN_SEGMENTS),
        "slow_query_ms": (0, MAX_QUERY_TIMEOUT_MS),
        "max_embed_global": (0, MAX_ENCODE_SLOTS),
        "embed_lock_ttl_ms": (250, MAX_LEASE_TTL_MS),
        "max_request_bytes": (4096, MAX_REQUEST_BYTES),
        "max_response_bytes": (65_536, MAX_RESPONSE_BYTES),
        "idle_timeout_secs": (1, MAX_AGE_SECS),
        "store_idle_secs": (1, MAX_AGE_SECS),
    }
)
"""Least and greatest value of every setting that is a number."""
