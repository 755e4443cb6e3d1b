"""What `ggrep push` and `ggrep remote gc` did."""

from msgspec import Struct

from ggrep.model.constraints import Count, Named, Sha256, SnapshotId, Versioned


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
