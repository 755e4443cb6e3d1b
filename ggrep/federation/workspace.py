"""Loads workspaces, sets of repositories that are searched together, from their files.

Loading has no side effects: it reads the file, resolves the roots and computes names.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError, Issue, MissingRoot, WorkspaceError
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Json
from ggrep.config import fingerprints
from ggrep.config.root import RealPaths
from ggrep.federation.containment import canonical_path, lexical_path
from ggrep.federation.diagnostics import Diagnostic
from ggrep.federation.included import NamesIn, with_included
from ggrep.federation.validation import SCHEMA_VERSION, SHAPE, RootProblem, validate
from ggrep.federation.workspace_draft import (
    GLOBAL,
    RRF,
    LocatedRoot,
    MergeDefaults,
    RemoteEntry,
    WorkspaceDefaults,
    WorkspaceDraft,
)
from ggrep.federation.workspace_text import located, parse_text, read_text
from ggrep.model.suggested_commands import bring_back

if TYPE_CHECKING:
    from ggrep.model.schemas.workspace import ResolvedWorkspaceJson

ResolveRoot: TypeAlias = Callable[[Path], Path]
NameRepo: TypeAlias = Callable[[Path], RepoId]

MAX_NESTED: Final = 256
"""Maximum number of workspace files that a file includes, directly or indirectly."""
MAX_DEPTH: Final = 8
"""Maximum nesting of included workspace files."""


def _nothing(_: Path) -> bool:
    return False


def _all_names(_: Path) -> None:
    return None


class RemoteMember(Struct, frozen=True):
    """A repository of a team server.

    Attributes:
        key: key of the repository; the name in the workspace file if `problem` is set.
        tree: digest of the pushed tree that is searched.
        problem: why the repository cannot be queried; None if it can be queried.
    """

    server: str
    key: str
    tree: str = ""
    problem: GgrepError | None = None


class WorkspaceRepo(Struct, frozen=True):
    """A repository of a workspace.

    Attributes:
        priority: among tied hits, the repository with the higher priority comes first.
        missing: reason why the repository cannot be queried, such as a missing directory; else
            None. Paths and id of a missing repository are computed as if its directory existed.
        included: the glob that selects the repository; empty for an entry of the file.
        remote: the repository on a team server, whose paths are no paths of this machine; None for
            a directory.
    """

    repo_id: RepoId
    root_resolved: Path
    root_canonical: Path
    alias: str | None
    tags: tuple[str, ...]
    enabled: bool
    priority: int
    root_input: str
    root_abs: Path
    index: int
    missing: str | None = None
    included: str = ""
    remote: RemoteMember | None = None

    @property
    def place(self) -> str:
        """Return the canonical root, or the address on a team server."""
        if self.remote is not None:
            return f"{self.remote.server}/{self.remote.key}"
        return str(self.root_canonical)

    @property
    def failure(self) -> GgrepError | None:
        """Return the error for queries to a missing repository; None if it is not missing."""
        if self.remote is not None:
            return self.remote.problem
        if self.missing is None:
            return None
        return MissingRoot(f"{self.missing}; {bring_back(self.alias, self.repo_id)}")


class Workspace(Struct, frozen=True):
    """A loaded workspace file with resolved roots.

    Attributes:
        repos: in the file's order; included repositories come last, by root.
        remotes: the entries of team servers; `repos` contains their repositories only in queries.
        repo_set_id: equal for equal sets of repositories, independent of aliases.
        workspace_config_hash: changes with every edit that has an effect.
        removed_strategy: merge strategy of the file that ggrep no longer supports; empty for none.
        hides: returns whether the caller must not learn whether a path exists.
    """

    schema_version: Literal[1]
    workspace_path: Path
    workspace_dir: Path
    name: str
    cache_root: Path | None
    defaults: WorkspaceDefaults
    merge: MergeDefaults
    repos: tuple[WorkspaceRepo, ...]
    repo_set_id: str
    workspace_config_hash: str
    remotes: tuple[RemoteEntry, ...] = ()
    unmatched: tuple[str, ...] = ()
    removed_strategy: str = ""
    hides: Callable[[Path], bool] = _nothing

    @property
    def strategy_warnings(self) -> tuple[Diagnostic, ...]:
        """Return the warning that `removed_strategy` is read as `global`; empty for none."""
        if not self.removed_strategy:
            return ()
        message = (
            f"merge strategy {self.removed_strategy!r} of the workspace file was removed and is "
        )
        message += f"read as {GLOBAL!r}; write {GLOBAL!r} or {RRF!r} into the file"
        return (Diagnostic("WARN_WORKSPACE_MERGE_STRATEGY_REMOVED", message),)


def load_workspace(
    path: Path,
    *,
    resolve_root: ResolveRoot,
    name_repo: NameRepo = fingerprints.repo_id,
    real: Path | None = None,
    whole: bool = False,
    names_in: NamesIn = _all_names,
) -> Workspace:
    """Return the workspace in the file at `path`.

    Do not call this in an event loop: a large file takes half a second, and disks can be slow.

    Args:
        path: path of the file.
        resolve_root: returns the canonical root of the repository around a directory; called once
            for each directory.
        name_repo: returns the repository id of a canonical root.
        real: the only file that may be read, without links; None if links may lead to any file.
        whole: whether a missing root is an error; otherwise the repository is marked as missing.
        names_in: paths that the caller may read, see `NamesIn`. A root that the caller may not read
            is neither read nor matched by a glob, and its id is computed from the path as written.

    Raises:
        InvalidRequest: a link has replaced the directory that contains `real`.
        WorkspaceError: the file or an entry is invalid; the error lists all issues.
    """
    if path.name:
        path = lexical_path(path)
    return workspace_of(
        read_text(path, real),
        path,
        resolve_root=resolve_root,
        name_repo=name_repo,
        whole=whole,
        names_in=names_in,
    )


def workspace_of(
    text: str,
    path: Path,
    *,
    resolve_root: ResolveRoot,
    name_repo: NameRepo = fingerprints.repo_id,
    whole: bool = False,
    names_in: NamesIn = _all_names,
) -> Workspace:
    """Return the workspace of a file at `path` with the content `text`; see `load_workspace`.

    Raises:
        WorkspaceError: the text or an entry is invalid; the error lists all issues.
    """
    if path.name:
        path = lexical_path(path)
    reading = _Reading(cache(resolve_root), name_repo, whole, names_in)
    return _resolved(reading.draft(text, path), path)


class _Reading(Struct, frozen=True):
    """Settings for reading a workspace file and the files that it includes.

    Attributes:
        seen: canonical paths of the files read so far; each file is read once.
        depth: number of nested includes that lead to this file.
    """

    resolve_root: ResolveRoot
    name_repo: NameRepo
    whole: bool
    names_in: NamesIn
    real_path: RealPaths = field(default_factory=RealPaths)
    seen: set[Path] = field(default_factory=set)
    depth: int = 0

    def draft(self, text: str, path: Path) -> WorkspaceDraft:
        """Return the draft of the file at `path`, with the repositories of included files."""

        def locate(root: str) -> LocatedRoot:
            absolute = lexical_path(path.parent / root)
            if self.names_in(absolute) is not None:
                name = self.name_repo(absolute)
                return LocatedRoot(absolute, absolute, absolute, name, is_root=True)
            try:
                return locate_root(
                    root, path.parent, self.resolve_root, self.name_repo, self.real_path
                )
            except RootProblem as problem:
                if self.whole:
                    raise
                return _unlocated(root, path.parent, self.name_repo, str(problem))

        def nested(inner: Path) -> WorkspaceDraft | None:
            self.seen.add(canonical_path(path))
            return self._nested(inner)

        value = parse_text(text, path)
        try:
            draft = validate(value, str(path), locate)
            return with_included(draft, path.parent, locate, self.names_in, nested)
        except WorkspaceError as error:
            raise located(error, path, text) from error

    def _nested(self, path: Path) -> WorkspaceDraft | None:
        real = canonical_path(path)
        if real in self.seen or self.names_in(real) is not None:
            return None
        if len(self.seen) > MAX_NESTED or self.depth >= MAX_DEPTH:
            text = (
                f"more than {MAX_NESTED} workspaces are included, or more than {MAX_DEPTH} "
                "levels of them"
            )
            raise WorkspaceError((Issue(SHAPE, text, str(path)),))
        return replace(self, depth=self.depth + 1).draft(read_text(real, real), real)


def locate_root(
    root: str,
    directory: Path,
    resolve_root: ResolveRoot,
    name_repo: NameRepo,
    real_path: Callable[[Path], str],
) -> LocatedRoot:
    """Return the location of a root that is written relative to `directory`.

    `real_path` resolves links; it raises OSError, like `RealPaths`.
    """
    absolute = lexical_path(directory / root)
    try:
        is_directory = stat.S_ISDIR(absolute.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _no_root(root, "missing", "the directory does not exist") from error
    except (OSError, ValueError) as error:
        raise _no_root(root, "resolve-failed", "the directory cannot be read") from error
    if not is_directory:
        code = "ERR_WORKSPACE_REPO_ROOT_NOT_DIRECTORY"
        raise RootProblem(code, "not-directory", f"root {root!r} is not a directory")
    if not os.access(absolute, os.R_OK | os.X_OK):
        raise _no_root(root, "unreadable", "the directory is not readable by this user")
    try:
        resolved = resolve_root(absolute)
        canonical = Path(real_path(resolved))
        str(canonical).encode()
        is_root = real_path(absolute) == str(canonical)
    except (GgrepError, OSError, RuntimeError, ValueError) as error:
        raise _no_root(root, "resolve-failed", f"cannot be resolved ({error})") from error
    return LocatedRoot(absolute, resolved, canonical, name_repo(canonical), is_root)


def names_of_root(root: str, file: Path, resolve_root: ResolveRoot) -> tuple[str, ...]:
    """Return the names of an entry's repository: id, canonical root, root with links."""
    try:
        location = locate_root(root, file.parent, resolve_root, fingerprints.repo_id, RealPaths())
    except RootProblem as problem:
        location = _unlocated(root, file.parent, fingerprints.repo_id, str(problem))
    return (location.repo_id, str(location.canonical), str(location.absolute))


