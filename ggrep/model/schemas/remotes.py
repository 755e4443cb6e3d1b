"""Remotes, and what travels to and from them."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from ggrep.model.constraints import Count, DocumentJson, Named, SnapshotId
from ggrep.model.remotes import PushReport, RemoteCollection, Traffic


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
