"""A workspace file as written, its values checked and normalised but nothing computed from them."""

from dataclasses import dataclass
from pathlib import Path

from ggrep.domain.ids import RepoId


@dataclass(frozen=True, slots=True)
class WorkspaceDefaults:
    """What an entry that says nothing gets."""

    enabled: bool = True
    priority: int = 0
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MergeDefaults:
    """How answers are merged unless the request says otherwise; None says nothing."""

    strategy: str | None = None
    rrf_k: int | None = None


@dataclass(frozen=True, slots=True)
class LocatedRoot:
    """Where an entry's root is.

    Attributes:
        absolute: as written, made absolute.
        resolved: the root of the repository around it.
        canonical: that, free of symbolic links.
        missing: why there is no repository; None where there is one.
    """

    absolute: Path
    resolved: Path
    canonical: Path
    repo_id: RepoId
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class EntryDraft:
    """One element of `repos`.

    Attributes:
        index: its place in the file.
        root: as written, trimmed; empty when it is wrong.
        located: None when nobody looked, or nothing was found.
    """

    index: int
    root: str
    alias: str | None
    tags: tuple[str, ...]
    enabled: bool
    priority: int
    located: LocatedRoot | None


@dataclass(frozen=True, slots=True)
class WorkspaceDraft:
    """The whole file.

    Attributes:
        cache_root: as written, trimmed; None when blank.
    """

    name: str
    cache_root: str | None
    defaults: WorkspaceDefaults
    merge: MergeDefaults
    entries: tuple[EntryDraft, ...]
