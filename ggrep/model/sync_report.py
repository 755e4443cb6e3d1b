"""The report of a sync: the document of `ggrep index`."""

from typing import Self

from msgspec import UNSET, Struct, UnsetType

from ggrep.model.constraints import Code, Count, SnapshotId, StoreId, Versioned, hides
from ggrep.model.limits import Notice
from ggrep.model.source import SkippedFile


class SyncFiles(Struct, frozen=True):
    """Files, by what happened to them."""

    indexed: Count
    """New or changed, read and cut anew."""
    deleted: Count
    """Gone since the last sync."""
    unchanged: Count
    """As they were."""


class DegradedFile(Struct, frozen=True):
    """A file whose indexed state is not what is on disk."""

    code: Code
    """Stable name of the cause."""
    message: str
    """One line for people; holds no file content."""
    path_key: str
    """Path below the repository's root, with forward slashes."""


class SyncWarning(Struct, frozen=True):
    """Something worth knowing of how the list of files came about."""

    code: str
    """Stable name."""
    message: str
    """For people."""
    path_key: str | UnsetType = UNSET
    """The file it concerns."""

    @classmethod
    def of(cls, notice: Notice) -> Self:
        """Return a notice as reports have it."""
        return cls(notice.code, notice.message, notice.path_key or UNSET)


@hides("retry_after_ms", "products")
class SyncReport(Versioned, frozen=True, kw_only=True):
    """What a sync did."""

    store_id: StoreId
    """The repository's store."""
    snapshot_id: SnapshotId
    """The active snapshot afterwards."""
    published: bool
    """Something had changed."""
    files: SyncFiles
    chunks: Count
    """Chunks that can be found afterwards."""
    segments: Count
    """Segments a query reads afterwards."""
    merged_segments: Count
    """Segments that were merged into another."""
    vectors_encoded: Count
    """Texts that the encoder was given; 0 without one."""
    vectors_reused: Count
    """Vectors of new chunks that were cached, or those of an equal text."""
    skipped: tuple[SkippedFile, ...]
    """Files that are not indexed."""
    degraded: tuple[DegradedFile, ...]
    """Files whose indexed state is not what is on disk."""
    duration_ms: Count
    """How long it took, milliseconds."""
    warnings: tuple[SyncWarning, ...]
    """How the list of files came about, where that is worth knowing."""
    retry_after_ms: int | None = None
    """How long until those of `degraded` that may do better are tried again; None without any."""
    products: tuple[str, ...] | None = None
    """Files of the walk that lie in directories of products, see `product_files`."""
