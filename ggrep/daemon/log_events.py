"""The entries of a store's log: a closed set of fields about each search and each sync.

No query, no path below the root, no file content and no vector is among them, so a log may be
shown to anyone who may know that the store exists.
"""

from typing import Final, Literal

from msgspec import Struct

QueryStatus = Literal["ok", "busy", "timeout", "cancelled", "error"]
SyncStatus = Literal["ok", "unchanged", "degraded", "error"]

LIFECYCLE_FIELDS: Final = frozenset(
    {
        "binary_version",
        "build",
        "connections",
        "error_code",
        "mode",
        "pid",
        "protocol_version",
        "reason",
        "signal",
        "uptime_ms",
    }
)
"""What an event of a daemon's life may carry besides its name."""


class QueryEvent(Struct, frozen=True):
    """One search, or another request that the index answers, with its outcome.

    Attributes:
        client: who asked, by its own word.
        lane: `interactive` or `batch`.
        mode: of the request; the contract's profile. Empty for what has none.
        snippet: how much of each hit was asked for; empty where that is no choice.
        stages: name and milliseconds, in the order they were passed.
        error_code: None when it was answered.
        hits: how many were returned; files of a slate, definitions, mentions.
        limits_hit: codes of the cuts.
        warnings: their codes.
    """

    request_id: str
    snapshot_id: str | None
    client: str
    lane: str
    mode: str
    max_results: int
    per_file: int
    snippet: str
    stages: tuple[tuple[str, float], ...]
    total_ms: float
    status: QueryStatus
    error_code: str | None = None
    asked: str = "search"
    hits: int = 0
    limits_hit: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class SyncEvent(Struct, frozen=True):
    """One sync, with its outcome.

    Attributes:
        trigger: what began it, as the schedule of syncs has it: `start`, `change`, `look` (a
            change that was only suspected), `asked`, `quiet`, `reconcile` or `retry`.
        indexed: files whose rows are new.
        degraded: how many files show older content than they have.
        error_code: None unless it failed.
    """

    trigger: str
    status: SyncStatus
    duration_ms: float
    snapshot_id: str | None = None
    published: bool = False
    indexed: int = 0
    deleted: int = 0
    unchanged: int = 0
    chunks: int = 0
    segments: int = 0
    vectors_encoded: int = 0
    vectors_reused: int = 0
    skipped: int = 0
    degraded: int = 0
    error_code: str | None = None
