"""The report of an index update, done or previewed."""

from collections.abc import Mapping, Sequence
from typing import Literal, NotRequired, TypeAlias, TypedDict

from ggrep.model.constraints import Code, Count, DocumentJson, SnapshotId, StoreId
from ggrep.model.schemas.failure import ErrorJson


class SyncFilesJson(TypedDict):
    """Files, by what happened to them."""

    indexed: Count
    """New or changed, read and cut anew."""
    deleted: Count
    """Gone since the last sync."""
    unchanged: Count
    """As they were."""


class SkippedFileJson(TypedDict):
    """A file that is not indexed."""

    path_key: str
    """Path below the repository's root, with forward slashes."""
    reason: Code
    """Stable name of the cause."""
    detail: str
    """One line for people; holds no file content."""


class DegradedFileJson(TypedDict):
    """A file whose indexed state is not what is on disk."""

    code: Code
    """Stable name of the cause."""
    message: str
    """One line for people; holds no file content."""
    path_key: str
    """Path below the repository's root, with forward slashes."""


class SyncWarningJson(TypedDict):
    """Something worth knowing of how the list of files came about."""

    code: str
    """Stable name."""
    message: str
    """For people."""
    path_key: NotRequired[str]
    """The file it concerns."""


class SyncJson(DocumentJson):
    """What a sync did."""

    store_id: StoreId
    """The repository's store."""
    snapshot_id: SnapshotId
    """The active snapshot afterwards."""
    published: bool
    """Something had changed."""
    files: SyncFilesJson
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
    skipped: Sequence[SkippedFileJson]
    """Files that are not indexed."""
    degraded: Sequence[DegradedFileJson]
    """Files whose indexed state is not what is on disk."""
    duration_ms: Count
    """How long it took, milliseconds."""
    warnings: Sequence[SyncWarningJson]
    """How the list of files came about, where that is worth knowing."""


class EligibleJson(TypedDict):
    """All files that would be indexed."""

    files: Count
    """How many."""
    bytes: Count
    """Their size, bytes."""


class LeftOutJson(TypedDict):
    """A file, or a directory with all below it, that a rule left out."""

    path_key: str
    """Path below the root; what is no visible character is escaped."""
    rule: str
    """The rule that left it out."""


class PreviewJson(DocumentJson):
    """What a sync would read."""

    store_id: StoreId
    """The repository's store."""
    dry_run: Literal[True]
    """Nothing was written."""
    eligible: EligibleJson
    files: Sequence[str]
    """Their paths below the root."""
    excluded: Mapping[str, Count]
    """Files left out by rule, counted for each rule."""
    left_out: Sequence[LeftOutJson]
    """The first 10000 of those, by name; a directory stands for all below it."""
    skipped: Sequence[SkippedFileJson]
    """Files that cannot be indexed."""


class IndexedRepoJson(SyncJson):
    """A repository of a workspace that was updated."""

    repo: str
    """The repository's alias in the workspace, else its id."""
    ok: Literal[True]
    """It succeeded."""


class PreviewedRepoJson(PreviewJson):
    """A repository of a workspace that would be updated."""

    repo: str
    """The repository's alias in the workspace, else its id."""
    ok: Literal[True]
    """It succeeded."""


class FailedRepoJson(TypedDict):
    """It failed; the others went on."""

    repo: str
    """The repository's alias in the workspace, else its id."""
    ok: Literal[False]
    """It failed."""
    error: ErrorJson


class WorkspaceIndexJson(DocumentJson):
    """What `ggrep index --workspace` did, or would do, for each repository."""

    ok: bool
    """Every repository succeeded."""
    repos: Sequence[IndexedRepoJson | PreviewedRepoJson | FailedRepoJson]
    """One entry for each enabled repository, in the workspace's order."""


IndexReportJson: TypeAlias = SyncJson | PreviewJson | WorkspaceIndexJson
"""What an update of the index did, what it would do (--dry-run), or either for each repository of
a workspace.
"""
