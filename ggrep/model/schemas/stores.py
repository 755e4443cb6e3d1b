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
    """A store that was left."""

    store_id: str
    """Name of the store's directory."""
    error: ErrorJson


class StoresCollectionJson(DocumentJson):
    """What `ggrep gc --stores` removed, or would."""

    dry_run: bool
    """Whether nothing was deleted because nobody said --force."""
    candidates: Sequence[Candidate]
    """What nobody needs, by store id."""
    deleted: Sequence[Candidate]
    """What of it is gone."""
    refused: Sequence[RefusedStoreJson]
    """What of it could not be deleted."""


InventoryJson: TypeAlias = Stores | Removal | StoresCollectionJson | UpgradeReport
"""What `ggrep list` found, what `ggrep clean` or `ggrep gc --stores` removed, and what `ggrep
upgrade-store` made.
"""


@extends(Status)
class ServedStatusJson(TypedDict):
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
    skipped: Sequence[SkippedFile]
    """Files that cannot be indexed."""


@extends(SyncReport)
class IndexedRepoJson(TypedDict):
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


IndexReportJson: TypeAlias = SyncReport | PreviewJson | WorkspaceIndexJson
"""What an update of the index did, what it would do (--dry-run), or either for each repository of
a workspace.
"""


class RemoteJson(TypedDict):
    """One remote."""

    name: Named
    """What commands call it."""
    url: str
    """`s3://`, `gs://` or `az://` with a bucket and a folder, or `file://` with a directory."""
    endpoint: str | None
    """Of a service that speaks S3 and is not Amazon's."""
    region: str | None
    """Of S3; null for what the environment says."""
    plain_http: bool
    """Whether the endpoint may be asked without TLS."""
    readable: bool
    """Whether what was pushed is shown before a checkout has proved that it holds it."""


class RemotesJson(DocumentJson):
    """The remotes of a home, after `ggrep remote list`, `add` or `remove`."""

    remotes: Sequence[RemoteJson]
    """In the order in which they were added."""


class PullJson(DocumentJson):
    """What `ggrep pull` did."""

    remote: Named | None
    """Where it was pulled from; null where there is no remote, under --auto."""
    repo_key: str | None
    """Who the repository is there; null where nothing tells."""
    outcome: Literal["pulled", "current", "nothing", "nothing new", "failed"]
    """`current`: the index held all files as they are. `nothing`: the remote has no snapshot of
    them. `nothing new`: it has, and none of the files that were missing here.
    `failed`: under --auto, where that is no failure of the command.
    """
    reason: str | None
    """Why nothing could be had; null otherwise."""
    exact: bool
    """Whether it is the very snapshot that was pushed."""
    commit: str | None
    """The commit that what was pulled is of."""
    files: Count
    """Files that could be searched right after the pull."""
    of_files: Count
    """Files that there are."""
    brought: Count
    """Files that the pull brought."""
    passed_over: Sequence[str]
    """Why snapshots of the remote were not taken, a line each."""
    traffic: Traffic | None
    pull_ms: Count
    """How long it took until these files could be searched."""
    snapshot_id: SnapshotId
    """The active snapshot at the end."""
    indexed: Count
    """Files that were read and cut afterwards, as the remote did not have them."""
    vectors_encoded: Count
    """Vectors that were encoded for them."""
    duration_ms: Count
    """How long it took in all."""


RemoteDocumentJson: TypeAlias = RemotesJson | PushReport | PullJson | RemoteCollection
"""What `ggrep remote`, `ggrep push` and `ggrep pull` print with --json."""
