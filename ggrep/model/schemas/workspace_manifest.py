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
    """Stable name of the diagnostic."""
    message: str
    """One line for people."""
    repoId: NotRequired[Named]
    """The repository it concerns."""
    mode: NotRequired[Annotated[str, Corpus]]
    """Corpus that it concerns; absent for all."""


class ManifestDiagnosticsJson(TypedDict):
    """Diagnostics, sorted by repository, corpus, code and message."""

    warnings: Sequence[ManifestDiagnosticJson]
    """States of indexes that keep repositories out."""
    errors: Sequence[ManifestDiagnosticJson]
    """Repositories whose store cannot be named."""


class ManifestCountsJson(TypedDict):
    """Figures of a snapshot."""

    filesIndexed: Count
    """Files that can be found."""
    filesEligible: Count
    """Files to index."""
    chunksVisible: Count
    """Chunks that can be found."""


class PointerJson(TypedDict):
    """The pointer to the active snapshot."""

    exists: bool
    """Whether the pointer exists."""
    parseOk: bool
    """Whether the pointer holds the id of a snapshot."""
    problem: str | None
    """Problem of the snapshot that it names."""


class CorpusStateJson(TypedDict):
    """One corpus of a repository."""

    present: bool
    """Whether the corpus can be searched."""
    rowCount: Count | None
    """Chunks in it, as the daemon reports; null where none was asked."""
    cohortKey: str | None
    """Key of the cohort: lists of repositories with equal keys are merged."""
    embedSpaceKey: str | None
    """Key of its vectors: those of equal keys are comparable."""
    lexKey: str | None
    """Layout of its term statistics."""
    schemaKey: str | None
    """Key of the code that reads and scores it."""
    availabilityReason: Literal[
        "present",
        "missing-root",
        "missing-index-dir",
        "missing-required-artifacts",
        "invalid-pointer",
        "compat-key-missing",
    ]
    """Whether it can be searched, or the reason why not."""


class CorpusStatesJson(TypedDict):
    """The state of each corpus."""

    code: CorpusStateJson
    prose: CorpusStateJson
    extractedProse: CorpusStateJson
    records: CorpusStateJson


class RepoDaemonJson(TypedDict):
    """State of its daemon at this moment; in status and catalog only."""

    running: bool
    """Whether a process serves it."""
    state: Literal["none", "ready", "indexing", "stale", "silent", "other_version"]
    """Activity of the daemon."""
    pid: Positive | None
    """Process id of the daemon."""
    protocol: Positive | None
    """Version of the protocol that was agreed on."""
    freshness: Freshness | None
    """Whether the index is known to hold the work tree as it is at that moment; null when unknown.
    """
    problem: str | None
    """Reason why it cannot be queried, or a difference to report."""


class ManifestRepoJson(TypedDict):
    """One repository."""

    repoId: Named
    """Name of the repository, made of its canonical root."""
    repoRootCanonical: Named
    """Absolute path of its files, free of symbolic links."""
    alias: str | None
    """Short name of the repository; null for none."""
    tags: Sequence[str]
    """Tags, lower-case, sorted, each once."""
    enabled: bool
    """Whether it is searched by default."""
    priority: int
    """Priority; the higher one wins ties."""
    storeId: str | None
    """Store of the repository under its present settings; null when they cannot be read."""
    configFingerprint: str | None
    """Identity of the settings that shape the index (SHA-256, hex)."""
    ignoreFingerprint: str | None
    """Identity of the ignore rules of its snapshot (SHA-256, hex)."""
    snapshotId: str | None
    """The active snapshot; null when there is none that may be trusted."""
    headSha: str | None
    """Commit that the snapshot was taken from."""
    dirty: bool | None
    """Whether tracked files differed from HEAD; null when unknown."""
    degraded: bool | None
    """Whether files are missing from the snapshot or older than the work tree."""
    partial: bool | None
    """Whether the first index is still being built."""
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
    """Name of the workspace; may be empty."""
    workspaceConfigHash: ConfigHash


class ManifestJson(TypedDict):
    """The state of the indexes of a workspace, as it is stored on disk."""

    schemaVersion: Literal[1]
    """Version of this shape; another number is another shape."""
    generatedAt: Moment
    """Time when it was written, RFC 3339."""
    repoSetId: RepoSet
    manifestHash: IndexStateHash
    federationCacheRoot: CacheRoot
    workspace: ManifestWorkspaceJson
    repos: Sequence[ManifestRepoJson]
    """Every repository, by id, disabled ones too."""
    diagnostics: ManifestDiagnosticsJson
