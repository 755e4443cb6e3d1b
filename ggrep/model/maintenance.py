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
    """One finding."""

    code: Code
    """Stable name of the check."""
    severity: Annotated[str, (OK, WARN, FAIL)]
    """What it came to."""
    message: SafeLine
    paths: tuple[str, ...] = ()
    """All files it concerns, below the repository's root."""


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
    """Its snapshot; null when none can be read."""
    ok: bool
    """No check failed; warnings do not count."""
    checks: Annotated[tuple[HealthCheck, ...], Held(least=1)]
    """Findings, in the order they were made."""


class AuditError(Struct, frozen=True):
    """One thing that is wrong."""

    code: Code
    """Stable name of the error."""
    message: SafeLine


@held_to(
    if_={"properties": {"ok": {"const": True}}},
    then={"properties": {"errors": {"maxItems": 0}}},
    else_={"properties": {"errors": {"minItems": 1}}},
)
class Audit(Versioned, frozen=True, kw_only=True):
    """What a reading of the whole active snapshot found.

    `ok` is true exactly when `errors` is empty.
    """

    store_id: StoreId
    """The store that was audited."""
    snapshot_id: SnapshotId | None
    """The snapshot that the pointer names; null when its manifest cannot be read."""
    ok: bool
    """Nothing is wrong."""
    errors: tuple[AuditError, ...]
    """What is wrong, in the order it was found."""
    orphans: tuple[str, ...]
    """Files and tables that no snapshot names, below the store's directory; they are no error."""


class CollectionReport(Versioned, frozen=True, kw_only=True):
    """What `ggrep gc` deleted, or would."""

    store_id: StoreId
    """The store that was worked on."""
    dry_run: bool
    """Nothing was deleted; the lists say what would be."""
    active_snapshot_id: SnapshotId
    """The snapshot that new queries pin."""
    retained_snapshots: tuple[SnapshotId, ...]
    """Snapshots that stay, by id."""
    deleted_snapshots: tuple[SnapshotId, ...]
    """Snapshots that go, by id."""
    deleted_segments: tuple[str, ...]
    """Tables that go, by name."""
    deleted_tombstones: tuple[str, ...]
    """Journal files that go, relative to the store."""
    freed_bytes: Count
    """Bytes of all that goes."""
    duration_ms: Count
    """How long it took."""


class CompactionReport(Versioned, frozen=True, kw_only=True):
    """What `ggrep compact` did."""

    store_id: StoreId
    """The store that was worked on."""
    performed: bool
    """A snapshot was published."""
    reason: str
    """Why it was done, or why not."""
    base_snapshot_id: SnapshotId
    """The snapshot whose segments were looked at."""
    new_snapshot_id: SnapshotId | None
    """The snapshot that was published; null when none was."""
    segments_before: Count
    """Segments of the base."""
    segments_after: Count
    """Segments of what is active now."""
    tombstones_before: Count
    """Tombstones of the base."""
    tombstones_after: Count
    """Tombstones of what is active now."""
    rows_before: Count
    """Rows of the base, dead ones included."""
    rows_after: Count
    """Rows of what is active now."""
    duration_ms: Count
    """How long it took."""


class RepairedFiles(Struct, frozen=True):
    """What became of the files."""

    rebuilt: Count
    """Files read and cut anew."""
    deleted: Count
    """Files that are gone from the work tree."""
    kept: Count
    """Files whose rows stayed."""


class RepairReport(Versioned, frozen=True, kw_only=True):
    """What `ggrep repair` did."""

    store_id: StoreId
    """The store that was worked on."""
    performed: bool
    """Something was damaged and is whole now."""
    damage: str | None
    """What was wrong first; null when nothing was."""
    lost_segments: tuple[str, ...]
    """Segments that were dropped."""
    healed: Later[tuple[str, ...]]
    """Derived files of the store that were made again from the rest of it."""
    files: RepairedFiles
    snapshot_id: SnapshotId
    """The active snapshot, every artifact of it hashed."""
    duration_ms: Count
    """How long it took."""


Maintenance: TypeAlias = CollectionReport | CompactionReport | RepairReport
"""What `ggrep gc`, `ggrep compact` and `ggrep repair` did."""


class NamedStore(Struct, frozen=True):
    """A store."""

    store_id: str
    """Name of the store's directory."""


