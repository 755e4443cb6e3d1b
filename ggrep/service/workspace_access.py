"""Opens workspaces and paths for callers with access to some directories only."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import Forbidden, InvalidRequest, Issue, WorkspaceError
from ggrep.base.ids import RepoId
from ggrep.config.root import canonical_root
from ggrep.federation.containment import (
    canonical_path,
    canonical_paths,
    is_canonical,
    is_inside,
    lexical_path,
)
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.searcher import JointSearcher, RepoSearcher, Searchers
from ggrep.federation.selection import select_repos
from ggrep.federation.workspace import (
    ResolveRoot,
    Workspace,
    WorkspaceRepo,
    load_workspace,
)
from ggrep.federation.workspace_draft import RemoteEntry

_NO_SERVER: Final = (
    "this server was not started for a workspace with these repositories of a team server"
)


class Allowlist:
    """The directories that callers over HTTP or MCP may access."""

    def __init__(self, roots: Sequence[Path], remotes: Iterable[RemoteEntry] = ()) -> None:
        """Resolve the directories now; a link that replaces a directory later is not followed.

        `remotes` are the entries of team servers that callers may search. Entries are equal if
        their servers and names of repositories are equal.
        """
        self.roots = tuple(sorted({canonical(root) for root in roots}))
        self._remotes = frozenset((each.remote, each.repos) for each in remotes)

    def checked(self, entry: RemoteEntry) -> RemoteEntry:
        """Return an entry of a team server, which is refused unless callers may search it."""
        if Path("/") in self.roots or (entry.remote, entry.repos) in self._remotes:
            return entry
        return replace(entry, refused=_NO_SERVER)

    def allows(self, path: Path) -> bool:
        """Return whether a path is inside an allowed directory."""
        try:
            self.check(path)
        except (Forbidden, InvalidRequest):
            return False
        return True

    def forbids(self, path: Path) -> bool:
        """Return whether a valid path is outside of the allowed directories."""
        return "\0" not in str(path) and not self.allows(path)

    def names_in(self, directory: Path) -> frozenset[str] | None:
        """Return the entries of a directory that lead to allowed directories; None for all."""
        real = canonical(directory)
        if any(is_inside(real, root) for root in self.roots):
            return None
        depth = len(real.parts)
        return frozenset(root.parts[depth] for root in self.roots if is_inside(root, real))

    def check(self, path: Path) -> Path:
        """Return the path without symbolic links.

        Raises:
            Forbidden: the path is outside of the allowed directories.
            InvalidRequest: the path is not a valid file name.
        """
        real = canonical(path)
        if not any(is_inside(real, root) for root in self.roots):
            raise Forbidden(f"{path} is outside the directories that may be searched here")
        return real


def canonical(path: Path) -> Path:
    """Return an absolute path; symbolic links are resolved as far as possible.

    An unresolvable path is not an error, as the error would disclose which directories exist
    outside of the allowed directories.
    """
    try:
        return canonical_path(path)
    except OSError:
        return lexical_path(Path(os.path.realpath(path)))
    except ValueError as error:
        raise InvalidRequest(f"{str(path)!a} is not a valid path") from error


_ID_MISMATCH = "ERR_FEDERATED_WORKSPACE_ID_MISMATCH"


class OpenedWorkspace(Struct, frozen=True):
    """A workspace, and the selected repositories that the caller must not access."""

    workspace: Workspace
    forbidden: frozenset[RepoId] = frozenset()


async def open_workspace(
    path: Path,
    allowlist: Allowlist,
    request: FederatedRequest,
    *,
    workspace_id: str | None = None,
    resolve_root: ResolveRoot = canonical_root,
) -> OpenedWorkspace:
    """Return the workspace of a file, read once in another thread.

    If the request names a repository outside of the allowed directories, opening fails. Other
    repositories outside of these directories are returned as `forbidden`.

    Raises:
        Forbidden: the file, its cache or a named repository is outside of the allowed directories.
        WorkspaceError: the file or the request is invalid, or the workspace has another id.
    """
    return await to_thread.run_sync(
        lambda: _opened(path, allowlist, request, workspace_id, resolve_root),
        abandon_on_cancel=True,
    )


def _opened(
    path: Path,
    allowlist: Allowlist,
    request: FederatedRequest,
    workspace_id: str | None,
    resolve_root: ResolveRoot,
) -> OpenedWorkspace:
    # Roots are relative to the directory of the path, so the directory is resolved and the file
    # name kept. Errors contain the path as the caller wrote it.
    allowlist.check(path)
    file = canonical(path.parent) / path.name
    real = allowlist.check(file)
    workspace = load_workspace(
        file, resolve_root=resolve_root, real=real, names_in=allowlist.names_in
    )
    if canonical(file) != real:
        raise Forbidden(f"the file {path} was replaced while it was read")
    require_workspace(workspace, workspace_id)
    if workspace.cache_root is not None:
        allowlist.check(workspace.cache_root)
    remotes = tuple(map(allowlist.checked, workspace.remotes))
    workspace = replace(workspace, remotes=remotes, hides=allowlist.forbids)
    forbidden = forbidden_repos(workspace, allowlist, request)
    # The caller must not learn which paths exist outside of the allowed directories.
    repos = tuple(
        replace(repo, missing=None) if repo.repo_id in forbidden else repo
        for repo in workspace.repos
    )
    return OpenedWorkspace(replace(workspace, repos=repos), forbidden)


def require_workspace(workspace: Workspace, workspace_id: str | None) -> None:
    """Raise WorkspaceError if a workspace has another id; None fits every workspace."""
    if workspace_id not in {None, workspace.repo_set_id}:
        message = f"$.workspaceId: the workspace is {workspace.repo_set_id}, not {workspace_id!a}"
        issue = Issue(_ID_MISMATCH, message, field="$.workspaceId", reason="mismatch")
        raise WorkspaceError((issue,))


def forbidden_repos(
    workspace: Workspace, allowlist: Allowlist, request: FederatedRequest
) -> frozenset[RepoId]:
    """Return the selected repositories outside of the allowed directories."""
    selection = select_repos(workspace, request)
    outside = [repo for repo in selection.repos if not allowlist.allows(repo.root_canonical)]
    for repo in outside:
        if repo.repo_id in selection.named:
            raise _outside(repo)
    return frozenset(repo.repo_id for repo in outside)


def _outside(repo: WorkspaceRepo) -> Forbidden:
    label = repo.alias or repo.repo_id
    return Forbidden(f"repository {label} is outside the directories that may be searched here")


class Guarded(Struct):
    """Searchers that reject forbidden and missing repositories.

    Roots were resolved when the workspace was read. If a root has become a link since then, queries
    to it are rejected.
    """

    inner: Searchers
    forbidden: frozenset[RepoId]
    _allowed: frozenset[RepoId] = frozenset()

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Prepare the repositories that the caller may access."""
        roots = [repo.root_canonical for repo in repos]
        # Runs in a thread, as a root can be on a slow disk.
        real = await to_thread.run_sync(canonical_paths, roots, abandon_on_cancel=True)
        allowed = [
            repo
            for repo in repos
            if repo.repo_id not in self.forbidden and repo.root_canonical in real
        ]
        self._allowed = frozenset(repo.repo_id for repo in allowed)
        await self.inner.prepare(allowed, deadline)

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return the searcher of a repository."""
        if repo.repo_id in self.forbidden or not is_canonical(repo.root_canonical):
            raise _outside(repo)
        return self.inner.open(repo)

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        """Return the joint searcher of prepared repositories that the caller may access."""
        return self.inner.joint([repo for repo in repos if repo.repo_id in self._allowed])
