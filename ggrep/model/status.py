"""The `status` document of a repository and its daemon, and the report on profiles."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from msgspec import Struct

from ggrep.model.constraints import (
    Code,
    Commit,
    Count,
    Figure,
    Later,
    Moment,
    Positive,
    Sha256,
    SnapshotId,
    StoreId,
    Versioned,
    named,
)

QUERY_P50_MS: Final = 300
QUERY_P95_MS: Final = 1_500
SEGMENTS_TOUCHED: Final = 64
PUBLISH_MS: Final = 600_000
GC_MS: Final = 120_000
COMPACTION_MS: Final = 600_000
"""Budgets of searches and upkeep; exceeding a budget causes a warning, never a failure."""
NEAR: Final = 0.9
"""A value above this share of its bound is near the bound."""


class SupportedVersions(Struct, frozen=True):
    """Versions of each document that the daemon can write."""

    query_success: tuple[Positive, ...] = ()
    query_error: tuple[Positive, ...] = ()
    status: tuple[Positive, ...] = ()
    health: tuple[Positive, ...] = ()
    slate_success: Later[tuple[Positive, ...]] = ()
    symbol_success: Later[tuple[Positive, ...]] = ()
    references_success: Later[tuple[Positive, ...]] = ()
    expand_success: Later[tuple[Positive, ...]] = ()
    outline_success: Later[tuple[Positive, ...]] = ()
    tour_success: Later[tuple[Positive, ...]] = ()


class StatusDaemon(Struct, frozen=True):
    """The process that serves the store."""

    running: bool = False
    """Whether a daemon runs."""
    pid: Positive | None = None
    """Process id of the daemon."""
    started_at: Moment | None = None
    """Time when the daemon started (UTC)."""
    binary_version: str | None = None
    """Version of the daemon."""
    protocol_version: Positive | None = None
    """Protocol version of the daemon."""
    stale: bool = False
    """Whether the daemon's settings differ from those of the repository."""
    supported_schema_versions: SupportedVersions | None = None
    uptime_ms: Later[Count | None] = None
    """Time since the daemon's start, milliseconds."""
    build: Later[str | None] = None
    """Identity of the build, which distinguishes builds of the same version."""
    stale_reason: Later[str | None] = None
    """Change that made the configuration outdated; null unless it is stale."""
    warming: Later[bool] = False
    """Whether the daemon has not yet answered a search of the active snapshot."""
    connections: Later[Count] = 0
    """Open connections."""
    rss_bytes: Later[Count | None] = None
    """Memory of the daemon's process, bytes."""


@named("made_files")
class GeneratedCounts(Struct, frozen=True):
    """Numbers of indexed files that are machine-written, according to names and contents."""

    generated: Count = 0
    """Files written by a program."""
    minified: Count = 0
    """Minified or bundled scripts, style sheets and pages."""
    data: Count = 0
    """Tables, dumps, blobs and lock files."""
    shortened: Count = 0
    """Minified and data files that are indexed only up to max_bulk_bytes."""

    def summary(self) -> str:
        """Return the counts as a line of text; empty if all are 0."""
        kinds = (
            (self.generated, "generated"),
            (self.minified, "minified"),
            (self.data, "data file" if self.data == 1 else "data files"),
        )
        parts = ", ".join(f"{count} {kind}" for count, kind in kinds if count)
        return f"{parts}; they rank below hand-written files" if parts else ""


class RetainedSnapshot(Struct, frozen=True):
    """A retained snapshot of the store."""

    snapshot_id: SnapshotId
    """Id of the snapshot."""
    created_at: Moment
    """Time when the snapshot was published (UTC)."""
    files: Count
    """Searchable files."""
    chunks: Count
    """Searchable chunks."""


class SnapshotStatus(Struct, frozen=True):
    """The active snapshot."""

    active_snapshot_id: SnapshotId | None = None
    """Id of the active snapshot."""
    created_at: Moment | None = None
    """Time when the active snapshot was published (UTC)."""
    head_sha: Commit | None = None
    """Commit of HEAD at that moment; null outside git."""
    dirty: bool | None = None
    """Whether tracked files differed from HEAD; null outside git."""
    untracked_included: bool | None = None
    """Whether untracked files are also indexed; null outside git."""
    degraded: bool = False
    """Whether the snapshot left out files that could not be indexed."""
    partial: bool = False
    """Whether the first index is still being built."""
    files: Count = 0
    """Searchable files."""
    masked_files: Count = 0
    """Files with secrets, which are masked in all indexed and shown text."""
    made_files: GeneratedCounts = GeneratedCounts()
    chunks: Count = 0
    """Searchable chunks."""
    segments: Count = 0
    """Segments that a query reads."""
    tombstones: Count = 0
    """Paths hidden in older segments, counted once for each publish."""
    retained: Later[tuple[RetainedSnapshot, ...]] = ()
    """The newest 10 snapshots in the store, the newest first."""