class Store(NamedStore, frozen=True):
    """One store."""

    size_bytes: Count
    """Size on disk, bytes."""
    modified_at: Moment
    """When something of it was published last (UTC)."""
    last_used_at: Moment | None
    """When it was last searched or indexed, to the hour (UTC); null when nobody wrote that down."""
    canonical_root: str | None = None
    """Absolute path of its repository; null when unreadable."""
    root_exists: bool | None = None
    """Whether there is a directory of that path; null when the path is unknown."""
    config_fingerprint: Sha256 | None = None
    """Identity of the settings it was built under (SHA-256, hex)."""
    active_snapshot_id: SnapshotId | None = None
    """Its active snapshot."""
    created_at: Moment | None = None
    """When that was published (UTC)."""
    files: Count = 0
    """Files that can be found."""
    chunks: Count = 0
    """Chunks that can be found."""
    problem: str | None = None
    """Why it could not be read; null when it could."""


class Stores(Versioned, frozen=True, kw_only=True):
    """What `ggrep list` found."""

    stores: tuple[Store, ...]
    """All stores, the one used last first."""


class RemovedStore(NamedStore, frozen=True):
    """A store that is gone."""

    size_bytes: Count
    """Bytes that became free."""


class Removal(Versioned, frozen=True, kw_only=True):
    """What `ggrep clean` removed."""

    removed: tuple[RemovedStore, ...]
    """Stores that are gone."""


class Candidate(NamedStore, frozen=True):
    """A store that may go."""

    size_bytes: Count
    """Bytes that become free."""
    modified_at: Moment | None
    """When something of it was published last (UTC)."""
    last_used_at: Moment | None
    """When it was last searched or indexed, to the hour (UTC); null when nobody wrote that down."""
    canonical_root: str | None
    """Absolute path of its repository; null when unreadable."""
    reason: Annotated[str, ("unused", "root_gone", "never_published", "remains")]
    """Why it may go: nobody used it, its root is gone too, nothing was ever published, or it is
    left of a removal, clone or rebuild that died.
    """


FromVersionsJson = TypedDict(
    "FromVersionsJson",
    {
        "index_state.json": Annotated[int | None, "Of the record of the last sync."],
        "manifest.json": Annotated[int | None, "Of the snapshot's manifest."],
    },
)
"""What was found; null where an artifact names no version."""

ToVersionsJson = TypedDict(
    "ToVersionsJson",
    {
        "index_state.json": Annotated[int, "Of the record of the last sync."],
        "manifest.json": Annotated[int, "Of the snapshot's manifest."],
    },
)
"""What this build writes."""


class UpgradeReport(Versioned, frozen=True, kw_only=True):
    """What `ggrep upgrade-store` made."""

    store_id: str
    """Name of the store's directory."""
    snapshot_id: SnapshotId
    """Its active snapshot afterwards."""
    upgraded: bool
    """Whether anything had to be done."""
    from_versions: FromVersionsJson
    to_versions: ToVersionsJson


class Traffic(Struct):
    """What was asked of the remote."""

    gets: Count = 0
    """Objects that were read."""
    heads: Count = 0
    """Objects that were looked at."""
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
    """What `ggrep push` did."""

    remote: Named
    """Where it was pushed to."""
    repo_key: str
    """Who the repository is there."""
    snapshot_id: SnapshotId
    """The snapshot that was pushed."""
    tree: Sha256
    """The object that holds it (SHA-256, hex)."""
    git_tree: str | None
    """The git tree that it is of; null where files differ from every commit."""
    files_state: Sha256
    """Digest over its files, path by path (SHA-256, hex)."""
    commit: str | None
    """The commit that was checked out."""
    pushed: bool
    """False where the remote had all of it."""
    blobs: Count
    """Objects that the snapshot is made of."""
    written: Count
    """How many of these the remote lacked."""
    written_bytes: Count
    """Their bytes."""
    traffic: Traffic
    duration_ms: Count = 0
    """How long it took."""


class RemoteCollection(Versioned, frozen=True, kw_only=True):
    """What `ggrep remote gc` removed, or would."""

    remote: Named
    """The remote."""
    dry_run: bool
    """Whether nothing was deleted because nobody said --force."""
    refs: Count
    """Repositories and configurations that it holds snapshots of."""
    kept: Count
    """Objects that are needed, or young."""
    removable: Count
    """Objects that nobody needs."""
    removable_bytes: Count
    """Their bytes."""
    deleted: Count
    """How many of these are gone."""
    deleted_bytes: Count
    """Their bytes."""
