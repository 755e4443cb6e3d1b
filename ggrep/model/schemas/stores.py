"""Stores of a home, their status, index updates, and remotes."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

from ggrep.model.constraints import Count, DocumentJson, Named, SnapshotId, StoreId, extends
from ggrep.model.files import SkippedFile
from ggrep.model.maintenance import (
    Candidate,
    PushReport,
    RemoteCollection,
    Removal,
    Stores,
    Traffic,
    UpgradeReport,
)
from ggrep.model.schemas.failure import ErrorJson
from ggrep.model.status import Status
from ggrep.model.sync import SyncReport


class RefusedStoreJson(TypedDict):
    """A store that could not be deleted."""

    store_id: str
    """Name of the store's directory."""
    error: ErrorJson


class StoresCollectionJson(DocumentJson):
    """Deletions of `ggrep gc --stores`, done or planned."""

    dry_run: bool
    """Whether this was a dry run without deletions, because `--force` was missing."""
    candidates: Sequence[Candidate]
    """Stores that may be deleted, by store id."""
    deleted: Sequence[Candidate]
    """Candidates that were deleted."""
    refused: Sequence[RefusedStoreJson]
    """Candidates that could not be deleted."""


InventoryJson: TypeAlias = Stores | Removal | StoresCollectionJson | UpgradeReport
"""The result of `ggrep list`, `ggrep clean`, `ggrep gc --stores` or `ggrep upgrade-store`."""


@extends(Status)
class ServedStatusJson(TypedDict):
    """The status document of a repository with a running daemon."""

    running: Literal[True]
    """Whether a daemon serves the repository."""


class UnservedStatusJson(DocumentJson):
    """The state of a repository without a running daemon; no daemon is started."""

    running: Literal[False]
    """Whether a daemon serves the repository."""
    root: str
    """Absolute path of the repository."""
    store_id: StoreId
    """Store of the repository."""
    indexed: bool
    """Whether there is an index."""


class EligibleJson(TypedDict):
    """All files that would be indexed."""

    files: Count
    """Number of files that would be indexed."""
    bytes: Count
    """Size of all these files, bytes."""


class LeftOutJson(TypedDict):
    """A file, or a directory with everything below it, that a rule excludes."""

    path_key: str
    """Path below the root; invisible characters are escaped."""
    rule: str
    """The rule that excludes the entry."""


class PreviewJson(DocumentJson):
    """The files that a sync would read."""

    store_id: StoreId
    """Store of the repository."""
    dry_run: Literal[True]
    """Always true: nothing was written."""
    eligible: EligibleJson
    files: Sequence[str]
    """Paths of the files to read, below the root."""
    excluded: Mapping[str, Count]
    """Number of excluded files for each rule."""
    left_out: Sequence[LeftOutJson]
    """The first 10000 files left out by rule, by name; a directory represents all its files."""
    skipped: Sequence[SkippedFile]
    """Files that cannot be indexed."""


@extends(SyncReport)
class IndexedRepoJson(TypedDict):
    """A repository of a workspace that was updated."""

    repo: str
    """The repository's alias in the workspace, else its id."""
    ok: Literal[True]
    """Whether the update succeeded."""


class PreviewedRepoJson(PreviewJson):
    """A repository of a workspace that would be updated."""

    repo: str
    """The repository's alias in the workspace, else its id."""
    ok: Literal[True]
    """Whether the update succeeded."""


class FailedRepoJson(TypedDict):
    """A repository of a workspace that could not be updated; the other updates continued."""

    repo: str
    """The repository's alias in the workspace, else its id."""
    ok: Literal[False]
    """Whether the update succeeded."""
    error: ErrorJson


class WorkspaceIndexJson(DocumentJson):
    """Results of `ggrep index --workspace` for each repository, done or planned."""

    ok: bool
    """Whether every repository succeeded."""
    repos: Sequence[IndexedRepoJson | PreviewedRepoJson | FailedRepoJson]
    """One entry for each enabled repository, in the workspace's order."""


IndexReportJson: TypeAlias = SyncReport | PreviewJson | WorkspaceIndexJson
"""The result of an update of the index, its preview (--dry-run), or either for each repository of a
workspace.
"""


class RemoteJson(TypedDict):
    """A remote of the home."""

    name: Named
    """Name of the remote."""
    url: str
    """`s3://`, `gs://` or `az://` with a bucket and a folder, `file://` with a directory, or the
    `https://` address of a team server."""
    endpoint: str | None
    """Endpoint of an S3-compatible service other than Amazon's."""
    region: str | None
    """Region of S3; null for the region from the environment."""
    plain_http: bool
    """Whether the endpoint may be used without TLS."""
    readable: bool
    """Whether pushed text can be shown before a checkout has confirmed that text."""
    token_env: str | None
    """Environment variable with the token of a team server."""
    token_file: str | None
    """File with the token of a team server."""


class RemotesJson(DocumentJson):
    """The remotes of a home, after `ggrep remote list`, `add` or `remove`."""

    remotes: Sequence[RemoteJson]
    """Remotes in the order in which they were added."""


class PullJson(DocumentJson):
    """The result of `ggrep pull`."""

    remote: Named | None
    """Name of the remote; null if there is none, with `--auto`."""
    repo_key: str | None
    """Key of the repository at the remote; null when unknown."""
    outcome: Literal["pulled", "current", "nothing", "nothing new", "failed"]
    """`current`: the index already contained all files. `nothing`: the remote has no snapshot.
    `nothing new`: the remote's snapshot has no file that was missing here. `failed`: the pull
    failed under --auto; the command still succeeds.
    """
    reason: str | None
    """Reason why nothing was pulled; null otherwise."""
    exact: bool
    """Whether the index is now exactly the snapshot that was pushed."""
    commit: str | None
    """Commit of the pulled snapshot."""
    files: Count
    """Searchable files directly after the pull."""
    of_files: Count
    """All files of the repository."""
    brought: Count
    """Files that came from the remote."""
    passed_over: Sequence[str]
    """Reasons why snapshots of the remote were not used, one line each."""
    traffic: Traffic | None
    pull_ms: Count
    """Milliseconds until the pulled files were searchable."""
    snapshot_id: SnapshotId
    """The active snapshot afterwards."""
    indexed: Count
    """Files that were indexed afterwards, because the remote lacked them."""
    vectors_encoded: Count
    """Number of vectors that were encoded after the pull."""
    duration_ms: Count
    """Total duration in milliseconds."""


RemoteDocumentJson: TypeAlias = RemotesJson | PushReport | PullJson | RemoteCollection
"""Output of `ggrep remote`, `ggrep push` and `ggrep pull` with --json."""
