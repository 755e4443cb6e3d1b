"""A workspace file with its defaults filled in."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from ggrep.model.constraints import (
    AbsolutePath,
    ConfigHash,
    Count,
    Held,
    Named,
    RepoId,
    RepoSetId,
)


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
