"""The `status` document of one repository and its daemon, and the index of each profile."""

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
"""Budgets of searches and upkeep; exceeding one is a warning, never a failure."""
NEAR: Final = 0.9
"""The share of a bound from which on it is near."""


class SupportedVersions(Struct, frozen=True):
    """Versions of each document it can write."""

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
    """Whether one runs."""
    pid: Positive | None = None
    """Its process id."""
    started_at: Moment | None = None
    """When it started (UTC)."""
    binary_version: str | None = None
    """Its version."""
    protocol_version: Positive | None = None
    """What it speaks."""
    stale: bool = False
    """It serves a configuration that is no longer the present one."""
    supported_schema_versions: SupportedVersions | None = None
    uptime_ms: Later[Count | None] = None
    """How long it has run, milliseconds."""
    build: Later[str | None] = None
    """Tells apart two builds of one version."""
    stale_reason: Later[str | None] = None
    """What changed; null unless it is stale."""
    warming: Later[bool] = False
    """It has not yet answered its first search of the active snapshot."""
    connections: Later[Count] = 0
    """Open connections."""
    rss_bytes: Later[Count | None] = None
    """Memory of the process that carries it."""


@named("made_files")
class GeneratedCounts(Struct, frozen=True):
    """Those of them that no person wrote, as far as their names and contents tell."""

    generated: Count = 0
    """Written by a program."""
    minified: Count = 0
    """Scripts, style sheets and pages that were squeezed or bundled."""
    data: Count = 0
    """Tables, dumps, blobs and lock files."""
    shortened: Count = 0
    """Minified and data files that are indexed only up to max_bulk_bytes."""

    def told(self) -> str:
        """Return it as one line; empty where there are none."""
        kinds = (
            (self.generated, "generated"),
            (self.minified, "minified"),
            (self.data, "data file" if self.data == 1 else "data files"),
        )
        parts = ", ".join(f"{count} {kind}" for count, kind in kinds if count)
        return f"{parts}; ranked below hand-written files" if parts else ""


class SnapshotStatus(Struct, frozen=True):
    """The active snapshot."""

    active_snapshot_id: SnapshotId | None = None
    """Its id."""
    created_at: Moment | None = None
    """When it was published (UTC)."""
    head_sha: Commit | None = None
    """Commit of HEAD at that moment; null outside git."""
    dirty: bool | None = None
    """Tracked files differed from HEAD; null outside git."""
    untracked_included: bool | None = None
    """Files that git does not track are indexed as well; null outside git."""
    degraded: bool = False
    """It left out files that could not be indexed."""
    partial: bool = False
    """The first index is still being built."""
    files: Count = 0
    """Files that can be found."""
    masked_files: Count = 0
    """Those of them that hold secrets, which are masked in all that is indexed and shown."""
    made_files: GeneratedCounts = GeneratedCounts()
    chunks: Count = 0
    """Chunks that can be found."""
    segments: Count = 0
    """Segments a query reads."""
    tombstones: Count = 0
    """Paths hidden in older segments, counted once for each publish."""


class SyncStatus(Struct, frozen=True):
    """The last update of the index."""

    state: Annotated[str, ("idle", "indexing")] = "idle"
    """What goes on now: in the daemon, or in any other writer."""
    last_sync_at: Moment | None = None
    """When it last ended (UTC)."""
    last_result: Annotated[str, ("ok", "degraded", "error")] | None = None
    """How it ended."""
    last_duration_ms: Count | None = None
    """How long it took, milliseconds."""
    staging_txn_id: SnapshotId | None = None
    """The publish under way."""
    secret_files: Count = 0
    """Those of the skipped that hold keys or passwords, by their name, their folder or their
    content.
    """
    skipped_files: Count = 0
    """Files it found and did not index; health names them."""
    stage: Later[str | None] = None
    """What the daemon's sync is at, also before it begins: `waiting for git` while git moves files;
    null while it is idle.
    """
    done_files: Later[Count] = 0
    """Files it has done; 0 while it is idle."""
    total_files: Later[Count] = 0
    """Files it has to do; 0 while that is not known."""
    pending: Later[bool] = False
    """A change waits for the next sync."""
    last_error: Later[str | None] = None
    """Why the last one failed; null after one that did not."""
    next_retry_ms: Later[Count | None] = None
    """How long until the daemon tries again what failed; null where it will not."""
    failures_total: Later[Count] = 0
    """Syncs that failed since the daemon's start."""


class QueryCounts(Struct, frozen=True):
    """Load of the daemon; zeros while none runs."""

    max_concurrent: Count = 0
    """Most queries at once."""
    max_queue_depth: Count = 0
    """Most queries that may wait."""
    timeout_ms: Count = 0
    """Deadline of a query that names none, milliseconds."""
    in_flight: Count = 0
    """Queries running."""
    queue_depth: Count = 0
    """Queries waiting."""
    busy_total: Count = 0
    """Queries turned away since the start."""
    timeouts_total: Count = 0
    """Queries that ran out of time since the start."""
    slow_total: Count = 0
    """Queries over `slow_query_ms` since the start."""
    query_total: Later[Count] = 0
    """Queries answered since the start."""
    cancelled_total: Later[Count] = 0
    """Queries that were called off since the start."""
    failed_total: Later[Count] = 0
    """Queries that ended in another error since the start."""
    slow_query_ms: Later[Count] = 2000
    """A query that takes longer is slow, milliseconds."""
    clients: Later[Count] = 0
    """Clients with queries running or waiting."""


