"""Output of the workspace commands."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias, TypedDict

from ggrep.model.constraints import (
    AbsolutePath,
    CacheRoot,
    ConfigHash,
    Count,
    DocumentJson,
    Held,
    IndexStateHash,
    Named,
    Positive,
    RepoId,
    RepoSet,
    RepoSetId,
    WorkspacePath,
)
from ggrep.model.schemas.workspace_manifest import (
    ManifestDiagnosticJson,
    ManifestDiagnosticsJson,
    ManifestRepoJson,
)
from ggrep.model.workspace_reports import Doctor, OrphansReport


class WorkspaceDefaultsJson(TypedDict):
    """What entries that say nothing get."""

    enabled: bool
    """Whether it is searched unless it is left out."""
    priority: Annotated[int, Held(least=-9007199254740991, most=9007199254740991)]
    """Higher comes first where an author's will breaks ties."""
    tags: Annotated[Sequence[Named], Held(unique=True)]
    """Lower-case, sorted, each once."""


class ResolvedRepoJson(TypedDict):
    """One repository."""

    repoId: RepoId
    """Slug and digest of the canonical root; opaque."""
    repoRootResolved: AbsolutePath
    """Root of the repository around `rootAbs`."""
    repoRootCanonical: AbsolutePath
    """That, free of symbolic links: what is searched."""
    alias: Named | None
    """Short name, unique but for case; null for none."""
    tags: Annotated[Sequence[Named], Held(unique=True)]
    """Lower-case, sorted, each once."""
    enabled: bool
    """Whether it is searched unless it is left out."""
    priority: Annotated[int, Held(least=-9007199254740991, most=9007199254740991)]
    """Higher comes first where an author's will breaks ties."""
    rootInput: Named
    """As written in the file, trimmed."""
    rootAbs: AbsolutePath
    """As written, made absolute."""
    index: Count
    """Place in the file, from 0."""


class ResolvedWorkspaceJson(TypedDict):
    """A workspace file after validation: values normalised, roots found, identities computed.

    For operators: it shows absolute paths.
    """

    schemaVersion: Literal[1]
    """Version of the workspace file; another number is another shape."""
    workspacePath: AbsolutePath
    """Absolute path of the file."""
    workspaceDir: AbsolutePath
    """Its directory; relative paths start there."""
    name: str
    """As given, trimmed; empty for none. No part of any identity but the configuration's."""
    cacheRoot: AbsolutePath | None
    """Where artifacts of the federation may live; null for the default."""
    defaults: WorkspaceDefaultsJson
    repos: Annotated[Sequence[ResolvedRepoJson], Held(least=1)]
    """In the file's order."""
    repoSetId: RepoSetId
    """The same for the same roots, whatever they are called and in whatever order."""
    workspaceConfigHash: ConfigHash


class KeptWorkspaceJson(DocumentJson):
    """A workspace, and where its manifest is kept."""

    workspacePath: WorkspacePath
    manifestPath: Named
    """Absolute path of the manifest that is kept."""
    federationCacheRoot: CacheRoot
    repoSetId: RepoSet
    manifestHash: IndexStateHash


class WrittenManifestJson(KeptWorkspaceJson):
    """What `ggrep workspace manifest` did."""

    ok: bool
    """Every repository's store can be named."""
    written: bool
    """The file was written, for it was not there or differed."""
    warnings: Count
    """How many there are."""
    errors: Count
    """How many there are."""


class WorkspaceStatusJson(KeptWorkspaceJson):
    """What `ggrep workspace status` found."""

    name: str
    """As the workspace calls itself."""
    diagnostics: ManifestDiagnosticsJson
    repos: Sequence[ManifestRepoJson]
    """Every repository, by id."""


class CacheRootsJson(TypedDict):
    """Where things lie."""

    federationCacheRoot: CacheRoot
    workspaceManifestPath: Named
    """Absolute path of the manifest that is kept."""
    storesRoot: Named
    """Directory of all stores."""


class CatalogManifestJson(TypedDict):
    """The manifest now and as kept."""

    manifestHash: IndexStateHash
    keptHash: str | None
    """Of the file on disk; null without one that can be read."""
    generatedAt: str | None
    """When that was written, RFC 3339."""
    diagnostics: ManifestDiagnosticsJson


class CatalogJson(DocumentJson):
    """What `ggrep workspace catalog` found."""

    workspacePath: WorkspacePath
    name: str
    """As the workspace calls itself."""
    repoSetId: RepoSet
    workspaceConfigHash: ConfigHash
    cacheRoots: CacheRootsJson
    manifest: CatalogManifestJson
    repos: Sequence[ManifestRepoJson]
    """Every repository, by id."""


class BuiltRepoJson(TypedDict):
    """One repository that was to be built."""

    repoId: Named
    """Name of the repository, made of its canonical root."""
    repoRootCanonical: Named
    """Absolute path of its files."""
    alias: str | None
    """Its short name; null without one."""
    status: Literal["passed", "failed", "skipped"]
    """What became of it."""
    exitCode: int | None
    """That of `ggrep index`; null when none ran or a signal ended it."""
    signal: Positive | None
    """That ended its process."""
    durationMs: Count
    """How long it took."""
    error: str | None
    """Why it failed, one line."""


class BuildDiagnosticsJson(TypedDict):
    """What became of the repositories."""

    total: Count
    """How many were to be built."""
    failed: Count
    """How many failed."""
    skipped: Count
    """How many were not begun."""
    entries: Sequence[BuiltRepoJson]
    """One for each, by id."""


class WorkspaceBuildJson(DocumentJson):
    """What `ggrep workspace build` did."""

    ok: bool
    """Every repository was built."""
    workspacePath: WorkspacePath
    manifestPath: Named
    """Absolute path of the manifest that is kept."""
    repoSetId: RepoSet
    manifestHash: IndexStateHash
    diagnostics: BuildDiagnosticsJson


class WorkspaceEventJson(DocumentJson):
    """One line of `ggrep workspace watch`."""

    event: Literal[
        "daemon_started",
        "daemon_ended",
        "daemon_failed",
        "index_changed",
        "manifest_written",
        "workspace_changed",
        "workspace_wrong",
    ]
    """What happened."""
    repoId: str | None
    """The repository it concerns; null for the workspace."""
    alias: str | None
    """Its short name; null without one."""
    message: str
    """One line for people."""


class EditedWorkspaceJson(DocumentJson):
    """A workspace file that was made or changed."""

    ok: Literal[True]
    """It was saved."""
    repos: Positive
    """Repositories in it now."""


class ValidWorkspaceJson(DocumentJson):
    """A workspace file that is right."""

    ok: Literal[True]
    """It is."""
    workspace: ResolvedWorkspaceJson
    warnings: Sequence[ManifestDiagnosticJson]
    """Roots that overlap."""


WorkspaceJson: TypeAlias = (
    WrittenManifestJson
    | WorkspaceStatusJson
    | CatalogJson
    | WorkspaceBuildJson
    | Doctor
    | WorkspaceEventJson
    | OrphansReport
    | EditedWorkspaceJson
    | ValidWorkspaceJson
)
"""What the commands of `ggrep workspace` print with --json."""
