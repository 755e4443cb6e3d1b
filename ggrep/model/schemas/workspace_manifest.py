"""The manifest of a workspace: the index state of each repository."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from ggrep.model.constraints import (
    CacheRoot,
    ConfigHash,
    Count,
    IndexStateHash,
    Moment,
    Named,
    Positive,
    RepoSet,
    WorkspacePath,
)
from ggrep.model.corpus import Corpus
from ggrep.model.response import Freshness


class ManifestDiagnosticJson(TypedDict):
    """One warning or error."""

    code: Named
    """A word that stays."""
    message: str
    """One line for people."""
    repoId: NotRequired[Named]
    """The repository it concerns."""
    mode: NotRequired[Annotated[str, Corpus]]
    """The corpus it concerns; absent when all."""


class ManifestDiagnosticsJson(TypedDict):
    """What should be known, by repository, corpus, code and message."""

    warnings: Sequence[ManifestDiagnosticJson]
    """States of indexes that keep repositories out."""
    errors: Sequence[ManifestDiagnosticJson]
    """Repositories whose store cannot be named."""


class ManifestCountsJson(TypedDict):
    """Figures of a snapshot."""

    filesIndexed: Count
    """Files that can be found."""
    filesEligible: Count
    """Files that indexing is about."""
    chunksVisible: Count
    """Chunks that can be found."""


class PointerJson(TypedDict):
    """The pointer to the active snapshot."""

    exists: bool
    """There is one."""
    parseOk: bool
    """It holds a snapshot's id."""
    problem: str | None
    """What is wrong with what it leads to."""


class CorpusStateJson(TypedDict):
    """One corpus of a repository."""

    present: bool
    """It can be searched."""
    rowCount: Count | None
    """Chunks in it, as the daemon says; null where none was asked."""
    cohortKey: str | None
    """Lists of repositories with equal keys are merged."""
    embedSpaceKey: str | None
    """Whose vectors it has."""
    lexKey: str | None
    """Layout of its term statistics."""
    schemaKey: str | None
    """What reads and scores it."""
    availabilityReason: Literal[
        "present",
        "missing-root",
        "missing-index-dir",
        "missing-required-artifacts",
        "invalid-pointer",
        "compat-key-missing",
    ]
    """Whether it can be searched, or why not."""


class CorpusStatesJson(TypedDict):
    """What can be searched of each corpus."""

    code: CorpusStateJson
    prose: CorpusStateJson
    extractedProse: CorpusStateJson
    records: CorpusStateJson


class RepoDaemonJson(TypedDict):
    """Its daemon at this moment; in status and catalog only."""

    running: bool
    """A process serves it."""
    state: Literal["none", "ready", "indexing", "stale", "silent", "other_version"]
    """What it is at."""
    pid: Positive | None
    """Its process."""
    protocol: Positive | None
    """Version of the protocol that was agreed on."""
    freshness: Freshness | None
    """Whether the index holds the work tree as it is; null when nobody said."""
    problem: str | None
    """Why it cannot be asked, or how it differs."""


class ManifestRepoJson(TypedDict):
    """One repository."""

    repoId: Named
    """Name of the repository, made of its canonical root."""
    repoRootCanonical: Named
    """Absolute path of its files, free of symbolic links."""
    alias: str | None
    """Its short name; null without one."""
    tags: Sequence[str]
    """Lower case, sorted."""
    enabled: bool
    """It is searched unless left out."""
    priority: int
    """Higher comes first where ties are broken."""
    storeId: str | None
    """Its store under present settings; null when they cannot be read."""
    configFingerprint: str | None
    """Of the settings that shape its index."""
    ignoreFingerprint: str | None
    """Of the ignore rules its snapshot was made under."""
    snapshotId: str | None
    """The active snapshot; null when there is none that may be trusted."""
    headSha: str | None
    """Commit that the snapshot was taken from."""
    dirty: bool | None
    """Whether the work tree had changes then."""
    degraded: bool | None
    """Whether files are missing from the snapshot or older than the work tree."""
    partial: bool | None
    """Whether the first indexing is not done."""
    counts: ManifestCountsJson | None
    """Figures of the snapshot; null without one."""
    pointer: PointerJson
    perMode: CorpusStatesJson
    daemon: NotRequired[RepoDaemonJson]
    storeDir: NotRequired[str | None]
    """Absolute path of its store; in the catalog only."""


class ManifestWorkspaceJson(TypedDict):
    """The workspace file."""

    workspacePath: WorkspacePath
    name: str
    """As it calls itself."""
    workspaceConfigHash: ConfigHash


class ManifestJson(TypedDict):
    """The state of the indexes of a workspace, as it is kept on disk."""

    schemaVersion: Literal[1]
    """Version of this shape; another number is another shape."""
    generatedAt: Moment
    """When it was written, RFC 3339."""
    repoSetId: RepoSet
    manifestHash: IndexStateHash
    federationCacheRoot: CacheRoot
    workspace: ManifestWorkspaceJson
    repos: Sequence[ManifestRepoJson]
    """Every repository, by id, disabled ones too."""
    diagnostics: ManifestDiagnosticsJson