class SyncStatus(Struct, frozen=True):
    """The last update of the index."""

    state: Annotated[str, ("idle", "indexing")] = "idle"
    """Present activity of the daemon or of any other writer."""
    last_sync_at: Moment | None = None
    """Time when the last sync ended (UTC)."""
    last_result: Annotated[str, ("ok", "degraded", "error")] | None = None
    """Result of the last sync."""
    last_duration_ms: Count | None = None
    """Duration of the last sync, milliseconds."""
    staging_txn_id: SnapshotId | None = None
    """Id of the publish under way."""
    secret_files: Count = 0
    """Number of skipped files with keys or passwords, judged by name, folder or content."""
    skipped_files: Count = 0
    """Number of files that the last sync found but did not index; health lists them."""
    stage: Later[str | None] = None
    """Stage of the daemon's sync, also `waiting for git` before a sync starts; null while idle."""
    done_files: Later[Count] = 0
    """Files that the sync has finished; 0 while idle."""
    total_files: Later[Count] = 0
    """Number of files for the sync; 0 if unknown."""
    pending: Later[bool] = False
    """Whether a change waits for the next sync."""
    last_error: Later[str | None] = None
    """Reason why the last sync failed; null after a successful one."""
    next_retry_ms: Later[Count | None] = None
    """Milliseconds until the daemon retries a failed sync; null when it will not."""
    failures_total: Later[Count] = 0
    """Syncs that failed since the daemon's start."""


class QueryCounts(Struct, frozen=True):
    """Query load of the daemon; zeros if no daemon runs."""

    max_concurrent: Count = 0
    """Maximum number of concurrent queries."""
    max_queue_depth: Count = 0
    """Maximum number of waiting queries."""
    timeout_ms: Count = 0
    """Timeout of queries that set none, milliseconds."""
    in_flight: Count = 0
    """Queries running."""
    queue_depth: Count = 0
    """Queries waiting."""
    busy_total: Count = 0
    """Queries rejected since the start."""
    timeouts_total: Count = 0
    """Queries that timed out since the start."""
    slow_total: Count = 0
    """Queries over `slow_query_ms` since the start."""
    query_total: Later[Count] = 0
    """Queries answered since the start."""
    cancelled_total: Later[Count] = 0
    """Queries that were cancelled since the start."""
    failed_total: Later[Count] = 0
    """Queries that ended in another error since the start."""
    slow_query_ms: Later[Count] = 2000
    """Duration above which a query counts as slow, milliseconds."""
    clients: Later[Count] = 0
    """Clients with queries running or waiting."""


class Disk(Struct, frozen=True):
    """Bytes of the store, the caches and the logs on disk, and their maximums."""

    store_bytes: Count = 0
    """Bytes of the store."""
    store_budget_bytes: Count = 0
    """Maximum bytes of the store; 0 for no bound."""
    cache_bytes: Count = 0
    """Bytes of the caches."""
    cache_budget_bytes: Count = 0
    """Maximum bytes of the caches; 0 for no bound."""
    log_bytes: Count = 0
    """Bytes of the logs."""
    log_budget_bytes: Count = 0
    """Maximum bytes of the logs; 0 for no bound."""


class OpenHandles(Struct, frozen=True):
    """Number of open segments, and the maximum that a query can open."""

    segments_open: Count = 0
    """Segments that are open now."""
    segments_budget: Count = 0
    """Maximum number of segments that a query can open."""


class EmbedPool(Struct, frozen=True):
    """Slots that limit how many processes of the host encode at once."""

    max_concurrent: Count = 0
    """Maximum number of processes that encode at once; 0 for no limit."""
    in_use: Count = 0
    """Slots in use now."""
    stale_lock: bool = False
    """Whether a process with a slot has died or hangs."""


class QueryWorkers(Struct, frozen=True):
    """Processes that answer queries; all daemons that run in one process share them."""

    running: Count = 0
    """Workers that run now."""
    max_running: Count = 0
    """Maximum number of workers."""
    started_total: Count = 0
    """Workers started since the start."""
    answered_total: Count = 0
    """Queries that workers answered since the start."""


class Resources(Struct, frozen=True):
    """Used resources and their bounds."""

    disk: Disk = Disk()
    open_handles: OpenHandles = OpenHandles()
    embed_global: EmbedPool = EmbedPool()
    query_workers: Later[QueryWorkers] = QueryWorkers()


