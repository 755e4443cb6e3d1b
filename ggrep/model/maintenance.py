"""Reports on stores and remotes: health, audit, collection, repair, removal, upgrade, push."""

from typing import Annotated, Final, TypeAlias, TypedDict

from msgspec import Struct

from ggrep.model.constraints import (
    Code,
    Count,
    Held,
    Later,
    Moment,
    Named,
    SafeLine,
    Sha256,
    SnapshotId,
    StoreId,
    Versioned,
    held_to,
)

OK: Final = "ok"
WARN: Final = "warn"
FAIL: Final = "fail"
_FAILED: Final = {"properties": {"severity": {"const": FAIL}}, "required": ["severity"]}


class HealthCheck(Struct, frozen=True):
    """The finding of one check of a store."""

    code: Code
    """Stable name of the check."""
    severity: Annotated[str, (OK, WARN, FAIL)]
    """Result of the check."""
    message: SafeLine
    paths: tuple[str, ...] = ()
    """All affected files, below the repository's root."""


@held_to(
    if_={"properties": {"ok": {"const": True}}},
    then={"properties": {"checks": {"not": {"contains": _FAILED}}}},
    else_={"properties": {"checks": {"contains": _FAILED}}},
)
class Health(Versioned, frozen=True, kw_only=True):
    """Findings on one store. `ok` is false exactly when a check failed."""

    store_id: StoreId
    """The store that was checked."""
    active_snapshot_id: SnapshotId | None
    """Active snapshot; null when none can be read."""
    ok: bool
    """Whether no check failed; warnings do not count."""
    checks: Annotated[tuple[HealthCheck, ...], Held(least=1)]
    """Findings, in the order in which they were made."""


class AuditError(Struct, frozen=True):
    """An error that an audit found in a store."""

    code: Code
    """Stable name of the error."""
    message: SafeLine


@held_to(
    if_={"properties": {"ok": {"const": True}}},
    then={"properties": {"errors": {"maxItems": 0}}},
    else_={"properties": {"errors": {"minItems": 1}}},
)
class Audit(Versioned, frozen=True, kw_only=True):
    """The result of reading the whole active snapshot.

    `ok` is true exactly when `errors` is empty.
    """

    store_id: StoreId
    """The store that was audited."""
    snapshot_id: SnapshotId | None
    """The snapshot that the pointer names; null when its manifest cannot be read."""
    ok: bool
    """Whether there are no errors."""
    errors: tuple[AuditError, ...]
    """Errors, in the order in which they were found."""
    orphans: tuple[str, ...]
    """Files and tables that no snapshot uses, relative to the store; they are not errors."""


class CollectionReport(Versioned, frozen=True, kw_only=True):
    """Deletions of `ggrep gc`, done or planned."""

    store_id: StoreId
    """The store whose files are deleted."""
    dry_run: bool
    """Whether this was a dry run; the lists then contain the planned deletions."""
    active_snapshot_id: SnapshotId
    """The snapshot that new queries pin."""
    retained_snapshots: tuple[SnapshotId, ...]
    """Snapshots that are kept, by id."""
    deleted_snapshots: tuple[SnapshotId, ...]
    """Deleted snapshots, by id."""
    deleted_segments: tuple[str, ...]
    """Deleted tables, by name."""
    deleted_tombstones: tuple[str, ...]
    """Deleted journal files, relative to the store."""
    freed_bytes: Count
    """Bytes of all deletions."""
    duration_ms: Count
    """Duration in milliseconds."""


class CompactionReport(Versioned, frozen=True, kw_only=True):
    """The result of `ggrep compact`."""

    store_id: StoreId
    """The compacted store."""
    performed: bool
    """Whether a snapshot was published."""
    reason: str
    """Reason for or against the compaction."""
    base_snapshot_id: SnapshotId
    """The snapshot whose segments were examined."""
    new_snapshot_id: SnapshotId | None
    """The published snapshot; null without one."""
    segments_before: Count
    """Number of segments of the examined snapshot."""
    segments_after: Count
    """Number of segments of the active snapshot afterwards."""
    tombstones_before: Count
    """Number of tombstones of the examined snapshot."""
    tombstones_after: Count
    """Number of tombstones of the active snapshot afterwards."""
    rows_before: Count
    """Number of rows of the examined snapshot, including hidden rows."""
    rows_after: Count
    """Number of rows of the active snapshot afterwards."""
    duration_ms: Count
    """Duration in milliseconds."""


class RepairedFiles(Struct, frozen=True):
    """Numbers of rebuilt, deleted and kept files."""

    rebuilt: Count
    """Files that were read and chunked again."""
    deleted: Count
    """Files that are missing from the work tree."""
    kept: Count
    """Files whose rows stayed."""


class RepairReport(Versioned, frozen=True, kw_only=True):
    """The result of `ggrep repair`."""

    store_id: StoreId
    """The repaired store."""
    performed: bool
    """Whether damage was repaired."""
    damage: str | None
    """Damage before the repair; null without any."""
    lost_segments: tuple[str, ...]
    """Damaged segments that were removed from the index."""
    healed: Later[tuple[str, ...]]
    """Derived files of the store that were rebuilt from other files."""
    files: RepairedFiles
    snapshot_id: SnapshotId
    """The active snapshot; the hash of every artifact was verified."""
    duration_ms: Count
    """Duration in milliseconds."""


