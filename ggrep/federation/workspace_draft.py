"""A workspace file as written: its values checked and normalised, nothing computed yet.

What a key may hold is said at its field; null stands for a key that is not there.
"""

from pathlib import Path
from typing import Annotated, Final, TypeAlias

from msgspec import Struct

from ggrep.base.ids import RepoId
from ggrep.federation.strategies import STRATEGIES
from ggrep.model.keys import Key
from ggrep.model.says import MAX_INTEGER

MAX_REPOS: Final = 16_384
"""Most repositories of one workspace; each costs a look at the disk."""

MAX_INCLUDES: Final = 256
"""Most globs of one workspace."""

_Enabled: TypeAlias = Annotated[bool, Key("False leaves a repository out of searches.")]
_Priority: TypeAlias = Annotated[
    int, Key("Higher comes first among equals.", -MAX_INTEGER, MAX_INTEGER)
]
_Tags: TypeAlias = Annotated[tuple[str, ...], Key("Words to select repositories by.")]


class WorkspaceDefaults(Struct, frozen=True):
    """Defaults of repository entries."""

    enabled: _Enabled = True
    priority: _Priority = 0
    tags: _Tags = ()


class MergeDefaults(Struct, frozen=True):
    """Merge settings unless the request overrides them; None if unset."""

    strategy: Annotated[
        str | None, Key("How lists are merged unless a request says.", words=STRATEGIES)
    ] = None
    rrf_k: Annotated[
        int | None,
        Key("Constant of reciprocal rank fusion; larger levels out.", 1, MAX_INTEGER, key="rrfK"),
    ] = None


class LocatedRoot(Struct, frozen=True):
    """The location of an entry's root.

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


class IncludeDraft(Struct, frozen=True):
    """One element of `include`, which may be its glob alone."""

    glob: Annotated[
        str,
        Key(
            "Directories, each a repository, or workspaces: * of a name, ** at any depth; ! not.", 1
        ),
    ]
    tags: _Tags = ()
    enabled: _Enabled = True
    priority: _Priority = 0


class EntryDraft(Struct, frozen=True):
    """One element of `repos`, or one that an `include` stands for.

    Attributes:
        index: its place in the file, behind all of these for one that is included.
        root: as written, trimmed; empty when it is wrong.
        located: None when nobody looked, or nothing was found.
        included: the glob that it is of; empty for an element of `repos`.
    """

    index: int
    root: Annotated[str, Key("Directory in the repository, absolute or relative to this file.", 1)]
    alias: Annotated[str | None, Key("Its short name, unlike all others.")]
    tags: _Tags
    enabled: _Enabled
    priority: _Priority
    located: LocatedRoot | None
    included: str = ""


class WorkspaceDraft(Struct, frozen=True):
    """The whole file.

    Attributes:
        cache_root: as written, trimmed; None when blank.
        unmatched: globs that mean no repository.
        removed_strategy: the removed merge strategy that `global` stands for; empty for none.
    """

    name: Annotated[str, Key("What the workspace calls itself.")]
    cache_root: Annotated[
        str | None, Key("Where artifacts of the federation may live.", key="cacheRoot")
    ]
    defaults: Annotated[WorkspaceDefaults, Key("What holds for entries that do not say.")]
    merge: Annotated[MergeDefaults, Key("How answers are merged unless a request says.")]
    entries: Annotated[tuple[EntryDraft, ...], Key("The repositories.", 0, MAX_REPOS, key="repos")]
    include: Annotated[
        tuple[IncludeDraft, ...],
        Key("Globs of directories and of workspaces (.jsonc) that belong too.", 0, MAX_INCLUDES),
    ] = ()
    unmatched: tuple[str, ...] = ()
    removed_strategy: str = ""
