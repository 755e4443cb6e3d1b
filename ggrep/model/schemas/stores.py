"""Stores of a home: listed, removed, collected, upgraded."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias, TypedDict

from ggrep.model.constraints import Count, DocumentJson, Moment, Sha256, SnapshotId
from ggrep.model.schemas.failure import ErrorJson


class NamedStoreJson(TypedDict):
    """A store."""

    store_id: str
    """Name of the store's directory."""


class StoreJson(NamedStoreJson):
    """One store."""

    size_bytes: Count
    """Size on disk, bytes."""
    modified_at: Moment
    """When something of it was published last (UTC)."""
    last_used_at: Moment | None
    """When it was last searched or indexed, to the hour (UTC); null when nobody wrote that down."""
    canonical_root: str | None
    """Absolute path of its repository; null when unreadable."""
    root_exists: bool | None
    """Whether there is a directory of that path; null when the path is unknown."""
    config_fingerprint: Sha256 | None
    """Identity of the settings it was built under (SHA-256, hex)."""
    active_snapshot_id: SnapshotId | None
    """Its active snapshot."""
    created_at: Moment | None
    """When that was published (UTC)."""
    files: Count
    """Files that can be found."""
    chunks: Count
    """Chunks that can be found."""
    problem: str | None
    """Why it could not be read; null when it could."""


class StoresJson(DocumentJson):
    """What `ggrep list` found."""

    stores: Sequence[StoreJson]
    """All stores, the one used last first."""


class RemovedStoreJson(NamedStoreJson):
    """A store that is gone."""

    size_bytes: Count
    """Bytes that became free."""


class RemovalJson(DocumentJson):
    """What `ggrep clean` removed."""

    removed: Sequence[RemovedStoreJson]
    """Stores that are gone."""


class CandidateJson(NamedStoreJson):
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


class RefusedStoreJson(NamedStoreJson):
    """A store that was left."""

    error: ErrorJson


class StoresCollectionJson(DocumentJson):
    """What `ggrep gc --stores` removed, or would."""

    dry_run: bool
    """Whether nothing was deleted because nobody said --force."""
    candidates: Sequence[CandidateJson]
    """What nobody needs, by store id."""
    deleted: Sequence[CandidateJson]
    """What of it is gone."""
    refused: Sequence[RefusedStoreJson]
    """What of it could not be deleted."""


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


class UpgradeJson(DocumentJson, NamedStoreJson):
    """What `ggrep upgrade-store` made."""

    snapshot_id: SnapshotId
    """Its active snapshot afterwards."""
    upgraded: bool
    """Whether anything had to be done."""
    from_versions: FromVersionsJson
    to_versions: ToVersionsJson


InventoryJson: TypeAlias = StoresJson | RemovalJson | StoresCollectionJson | UpgradeJson
"""What `ggrep list` found, what `ggrep clean` or `ggrep gc --stores` removed, and what `ggrep
upgrade-store` made.
"""
