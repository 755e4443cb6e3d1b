"""The content of a workspace file: its keys, with their defaults and bounds."""

from pathlib import Path
from typing import Annotated, Final, TypeAlias

from msgspec import Struct

from ggrep.base.ids import RepoId
from ggrep.model.field_meta import MAX_INTEGER, Key

RRF: Final = "rrf"
"""Merging by rank only; the default."""

GLOBAL: Final = "global"
"""Merging by scores from the statistics of all repositories: the list of a single store.

Copies of a text in several repositories are folded by default.
"""

STRATEGIES: Final = (RRF, GLOBAL)

REMOVED: Final = frozenset({"evidence", "global-rrf", "weighted-rrf"})
"""Removed strategies. Requests with them fail; in a workspace file they mean `global`, with a
warning."""

MAX_REPOS: Final = 16_384
"""Maximum number of repositories in a workspace; each costs a disk access."""

MAX_INCLUDES: Final = 256
"""Maximum number of globs in a workspace."""

EVERY: Final = "*"
"""The name of all repositories of a server."""

_Enabled: TypeAlias = Annotated[bool, Key("Whether searches include the repository.")]
_Priority: TypeAlias = Annotated[
    int, Key("Order of equal scores; the higher number comes first.", -MAX_INTEGER, MAX_INTEGER)
]
_Tags: TypeAlias = Annotated[tuple[str, ...], Key("Tags to select repositories by.")]


class WorkspaceDefaults(Struct, frozen=True):
    """Defaults of repository entries."""

    enabled: _Enabled = True
    priority: _Priority = 0
    tags: _Tags = ()


class MergeDefaults(Struct, frozen=True):
    """Default merge settings, which a request can override; None if the file sets none."""

    strategy: Annotated[
        str | None, Key("Merge strategy of requests that name none.", words=STRATEGIES)
    ] = None
    rrf_k: Annotated[
        int | None,
        Key(
            "Rank constant k of reciprocal rank fusion; a larger k makes ranks more equal.",
            1,
            MAX_INTEGER,
            key="rrfK",
        ),
    ] = None


class LocatedRoot(Struct, frozen=True):
    """The location of an entry's root.

    Attributes:
        is_root: the entry names the root itself, not a directory inside.
        missing: why there is no repository; None if there is one.
    """

    absolute: Path
    resolved: Path
    canonical: Path
    repo_id: RepoId
    is_root: bool
    missing: str | None = None


class IncludeDraft(Struct, frozen=True):
    """An element of `include`; in the file, the text of the glob can replace the object."""

    glob: Annotated[
        str,
        Key(
            "Glob of repositories or workspace files: * in a name, ** at any depth; ! excludes.", 1
        ),
    ]
    tags: _Tags = ()
    enabled: _Enabled = True
    priority: _Priority = 0


class EntryDraft(Struct, frozen=True):
    """An element of `repos`, or a repository that an `include` selects.

    Attributes:
        located: location of the root; None if the root is not valid.
        included: the glob that selects the repository; empty for an element of `repos`.
    """

    index: int
    root: Annotated[str, Key("Directory in the repository, absolute or relative to this file.", 1)]
    alias: Annotated[str | None, Key("Short name, unique in the workspace.")]
    tags: _Tags
    enabled: _Enabled
    priority: _Priority
    located: LocatedRoot | None
    included: str = ""


class RemoteEntry(Struct, frozen=True):
    """An element of `repos` that names repositories of a team server.

    Attributes:
        refused: why the server must not be contacted; empty if it may be.
    """

    index: int
    remote: Annotated[str, Key("URL of a team server that is registered on this machine.", 1)]
    repos: Annotated[
        tuple[str, ...],
        Key("Keys of its repositories; `acme/` means all below it, `*` all that you may see."),
    ] = (EVERY,)
    tags: _Tags = ()
    enabled: _Enabled = True
    priority: _Priority = 0
    refused: str = ""


class WorkspaceDraft(Struct, frozen=True):
    """The content of a workspace file.

    Attributes:
        removed_strategy: merge strategy of the file that ggrep no longer supports and reads as
            `global`; empty for none.
    """

    name: Annotated[str, Key("Name of the workspace.")]
    cache_root: Annotated[
        str | None, Key("Directory for artifacts of the federation.", key="cacheRoot")
    ]
    defaults: Annotated[WorkspaceDefaults, Key("Defaults of entries.")]
    merge: Annotated[MergeDefaults, Key("Defaults of merging.")]
    entries: Annotated[tuple[EntryDraft, ...], Key("The repositories.", 0, MAX_REPOS, key="repos")]
    include: Annotated[
        tuple[IncludeDraft, ...],
        Key("Globs of further repositories and workspace files (.jsonc).", 0, MAX_INCLUDES),
    ] = ()
    remotes: tuple[RemoteEntry, ...] = ()
    unmatched: tuple[str, ...] = ()
    removed_strategy: str = ""