def _unlocated(root: str, directory: Path, name_repo: NameRepo, problem: str) -> LocatedRoot:
    """Return the location that a missing root would have."""
    absolute = lexical_path(directory / root)
    try:
        canonical = canonical_path(absolute)
    except (OSError, ValueError):
        canonical = absolute
    return LocatedRoot(
        absolute, canonical, canonical, name_repo(canonical), is_root=True, missing=problem
    )


def is_there(root: Path) -> bool:
    """Return whether a path is a readable directory."""
    try:
        return stat.S_ISDIR(root.stat().st_mode) and os.access(root, os.R_OK | os.X_OK)
    except (OSError, ValueError):
        return False


def resolved_object(workspace: Workspace) -> "ResolvedWorkspaceJson":
    """Return the workspace as JSON for operators, with absolute paths."""
    defaults = workspace.defaults
    return {
        "schemaVersion": workspace.schema_version,
        "workspacePath": str(workspace.workspace_path),
        "workspaceDir": str(workspace.workspace_dir),
        "name": workspace.name,
        "cacheRoot": str(workspace.cache_root) if workspace.cache_root else None,
        "defaults": {
            "enabled": defaults.enabled,
            "priority": defaults.priority,
            "tags": list(defaults.tags),
        },
        "repos": [
            {
                "repoId": repo.repo_id,
                "repoRootResolved": str(repo.root_resolved),
                "repoRootCanonical": str(repo.root_canonical),
                "alias": repo.alias,
                "tags": list(repo.tags),
                "enabled": repo.enabled,
                "priority": repo.priority,
                "rootInput": repo.root_input,
                "rootAbs": str(repo.root_abs),
                "index": repo.index,
            }
            for repo in workspace.repos
        ],
        "repoSetId": workspace.repo_set_id,
        "workspaceConfigHash": workspace.workspace_config_hash,
    }