Maintenance: TypeAlias = CollectionReport | CompactionReport | RepairReport
"""The result of `ggrep gc`, `ggrep compact` or `ggrep repair`."""


class NamedStore(Struct, frozen=True):
    """A store, identified by its name."""

    store_id: str
    """Name of the store's directory."""


class Store(NamedStore, frozen=True):
    """A store in the ggrep home, with its repository and size."""

    size_bytes: Count
    """Size on disk, bytes."""
    modified_at: Moment
    """Time of the store's last publish (UTC)."""
    last_used_at: Moment | None
    """Time of the store's last search or indexing, to the hour (UTC); null when unknown."""
    canonical_root: str | None = None
    """Absolute path of the store's repository; null when unreadable."""
    root_exists: bool | None = None
    """Whether a directory of that path exists; null when the path is unknown."""
    config_fingerprint: Sha256 | None = None
    """Identity of the settings that shape the index (SHA-256, hex)."""
    active_snapshot_id: SnapshotId | None = None
    """Active snapshot of the store."""
    created_at: Moment | None = None
    """Time when the active snapshot was published (UTC)."""
    files: Count = 0
    """Searchable files."""
    chunks: Count = 0
    """Searchable chunks."""
    problem: str | None = None
    """Reason why the store cannot be read; null if it can be read."""


class Stores(Versioned, frozen=True, kw_only=True):
    """The result of `ggrep list`."""

    stores: tuple[Store, ...]
    """All stores, the last used first."""


class RemovedStore(NamedStore, frozen=True):
    """A deleted store."""

    size_bytes: Count
    """Size on disk, bytes."""


class Removal(Versioned, frozen=True, kw_only=True):
    """The result of `ggrep clean`."""

    removed: tuple[RemovedStore, ...]
    """Deleted stores."""


class Candidate(NamedStore, frozen=True):
    """A store that can be deleted."""

    size_bytes: Count
    """Size on disk, bytes."""
    modified_at: Moment | None
    """Time of the store's last publish (UTC)."""
    last_used_at: Moment | None
    """Time of the store's last search or indexing, to the hour (UTC); null when unknown."""
    canonical_root: str | None
    """Absolute path of the store's repository; null when unreadable."""
    reason: Annotated[str, ("unused", "root_gone", "never_published", "remains")]
    """Reason why the store can be deleted: the store is unused, its root is gone, nothing was ever
    published, or the store is a leftover of an interrupted removal, clone or rebuild."""


FromVersionsJson = TypedDict(
    "FromVersionsJson",
    {
        "index_state.json": Annotated[int | None, "Version of the record of the last sync."],
        "manifest.json": Annotated[int | None, "Version of the snapshot's manifest."],
    },
)
"""Versions before the upgrade; null if an artifact contains none."""

ToVersionsJson = TypedDict(
    "ToVersionsJson",
    {
        "index_state.json": Annotated[int, "Version of the record of the last sync."],
        "manifest.json": Annotated[int, "Version of the snapshot's manifest."],
    },
)
"""Versions that this build writes."""


class UpgradeReport(Versioned, frozen=True, kw_only=True):
    """The result of `ggrep upgrade-store`."""

    store_id: str
    """Name of the store's directory."""
    snapshot_id: SnapshotId
    """Active snapshot of the store afterwards."""
    upgraded: bool
    """Whether an upgrade was necessary."""
    from_versions: FromVersionsJson
    to_versions: ToVersionsJson


class Traffic(Struct):
    """Numbers of requests to the remote, by kind."""

    gets: Count = 0
    """Objects that were read."""
    heads: Count = 0
    """Objects whose headers were read."""
    puts: Count = 0
    """Objects that were written."""
    lists: Count = 0
    """Folders that were listed."""
    deletes: Count = 0
    """Objects that were deleted."""
    bytes_down: Count = 0
    """Bytes that were read."""
    bytes_up: Count = 0
    """Bytes that were written."""


class PushReport(Versioned, frozen=True, kw_only=True):
    """The result of `ggrep push`."""

    remote: Named
    """Name of the remote."""
    repo_key: str
    """Key of the repository at the remote."""
    snapshot_id: SnapshotId
    """The snapshot that was pushed."""
    tree: Sha256
    """Object with the snapshot (SHA-256, hex)."""
    git_tree: str | None
    """Git tree of the snapshot; null if the files match no commit."""
    files_state: Sha256
    """Digest of the snapshot's files, path by path (SHA-256, hex)."""
    commit: str | None
    """The commit that was checked out."""
    pushed: bool
    """Whether anything was written; false if the remote already had all objects."""
    blobs: Count
    """Number of objects of the pushed snapshot."""
    written: Count
    """Number of objects that the remote lacked."""
    written_bytes: Count
    """Bytes of the written objects."""
    traffic: Traffic
    duration_ms: Count = 0
    """Duration in milliseconds."""


class RemoteCollection(Versioned, frozen=True, kw_only=True):
    """Deletions of `ggrep remote gc`, done or planned."""

    remote: Named
    """Name of the remote."""
    dry_run: bool
    """Whether this was a dry run without deletions, because `--force` was missing."""
    refs: Count
    """Repositories and configurations that have snapshots on the remote."""
    kept: Count
    """Objects that are needed or too young to be deleted."""
    removable: Count
    """Objects that are not needed."""
    removable_bytes: Count
    """Bytes of the removable objects."""
    deleted: Count
    """Removable objects that were deleted."""
    deleted_bytes: Count
    """Bytes of the deleted objects."""
