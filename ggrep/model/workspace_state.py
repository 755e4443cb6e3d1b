"""The state of a workspace's repositories, and the documents that show it."""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from ggrep.base.ids import RepoId
from ggrep.model.constraints import (
    REPO_ID,
    CacheRoot,
    ConfigHash,
    Count,
    FailureCode,
    IndexStateHash,
    Moment,
    Named,
    Positive,
    RepoSet,
    Versioned,
    WorkspacePath,
)
from ggrep.model.corpus import Corpus
from ggrep.model.response import Freshness

Availability: TypeAlias = Literal[
    "present",
    "missing-root",
    "missing-index-dir",
    "missing-required-artifacts",
    "invalid-pointer",
    "compat-key-missing",
]
"""Availability of a repository, or the reason for its absence."""

DaemonWord: TypeAlias = Literal["none", "ready", "indexing", "stale", "silent", "other_version"]
"""State of the daemon of a repository."""


class Diagnostic(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A warning or error about a workspace or one of its repositories."""

    code: FailureCode
    """Stable name of the diagnostic."""
    message: str
    """Text on a single line; absolute paths are redacted unless requested."""
    repo_id: Annotated[RepoId, REPO_ID] | None = None
    """The repository that the diagnostic concerns."""
    mode: Annotated[str, Corpus] | None = None
    """Corpus that the diagnostic concerns; absent for all corpora."""
    file: str | None = None
    """Path below the repository's root, with forward slashes."""


class Diagnostics(Struct, frozen=True):
    """Diagnostics, sorted by repository, corpus and code."""

    warnings: tuple[Diagnostic, ...] = ()
    errors: tuple[Diagnostic, ...] = ()


class Pointer(Struct, frozen=True, rename="camel"):
    """The pointer to the active snapshot."""

    exists: bool
    """Whether the pointer exists."""
    parse_ok: bool
    """Whether the pointer contains a snapshot id."""
    problem: str | None = None
    """Problem of the snapshot that the pointer names; one line without absolute paths."""


class SnapshotFigures(Struct, frozen=True, rename="camel"):
    """Numbers of files and chunks of a snapshot."""

    files_indexed: Count
    """Searchable files."""
    files_eligible: Count
    """Files to index."""
    chunks_visible: Count
    """Searchable chunks."""


class ActiveSnapshot(Struct, frozen=True, rename="camel"):
    """The active snapshot of a store."""

    pointer: Pointer
    snapshot_id: str | None = None
    """The active snapshot; null when there is none, or it is damaged."""
    ignore_fingerprint: str | None = None
    """Identity of the ignore rules of the active snapshot (SHA-256, hex)."""
    head_sha: str | None = None
    """Commit that the snapshot was taken from."""
    dirty: bool | None = None
    """Whether tracked files differed from HEAD; null when unknown."""
    degraded: bool | None = None
    """Whether files are missing from the snapshot or older than the work tree."""
    partial: bool | None = None
    """Whether the first index is still being built."""
    counts: SnapshotFigures | None = None
    """Figures of the snapshot; null without one."""


class IndexState(ActiveSnapshot, frozen=True, kw_only=True):
    """The active snapshot of a store, and whether it can be searched."""

    availability: Availability


class RepoDaemon(Struct, frozen=True, rename="camel"):
    """The present state of the repository's daemon; only in `status` and `catalog` documents."""

    state: DaemonWord = "none"
    """Activity of the daemon."""
    running: bool = False
    """Whether a process serves the repository."""
    pid: Positive | None = None
    """Process id of the daemon."""
    protocol: Positive | None = None
    """Protocol version of the connection."""
    freshness: Freshness | None = None
    """Whether the index is known to match the work tree at that time; null if unknown."""
    problem: str | None = None
    """Reason why the daemon cannot be queried, or a difference to report."""


class CorpusState(Struct, frozen=True, rename="camel"):
    """The state of one corpus of a repository."""

    present: bool
    """Whether the corpus can be searched."""
    row_count: Count | None
    """Number of the corpus' chunks; null if no daemon was queried."""
    cohort_key: str | None
    """Key of the cohort: lists of repositories with equal keys are merged."""
    embed_space_key: str | None
    """Key of the corpus' vectors; vectors with equal keys are comparable."""
    lex_key: str | None
    """Layout of the corpus' term statistics."""
    schema_key: str | None
    """Key of the code that reads and scores the corpus."""
    availability_reason: Availability
    """Whether the corpus can be searched, or the reason why not."""


class CorpusStates(Struct, frozen=True, rename="camel"):
    """The state of each corpus."""

    code: CorpusState
    prose: CorpusState
    extracted_prose: CorpusState
    records: CorpusState


class ManifestRepo(ActiveSnapshot, frozen=True, kw_only=True, rename="camel"):
    """The state of a repository of a workspace."""

    repo_id: Annotated[RepoId, REPO_ID]
    """Name of the repository, computed from its canonical root."""
    repo_root_canonical: Named
    """Absolute path of the repository's files, free of symbolic links."""
    alias: str | None
    """Short name of the repository; null for none."""
    tags: tuple[str, ...]
    """Distinct tags, lower-case and sorted."""
    enabled: bool
    """Whether the repository is searched by default."""
    priority: int
    """Priority; a higher priority wins ties."""
    store_id: str | None
    """Store of the repository under its present settings; null when they cannot be read."""
    config_fingerprint: str | None
    """Identity of the settings that shape the index (SHA-256, hex)."""
    per_mode: CorpusStates
    daemon: RepoDaemon | UnsetType = UNSET
    store_dir: str | UnsetType | None = UNSET
    """Absolute path of the repository's store; only in the catalog."""


class ManifestWorkspace(Struct, frozen=True, rename="camel"):
    """The workspace file."""

    workspace_path: WorkspacePath
    name: str
    """Name of the workspace; may be empty."""
    workspace_config_hash: ConfigHash


class Manifest(Struct, frozen=True, rename="camel"):
    """The state of the indexes of a workspace, as it is stored on disk."""

    schema_version: Literal[1]
    """Version of this shape; another number is another shape."""
    generated_at: Moment
    """Time when the manifest was written, RFC 3339."""
    repo_set_id: RepoSet
    manifest_hash: IndexStateHash
    federation_cache_root: CacheRoot
    workspace: ManifestWorkspace
    repos: tuple[ManifestRepo, ...]
    """All repositories by id, including disabled ones."""
    diagnostics: Diagnostics


class KeptWorkspace(Versioned, frozen=True, kw_only=True, rename="camel"):
    """A workspace, and the path of its stored manifest."""

    workspace_path: WorkspacePath
    manifest_path: Named
    """Absolute path of the stored manifest."""
    federation_cache_root: CacheRoot
    repo_set_id: RepoSet
    manifest_hash: IndexStateHash


class WrittenManifest(KeptWorkspace, frozen=True, kw_only=True):
    """The result of `ggrep workspace manifest`."""

    ok: bool
    """Whether the store of every repository is known."""
    written: bool
    """Whether the file was written because it was missing or outdated."""
    warnings: Count
    """Number of warnings."""
    errors: Count
    """Number of errors."""


class TeamServer(Struct, frozen=True):
    """A team server whose repositories belong to a workspace."""

    remote: Named
    """URL of the server."""
    repos: tuple[Named, ...]
    """Keys of the server's repositories that searches of the workspace query."""
    problems: tuple[Named, ...]
    """Reasons why the server, or a repository that the file names, cannot be searched."""


class WorkspaceStatus(KeptWorkspace, frozen=True, kw_only=True):
    """The result of `ggrep workspace status`."""

    name: str
    """Name of the workspace; may be empty."""
    diagnostics: Diagnostics
    repos: tuple[ManifestRepo, ...]
    """Every repository, by id."""
    remotes: tuple[TeamServer, ...] | UnsetType = UNSET
    """The team servers; absent if the file lists none."""


class CacheRoots(Struct, frozen=True, rename="camel"):
    """Directories of caches and stores, and the path of the stored manifest."""

    federation_cache_root: CacheRoot
    workspace_manifest_path: Named
    """Absolute path of the stored manifest."""
    stores_root: Named
    """Directory of all stores."""


class CatalogManifest(Struct, frozen=True, rename="camel"):
    """The current manifest, and the stored manifest."""

    manifest_hash: IndexStateHash
    kept_hash: str | None
    """Hash of the stored manifest; null if there is no readable manifest."""
    generated_at: str | None
    """Time when the stored manifest was written, RFC 3339."""
    diagnostics: Diagnostics


class Catalog(Versioned, frozen=True, kw_only=True, rename="camel"):
    """The result of `ggrep workspace catalog`."""

    workspace_path: WorkspacePath
    name: str
    """Name of the workspace; may be empty."""
    repo_set_id: RepoSet
    workspace_config_hash: ConfigHash
    cache_roots: CacheRoots
    manifest: CatalogManifest
    repos: tuple[ManifestRepo, ...]
    """Every repository, by id."""
