"""Output of the workspace commands."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias, TypedDict

from ggrep.model.constraints import (
    AbsolutePath,
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
from ggrep.model.sync import IndexChange, PushState, SyncWarning
from ggrep.model.workspace_reports import ChangeKind, Doctor, OrphansReport
from ggrep.model.workspace_state import (
    Catalog,
    Diagnostic,
    WorkspaceStatus,
    WrittenManifest,
)


class WorkspaceDefaultsJson(TypedDict):
    """Defaults for repository entries that lack these keys."""

    enabled: bool
    """Whether the repository is searched by default."""
    priority: Annotated[int, Held(least=-9007199254740991, most=9007199254740991)]
    """Priority; a higher priority wins ties."""
    tags: Annotated[Sequence[Named], Held(unique=True)]
    """Distinct tags, lower-case and sorted."""


class ResolvedRepoJson(TypedDict):
    """A repository of the workspace, with its resolved root."""

    repoId: RepoId
    """Id of the repository: slug and digest of the canonical root; opaque."""
    repoRootResolved: AbsolutePath
    """Root of the repository around `rootAbs`."""
    repoRootCanonical: AbsolutePath
    """Canonical root, free of symbolic links; the searched directory."""
    alias: Named | None
    """Short name of the repository, unique even ignoring case; null for none."""
    tags: Annotated[Sequence[Named], Held(unique=True)]
    """Distinct tags, lower-case and sorted."""
    enabled: bool
    """Whether the repository is searched by default."""
    priority: Annotated[int, Held(least=-9007199254740991, most=9007199254740991)]
    """Priority; a higher priority wins ties."""
    rootInput: Named
    """Root as written in the file, trimmed."""
    rootAbs: AbsolutePath
    """Root as written, made absolute."""
    index: Count
    """Index of the entry in the file, from 0."""


class ResolvedWorkspaceJson(TypedDict):
    """A workspace file after validation: values normalised, roots found, identities computed.

    The document contains absolute paths, for operators.
    """

    schemaVersion: Literal[1]
    """Version of the format of the workspace file."""
    workspacePath: AbsolutePath
    """Absolute path of the file."""
    workspaceDir: AbsolutePath
    """Directory of the workspace file; relative paths start there."""
    name: str
    """Name from the file, trimmed; empty for none. Only the configuration's identity includes it.
    """
    cacheRoot: AbsolutePath | None
    """Directory of workspace artifacts; null for the default."""
    defaults: WorkspaceDefaultsJson
    repos: Annotated[Sequence[ResolvedRepoJson], Held(least=1)]
    """Repositories in the file's order."""
    repoSetId: RepoSetId
    """Identity of the set of repositories, independent of their names and order."""
    workspaceConfigHash: ConfigHash


class BuildOutcomeJson(TypedDict):
    """The index of a repository after a build."""

    index: IndexChange
    """`pulled`: files came from a remote; other files may have been indexed. `indexed`: files were
    new, changed or deleted.
    """
    pushed: PushState | None
    """`new`: the index was uploaded. `present`: the remote already had it. `failed`: only the push
    failed. Null without `--push`, and after a pull from a cluster.
    """
    warnings: Sequence[SyncWarning]
    """Warnings about this repository, such as `not_pulled`."""


class BuiltRepoJson(TypedDict):
    """One repository of a build."""

    repoId: Named
    """Name of the repository, computed from its canonical root."""
    repoRootCanonical: Named
    """Absolute path of the repository's files, free of symbolic links."""
    alias: str | None
    """Short name of the repository; null for none."""
    status: Literal["passed", "failed", "skipped"]
    """Outcome of the repository."""
    exitCode: int | None
    """Exit status of `ggrep index`, or 1 when only the push failed; null when it was not run or a
    signal ended it.
    """
    signal: Positive | None
    """Signal that ended the process of the build."""
    durationMs: Count
    """Duration in milliseconds."""
    error: str | None
    """Reason why the build failed, on a single line."""
    outcome: BuildOutcomeJson | None
    """Null if there is no outcome because indexing failed or was not started."""


class BuildDiagnosticsJson(TypedDict):
    """Outcomes of the repositories."""

    total: Count
    """Number of repositories to build."""
    failed: Count
    """Number of repositories that failed."""
    skipped: Count
    """Number of repositories that were not started."""
    entries: Sequence[BuiltRepoJson]
    """One entry for each repository, by id."""


class WorkspaceBuildJson(DocumentJson):
    """The result of `ggrep workspace build`."""

    ok: bool
    """Whether every repository was built."""
    workspacePath: WorkspacePath
    manifestPath: Named
    """Absolute path of the stored manifest."""
    repoSetId: RepoSet
    manifestHash: IndexStateHash
    diagnostics: BuildDiagnosticsJson


class WorkspaceEventJson(DocumentJson):
    """One line of `ggrep workspace watch`."""

    event: ChangeKind
    """Kind of the event."""
    repoId: str | None
    """The repository that the event concerns; null for the workspace."""
    alias: str | None
    """Short name of the repository; null for none."""
    message: str
    """Text on a single line."""


class EditedWorkspaceJson(DocumentJson):
    """A workspace file that was created or changed."""

    ok: Literal[True]
    """Whether the file was saved."""
    repos: Positive
    """Number of repositories in the file."""


class ValidWorkspaceJson(DocumentJson):
    """A valid workspace file."""

    ok: Literal[True]
    """Whether the file is valid."""
    workspace: ResolvedWorkspaceJson
    warnings: Sequence[Diagnostic]
    """Warnings about overlapping roots."""


WorkspaceJson: TypeAlias = (
    WrittenManifest
    | WorkspaceStatus
    | Catalog
    | WorkspaceBuildJson
    | Doctor
    | WorkspaceEventJson
    | OrphansReport
    | EditedWorkspaceJson
    | ValidWorkspaceJson
)
"""Output of the commands of `ggrep workspace` with --json."""