def _no_root(root: str, reason: str, message: str) -> RootProblem:
    code = "ERR_WORKSPACE_REPO_ROOT_NOT_FOUND"
    return RootProblem(code, reason, f"root {root!r}: {message}")


def _resolved(draft: WorkspaceDraft, path: Path) -> Workspace:
    repos = tuple(
        WorkspaceRepo(
            repo_id=entry.located.repo_id,
            root_resolved=entry.located.resolved,
            root_canonical=entry.located.canonical,
            alias=entry.alias,
            tags=entry.tags,
            enabled=entry.enabled,
            priority=entry.priority,
            root_input=entry.root,
            root_abs=entry.located.absolute,
            index=entry.index,
            missing=entry.located.missing,
            included=entry.included,
        )
        for entry in draft.entries
        if entry.located is not None
    )
    cache_root = None
    if draft.cache_root is not None:
        cache_root = lexical_path(path.parent / draft.cache_root)
    return Workspace(
        schema_version=SCHEMA_VERSION,
        workspace_path=path,
        workspace_dir=path.parent,
        name=draft.name,
        cache_root=cache_root,
        defaults=draft.defaults,
        merge=draft.merge,
        repos=repos,
        repo_set_id=repo_set_id(repos, draft.remotes),
        workspace_config_hash=_config_hash(draft, cache_root, repos),
        remotes=draft.remotes,
        unmatched=draft.unmatched,
        removed_strategy=draft.removed_strategy,
    )