class Disk(Struct, frozen=True):
    """Bytes on disk."""

    store_bytes: Count = 0
    """Of the store."""
    store_budget_bytes: Count = 0
    """Most it may take; 0 for no bound."""
    cache_bytes: Count = 0
    """Of the caches."""
    cache_budget_bytes: Count = 0
    """Most they may take; 0 for no bound."""
    log_bytes: Count = 0
    """Of the logs."""
    log_budget_bytes: Count = 0
    """Most they may take; 0 for no bound."""


class OpenHandles(Struct, frozen=True):
    """Open segments."""

    segments_open: Count = 0
    """Now."""
    segments_budget: Count = 0
    """Most a query may open."""


class EmbedPool(Struct, frozen=True):
    """Encoding, host-wide."""

    max_concurrent: Count = 0
    """Most batches encoded at once; 0 while nothing limits them."""
    in_use: Count = 0
    """Now."""
    stale_lock: bool = False
    """A slot's holder has died."""


class Resources(Struct, frozen=True):
    """What is in use of what there is."""

    disk: Disk = Disk()
    open_handles: OpenHandles = OpenHandles()
    embed_global: EmbedPool = EmbedPool()


class Performance(Struct, frozen=True):
    """Latencies against their budgets."""

    query_latency_p50_ms: Count | None = None
    """Median of recent queries, milliseconds. Null when not measured."""
    query_latency_p95_ms: Count | None = None
    """95th percentile of recent queries, milliseconds. Null when not measured."""
    segments_touched_max: Count | None = None
    """Most segments a recent query read. Null when not measured."""
    publish_time_last_ms: Count | None = None
    """The last publish, milliseconds. Null when not measured."""
    gc_time_last_ms: Count | None = None
    """The last gc, milliseconds. Null when not measured."""
    compaction_time_last_ms: Count | None = None
    """The last compaction, milliseconds. Null when not measured."""
    query_latency_budget_p50_ms: Count = QUERY_P50_MS
    """What it should stay below, milliseconds."""
    query_latency_budget_p95_ms: Count = QUERY_P95_MS
    """What it should stay below, milliseconds."""
    publish_time_budget_ms: Count = PUBLISH_MS
    """What it should stay below, milliseconds."""
    gc_time_budget_ms: Count = GC_MS
    """What it should stay below, milliseconds."""
    compaction_time_budget_ms: Count = COMPACTION_MS
    """What it should stay below, milliseconds."""
    segments_touched_budget: Count = SEGMENTS_TOUCHED
    """What it should stay below."""
    stages_mean_ms: Later[Mapping[str, Figure]] = {}
    """Mean of recent queries by stage, milliseconds; empty when not measured."""


class WatchStatus(Struct, frozen=True):
    """How the daemon learns of changes."""

    mode: Annotated[str, ("events", "polling", "off")] = "off"
    """`events` are told by the system, `polling` looks for changes every few seconds, `off` does
    neither.
    """
    events_total: Count = 0
    """Changes it was told of since the start."""
    last_event_age_ms: Count | None = None
    """How long ago the last one was, milliseconds."""
    problem: str | None = None
    """Why changes are not told; null when nothing is wrong."""


class WarningJson(Struct, frozen=True):
    """Something that should be known."""

    code: Code
    """Stable name of the warning."""
    message: str
    """One line for people."""


class Status(Versioned, frozen=True, kw_only=True):
    """The index of one repository; its fields are null before the first snapshot."""

    store_id: StoreId
    """The repository's store under its present settings."""
    canonical_root: str
    """Absolute path of the repository, free of symbolic links."""
    config_fingerprint: Sha256 = ""
    """Identity of the settings that shape the index (SHA-256, hex)."""
    ignore_fingerprint: Sha256 | None = None
    """Identity of the ignore rules of the active snapshot (SHA-256, hex)."""
    encoder: str = ""
    """The configured encoder; none for words and structure alone."""
    daemon: StatusDaemon = StatusDaemon()
    snapshot: SnapshotStatus = SnapshotStatus()
    sync: SyncStatus = SyncStatus()
    queries: QueryCounts = QueryCounts()
    resources: Resources = Resources()
    performance: Performance = Performance()
    watch: Later[WatchStatus] = WatchStatus()
    warnings: Later[tuple[WarningJson, ...]] = ()
    """What should be known of the above; by code, each code once."""


class ProfileBudgets(Struct, frozen=True):
    """Bounds of a store of its own; null for the others."""

    max_bytes_indexed: Positive
    """Most bytes of files that only the profile includes."""
    max_file_size_bytes: Positive
    """Larger files are skipped."""
    max_store_bytes: Positive
    """A publish that would make the store larger is refused."""


class ProfileReport(Struct, frozen=True):
    """One profile."""

    name: str | None
    """What `--profile` takes; null where no profile is named."""
    in_force: bool
    """Whether questions are asked under it here and now."""
    kind: Annotated[str, ("own_store", "view", "none")]
    """`own_store`: it indexes more, in a store of its own. `view`: it narrows answers of the store
    that is there. `none`: the repository under no profile.
    """
    store_id: str
    """Name of the store that it answers from; several may share one."""
    state: Literal["indexed", "no_index", "unreadable"]
    """What there is of that store."""
    snapshot_id: str | None = None
    """The active snapshot; null without an index."""
    files: Count = 0
    """Files of that snapshot."""
    chunks: Count = 0
    """Chunks of that snapshot."""
    degraded: bool = False
    """Whether that snapshot left something out that should be in it."""
    budgets: ProfileBudgets | None = None


class ProfilesReport(Versioned, frozen=True, kw_only=True):
    """What `ggrep profiles --json` prints."""

    repo_id: str
    """Name of the repository, whatever its configuration."""
    profiles: tuple[ProfileReport, ...]
    """By name; first the nameless one, where the repository's file chooses none."""
