"""Reports of collection, compaction and repair of a store."""

from collections.abc import Sequence
from typing import NotRequired, TypeAlias, TypedDict

from ggrep.model.constraints import Count, DocumentJson, SnapshotId, StoreId


class CollectionJson(DocumentJson):
    """What `ggrep gc` deleted, or would."""

    store_id: StoreId
    """The store that was worked on."""
    dry_run: bool
    """Nothing was deleted; the lists say what would be."""
    active_snapshot_id: SnapshotId
    """The snapshot that new queries pin."""
    retained_snapshots: Sequence[SnapshotId]
    """Snapshots that stay, by id."""
    deleted_snapshots: Sequence[SnapshotId]
    """Snapshots that go, by id."""
    deleted_segments: Sequence[str]
    """Tables that go, by name."""
    deleted_tombstones: Sequence[str]
    """Journal files that go, relative to the store."""
    freed_bytes: Count
    """Bytes of all that goes."""
    duration_ms: Count
    """How long it took."""


class CompactionJson(DocumentJson):
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


class RepairedFilesJson(TypedDict):
    """What became of the files."""

    rebuilt: Count
    """Files read and cut anew."""
    deleted: Count
    """Files that are gone from the work tree."""
    kept: Count
    """Files whose rows stayed."""


class RepairJson(DocumentJson):
    """What `ggrep repair` did."""

    store_id: StoreId
    """The store that was worked on."""
    performed: bool
    """Something was damaged and is whole now."""
    damage: str | None
    """What was wrong first; null when nothing was."""
    lost_segments: Sequence[str]
    """Segments that were dropped."""
    healed: NotRequired[Sequence[str]]
    """Derived files of the store that were made again from the rest of it."""
    files: RepairedFilesJson
    snapshot_id: SnapshotId
    """The active snapshot, every artifact of it hashed."""
    duration_ms: Count
    """How long it took."""


MaintenanceJson: TypeAlias = CollectionJson | CompactionJson | RepairJson
"""What `ggrep gc`, `ggrep compact` and `ggrep repair` did."""
