"""The state of one repository's index, and of the daemon that serves it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from ggrep.model.schemas.constraints import (
    Code,
    Commit,
    Count,
    DocumentJson,
    Figure,
    Moment,
    Positive,
    Sha256,
    SnapshotId,
    StoreId,
)


class SupportedVersionsJson(TypedDict):
    """Versions of each document it can write."""

    query_success: Sequence[Positive]
    query_error: Sequence[Positive]
    status: Sequence[Positive]
    health: Sequence[Positive]
    slate_success: NotRequired[Sequence[Positive]]
    symbol_success: NotRequired[Sequence[Positive]]
    references_success: NotRequired[Sequence[Positive]]
    expand_success: NotRequired[Sequence[Positive]]
    outline_success: NotRequired[Sequence[Positive]]
    tour_success: NotRequired[Sequence[Positive]]


class StatusDaemonJson(TypedDict):
    """The process that serves the store."""

    running: bool
    """Whether one runs."""
    pid: Positive | None
    """Its process id."""
    started_at: Moment | None
    """When it started (UTC)."""
    binary_version: str | None
    """Its version."""
    protocol_version: Positive | None
    """What it speaks."""
    stale: bool
    """It serves a configuration that is no longer the present one."""
    supported_schema_versions: SupportedVersionsJson | None
    uptime_ms: NotRequired[Count | None]
    """How long it has run, milliseconds."""
    build: NotRequired[str | None]
    """Tells apart two builds of one version."""
    stale_reason: NotRequired[str | None]
    """What changed; null unless it is stale."""
    warming: NotRequired[bool]
    """It has not yet answered its first search of the active snapshot."""
    connections: NotRequired[Count]
    """Open connections."""
    rss_bytes: NotRequired[Count | None]
    """Memory of the process that carries it."""


class MadeFilesJson(TypedDict):
    """Those of them that no person wrote, as far as their names and contents tell."""

    generated: Count
    """Written by a program."""
    minified: Count
    """Scripts, style sheets and pages that were squeezed or bundled."""
    data: Count
    """Tables, dumps, blobs and lock files."""
    shortened: Count
    """Minified and data files that are indexed only up to max_bulk_bytes."""


class SnapshotStatusJson(TypedDict):
    """The active snapshot."""

    active_snapshot_id: SnapshotId | None
    """Its id."""
    created_at: Moment | None
    """When it was published (UTC)."""
    head_sha: Commit | None
    """Commit of HEAD at that moment; null outside git."""
    dirty: bool | None
    """Tracked files differed from HEAD; null outside git."""
    untracked_included: bool | None
    """Files that git does not track are indexed as well; null outside git."""
    degraded: bool
    """It left out files that could not be indexed."""
    partial: bool
    """The first index is still being built."""
    files: Count
    """Files that can be found."""
    masked_files: Count
    """Those of them that hold secrets, which are masked in all that is indexed and shown."""
    made_files: MadeFilesJson
    chunks: Count
    """Chunks that can be found."""
    segments: Count
    """Segments a query reads."""
    tombstones: Count
    """Paths hidden in older segments, counted once for each publish."""


class SyncStatusJson(TypedDict):
    """The last update of the index."""

    state: Literal["idle", "indexing"]
    """What goes on now: in the daemon, or in any other writer."""
    last_sync_at: Moment | None
    """When it last ended (UTC)."""
    last_result: Annotated[str, ("ok", "degraded", "error")] | None
    """How it ended."""
    last_duration_ms: Count | None
    """How long it took, milliseconds."""
    staging_txn_id: SnapshotId | None
    """The publish under way."""
    secret_files: Count
    """Those of the skipped that hold keys or passwords, by their name, their folder or their
    content.
    """
    skipped_files: Count
    """Files it found and did not index; health names them."""
    stage: NotRequired[str | None]
    """What the daemon's sync is at, also before it begins: `waiting for git` while git moves files;
    null while it is idle.
    """
    done_files: NotRequired[Count]
    """Files it has done; 0 while it is idle."""
    total_files: NotRequired[Count]
    """Files it has to do; 0 while that is not known."""
    pending: NotRequired[bool]
    """A change waits for the next sync."""
    last_error: NotRequired[str | None]
    """Why the last one failed; null after one that did not."""
    next_retry_ms: NotRequired[Count | None]
    """How long until the daemon tries again what failed; null where it will not."""
    failures_total: NotRequired[Count]
    """Syncs that failed since the daemon's start."""