class Performance(Struct, frozen=True):
    """Durations of queries and maintenance, and their budgets."""

    query_latency_p50_ms: Count | None = None
    """Median of recent queries, milliseconds. Null when not measured."""
    query_latency_p95_ms: Count | None = None
    """95th percentile of recent queries, milliseconds. Null when not measured."""
    segments_touched_max: Count | None = None
    """Maximum number of segments that a recent query read. Null if not measured."""
    publish_time_last_ms: Count | None = None
    """Duration of the last publish, milliseconds. Null when not measured."""
    gc_time_last_ms: Count | None = None
    """Duration of the last gc, milliseconds. Null when not measured."""
    compaction_time_last_ms: Count | None = None
    """Duration of the last compaction, milliseconds. Null when not measured."""
    query_latency_budget_p50_ms: Count = QUERY_P50_MS
    """Budget of the median latency, milliseconds."""
    query_latency_budget_p95_ms: Count = QUERY_P95_MS
    """Budget of the 95th percentile of latencies, milliseconds."""
    publish_time_budget_ms: Count = PUBLISH_MS
    """Budget of a publish, milliseconds."""
    gc_time_budget_ms: Count = GC_MS
    """Budget of a gc, milliseconds."""
    compaction_time_budget_ms: Count = COMPACTION_MS
    """Budget of a compaction, milliseconds."""
    segments_touched_budget: Count = SEGMENTS_TOUCHED
    """Budget of the segments that a query reads."""
    stages_mean_ms: Later[Mapping[str, Figure]] = {}
    """Mean of recent queries by stage, milliseconds; empty when not measured."""


class WatchStatus(Struct, frozen=True):
    """The daemon's detection of changes in the work tree."""

    mode: Annotated[str, ("events", "polling", "off")] = "off"
    """`events`: the system reports changes; `polling`: the daemon checks for changes every few
    seconds; `off`: neither."""
    events_total: Count = 0
    """Changes that the daemon noticed since the start."""
    last_event_age_ms: Count | None = None
    """Time since the last noticed change, milliseconds."""
    problem: str | None = None
    """Reason why changes are not noticed; null when nothing is wrong."""


class WarningJson(Struct, frozen=True):
    """A warning about the state of an index."""

    code: Code
    """Stable name of the warning."""
    message: str
    """Text on a single line."""


class Status(Versioned, frozen=True, kw_only=True):
    """The state of a repository's index; fields are null before the first snapshot."""

    store_id: StoreId
    """Store of the repository under its present settings."""
    canonical_root: str
    """Absolute path of the repository, free of symbolic links."""
    config_fingerprint: Sha256 = ""
    """Identity of the settings that shape the index (SHA-256, hex)."""
    ignore_fingerprint: Sha256 | None = None
    """Identity of the ignore rules of the active snapshot (SHA-256, hex)."""
    encoder: str = ""
    """The configured encoder; none to compare words and structure only."""
    daemon: StatusDaemon = StatusDaemon()
    snapshot: SnapshotStatus = SnapshotStatus()
    sync: SyncStatus = SyncStatus()
    queries: QueryCounts = QueryCounts()
    resources: Resources = Resources()
    performance: Performance = Performance()
    watch: Later[WatchStatus] = WatchStatus()
    warnings: Later[tuple[WarningJson, ...]] = ()
    """Warnings about the state, by code, each code once."""


class ProfileBudgets(Struct, frozen=True):
    """Bounds of a profile's own store; null for a profile without its own store."""

    max_bytes_indexed: Positive
    """Maximum bytes of files that only the profile includes."""
    max_file_size_bytes: Positive
    """Maximum size of a file in bytes; larger files are skipped."""
    max_store_bytes: Positive
    """Maximum bytes of the store; a publish that would exceed them is refused."""


class ProfileReport(Struct, frozen=True):
    """A profile of the repository, and its store."""

    name: str | None
    """Value for `--profile`; null for the repository without a profile."""
    in_force: bool
    """Whether the profile is the current profile."""
    kind: Annotated[str, ("own_store", "view", "none")]
    """`own_store`: the profile indexes more files, in a separate store. `view`: the profile
    restricts answers from the store of the repository. `none`: no profile.
    """
    store_id: str
    """Name of the store that the profile uses; profiles can share a store."""
    state: Literal["indexed", "no_index", "unreadable"]
    """State of the profile's store."""
    snapshot_id: str | None = None
    """The active snapshot; null without an index."""
    files: Count = 0
    """Number of files of the active snapshot."""
    chunks: Count = 0
    """Number of chunks of the active snapshot."""
    degraded: bool = False
    """Whether an error kept files out of the active snapshot."""
    budgets: ProfileBudgets | None = None


class ProfilesReport(Versioned, frozen=True, kw_only=True):
    """Output of `ggrep profiles --json`."""

    repo_id: str
    """Name of the repository, the same under all settings."""
    profiles: tuple[ProfileReport, ...]
    """Profiles by name; the repository without a profile comes first, if it is the default."""