def repo_set_id(repos: tuple[WorkspaceRepo, ...], remotes: Sequence[RemoteEntry] = ()) -> str:
    """Return the id of a set of repositories, including disabled repositories.

    Entries of servers count as written, because a server's list of repositories can change.
    """
    members: list[Json] = [
        {"repoId": repo.repo_id, "repoRootCanonical": str(repo.root_canonical)}
        for repo in _by_id(repos)
    ]
    members += sorted(
        ({"remote": each.remote, "repos": [*each.repos]} for each in remotes), key=str
    )
    return "ws1-" + _digest({"v": 1, "schemaVersion": SCHEMA_VERSION, "repos": members})


def _config_hash(
    draft: WorkspaceDraft, cache_root: Path | None, repos: tuple[WorkspaceRepo, ...]
) -> str:
    defaults, merge = draft.defaults, draft.merge
    payload: dict[str, Json] = {
        "schemaVersion": SCHEMA_VERSION,
        "name": draft.name,
        "cacheRoot": str(cache_root) if cache_root else None,
        "defaults": {
            "enabled": defaults.enabled,
            "priority": defaults.priority,
            "tags": list(defaults.tags),
        },
        "repos": [
            {
                "root": str(repo.root_canonical),
                "alias": repo.alias,
                "enabled": repo.enabled,
                "priority": repo.priority,
                "tags": list(repo.tags),
            }
            for repo in _by_id(repos)
        ],
    }
    if draft.remotes:
        payload["remotes"] = [to_builtins(each) for each in draft.remotes]
    if merge != MergeDefaults():
        payload["merge"] = {"strategy": merge.strategy, "rrfK": merge.rrf_k}
    return "wsc1-" + _digest(payload)


def _by_id(repos: tuple[WorkspaceRepo, ...]) -> list[WorkspaceRepo]:
    return sorted(repos, key=lambda repo: (repo.repo_id, str(repo.root_canonical)))


def _digest(value: Json) -> str:
    return hashlib.sha256(stable_json.dumps(value)).hexdigest()