class QueryCountsJson(TypedDict):
    """Load of the daemon; zeros while none runs."""

    max_concurrent: Count
    """Most queries at once."""
    max_queue_depth: Count
    """Most queries that may wait."""
    timeout_ms: Count
    """Deadline of a query that names none, milliseconds."""
    in_flight: Count
    """Queries running."""
    queue_depth: Count
    """Queries waiting."""
    busy_total: Count
    """Queries turned away since the start."""
    timeouts_total: Count
    """Queries that ran out of time since the start."""
    slow_total: Count
    """Queries over `slow_query_ms` since the start."""
    query_total: NotRequired[Count]
    """Queries answered since the start."""
    cancelled_total: NotRequired[Count]
    """Queries that were called off since the start."""
    failed_total: NotRequired[Count]
    """Queries that ended in another error since the start."""
    slow_query_ms: NotRequired[Count]
    """A query that takes longer is slow, milliseconds."""
    clients: NotRequired[Count]
    """Clients with queries running or waiting."""


class DiskJson(TypedDict):
    """Bytes on disk."""

    store_bytes: Count
    """Of the store."""
    store_budget_bytes: Count
    """Most it may take; 0 for no bound."""
    cache_bytes: Count
    """Of the caches."""
    cache_budget_bytes: Count
    """Most they may take; 0 for no bound."""
    log_bytes: Count
    """Of the logs."""
    log_budget_bytes: Count
    """Most they may take; 0 for no bound."""


class OpenHandlesJson(TypedDict):
    """Open segments."""

    segments_open: Count
    """Now."""
    segments_budget: Count
    """Most a query may open."""


class EmbedPoolJson(TypedDict):
    """Encoding, host-wide."""

    max_concurrent: Count
    """Most batches encoded at once; 0 while nothing limits them."""
    in_use: Count
    """Now."""
    stale_lock: bool
    """A slot's holder has died."""


class ResourcesJson(TypedDict):
    """What is in use of what there is."""

    disk: DiskJson
    open_handles: OpenHandlesJson
    embed_global: EmbedPoolJson


class PerformanceJson(TypedDict):
    """Latencies against their budgets."""

    query_latency_p50_ms: Count | None
    """Median of recent queries, milliseconds. Null when not measured."""
    query_latency_p95_ms: Count | None
    """95th percentile of recent queries, milliseconds. Null when not measured."""
    segments_touched_max: Count | None
    """Most segments a recent query read. Null when not measured."""
    publish_time_last_ms: Count | None
    """The last publish, milliseconds. Null when not measured."""
    gc_time_last_ms: Count | None
    """The last gc, milliseconds. Null when not measured."""
    compaction_time_last_ms: Count | None
    """The last compaction, milliseconds. Null when not measured."""
    query_latency_budget_p50_ms: Count
    """What it should stay below, milliseconds."""
    query_latency_budget_p95_ms: Count
    """What it should stay below, milliseconds."""
    publish_time_budget_ms: Count
    """What it should stay below, milliseconds."""
    gc_time_budget_ms: Count
    """What it should stay below, milliseconds."""
    compaction_time_budget_ms: Count
    """What it should stay below, milliseconds."""
    segments_touched_budget: Count
    """What it should stay below."""
    stages_mean_ms: NotRequired[Mapping[str, Figure]]
    """Mean of recent queries by stage, milliseconds; empty when not measured."""


class WatchStatusJson(TypedDict):
    """How the daemon learns of changes."""

    mode: Annotated[str, ("events", "polling", "off")]
    """`events` are told by the system, `polling` looks for changes every few seconds, `off` does
    neither.
    """
    events_total: Count
    """Changes it was told of since the start."""
    last_event_age_ms: Count | None
    """How long ago the last one was, milliseconds."""
    problem: str | None
    """Why changes are not told; null when nothing is wrong."""


class WarningJson(TypedDict):
    """Something that should be known."""

    code: Code
    """Stable name of the warning."""
    message: str
    """One line for people."""


class StatusJson(DocumentJson):
    """The index of one repository; its fields are null before the first snapshot."""

    store_id: StoreId
    """The repository's store under its present settings."""
    canonical_root: str
    """Absolute path of the repository, free of symbolic links."""
    config_fingerprint: Sha256
    """Identity of the settings that shape the index (SHA-256, hex)."""
    ignore_fingerprint: Sha256 | None
    """Identity of the ignore rules of the active snapshot (SHA-256, hex)."""
    encoder: str
    """The configured encoder; none for words and structure alone."""
    daemon: StatusDaemonJson
    snapshot: SnapshotStatusJson
    sync: SyncStatusJson
    queries: QueryCountsJson
    resources: ResourcesJson
    performance: PerformanceJson
    watch: NotRequired[WatchStatusJson]
    warnings: NotRequired[Sequence[WarningJson]]
    """What should be known of the above; by code, each code once."""


class ServedStatusJson(StatusJson):
    """The status document of a repository that a daemon serves, as a server passes it on."""

    running: Literal[True]
    """A daemon serves it."""


class UnservedStatusJson(DocumentJson):
    """What a server tells of a repository that no daemon serves; none is started to tell more."""

    running: Literal[False]
    """A daemon serves it."""
    root: str
    """The repository."""
    store_id: StoreId
    """Its store."""
    indexed: bool
    """There is an index."""
