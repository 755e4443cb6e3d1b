"""Resolves the repository or workspace of a call, and checks that it is allowed.

The server is started for some repositories and workspaces. A call can pass another path, which is
refused if it is not allowed.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from anyio import to_thread
from msgspec import Struct

from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.config.root import canonical_root
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.interfaces.mcp.start_options import StartOptions
from ggrep.service.workspace_access import (
    Allowlist,
    OpenedWorkspace,
    canonical,
    open_workspace,
)

T = TypeVar("T")


class AllowedRepo(Struct, frozen=True):
    """A repository, and the path key of the part that a call searches."""

    root: Path
    scope: str = ""

    def key(self, target: str) -> str:
        """Return a name or location; a path below the root becomes relative to the root."""
        return target.removeprefix(f"{self.root}/")


class AllowedWorkspace(Struct, frozen=True):
    """A workspace file, and the directories that may contain its repositories."""

    file: Path
    allowlist: Allowlist

    async def open(
        self, request: FederatedRequest, workspace_id: str | None = None
    ) -> OpenedWorkspace:
        """Return the current content of the workspace; see `open_workspace`."""
        return await open_workspace(self.file, self.allowlist, request, workspace_id=workspace_id)


LEAST_ID = len("ws1-") + 8
"""Minimum length of a workspace's id in a call; texts only show the beginning of the id."""
_EVERYWHERE = Allowlist((Path("/"),))


class Access:
    """Resolves the repositories and workspaces of calls; reads the disk only during calls."""

    def __init__(self, start: StartOptions) -> None:
        self._start = start

    @property
    def has_workspaces(self) -> bool:
        """Return whether the server was started for workspaces."""
        return bool(self._start.workspaces)

    async def repository(self, named: str | None) -> AllowedRepo:
        """Return the repository of a path; without a path, the server's repository.

        Raises:
            InvalidRequest: no repository contains the path.
            Forbidden: the repository is not allowed.
        """
        return await _in_thread(lambda: self._repository(named))

    async def workspace(self, named: str | None) -> AllowedWorkspace:
        """Return the workspace with a path or id; if both are missing, the server's only workspace.

        Raises:
            InvalidRequest: no workspace matches, or several do.
        """
        return await _in_thread(lambda: self._workspace(named))

    async def registered(self) -> tuple[Workspace, ...]:
        """Return the workspaces that the server was started for, with their current content.

        Raises:
            WorkspaceError: a file is not valid.
        """
        return await _in_thread(self._loaded)

    @cached_property
    def _allowlist(self) -> Allowlist:
        if self._start.anywhere:
            return _EVERYWHERE
        roots = [*self._start.allowed]
        # Some clients start the server outside of repositories. Every call then names a repository.
        with suppress(InvalidRequest):
            roots.append(self._own_root())
        return Allowlist(roots)

    def _own_root(self) -> Path:
        given = self._start.path or self._start.directory
        if given is None:
            raise InvalidRequest("the directory in which the server was started no longer exists")
        return canonical_root(given)

    def _repository(self, named: str | None) -> AllowedRepo:
        if named is None:
            try:
                return AllowedRepo(self._own_root())
            except InvalidRequest as error:
                other = " or call `search_workspace`" if self.has_workspaces else ""
                raise InvalidRequest(
                    f"`root` is missing and the server has no default repository ({error});"
                    f" pass `root`{other}"
                ) from error
        real = self._checked(self._absolute(named))
        root = self._checked(canonical_root(real))
        scope = real.relative_to(root)
        return AllowedRepo(root, "" if scope == Path() else scope.as_posix())

    def _checked(self, path: Path) -> Path:
        """Return a repository's path without symbolic links; raise if it is not allowed."""
        if self._allowlist.allows(path):
            return self._allowlist.check(path)
        try:
            repos = [repo for workspace in self._loaded() for repo in workspace.repos]
            roots = [repo.root_canonical for repo in repos if repo.missing is None]
        except GgrepError:
            roots = []  # an invalid file allows no repositories
        return Allowlist(roots).check(path)

    def _workspace(self, named: str | None) -> AllowedWorkspace:
        files = self._start.workspaces
        if named is None:
            if len(files) == 1:
                return AllowedWorkspace(files[0], _EVERYWHERE)
            choice = (
                ", ".join(each.repo_set_id for each in self._loaded()) or "the path of its file"
            )
            raise InvalidRequest(f"`workspace` is missing; use {choice}")
        if named.startswith("ws1-"):
            return AllowedWorkspace(self._file_of(named), _EVERYWHERE)
        file = self._absolute(named)
        registered = {canonical(each): each for each in files}
        if (as_registered := registered.get(canonical(file))) is not None:
            # Starting the server for this file allows its repositories. Their paths are relative to
            # the file's path at the start, as a caller's link could be in another directory.
            return AllowedWorkspace(as_registered, _EVERYWHERE)
        return AllowedWorkspace(file, self._allowlist)

    def _file_of(self, workspace_id: str) -> Path:
        known = {each.repo_set_id: each.workspace_path for each in self._loaded()}
        long_enough = len(workspace_id) >= LEAST_ID
        meant = [each for each in known if each.startswith(workspace_id) and long_enough]
        if len(meant) == 1:
            return known[meant[0]]
        names = ", ".join(sorted(known)) or "none"
        raise InvalidRequest(
            f"{workspace_id} is not the id of a workspace of this server; known ids: {names}"
        )

    def _loaded(self) -> tuple[Workspace, ...]:
        return tuple(
            load_workspace(file, resolve_root=canonical_root) for file in self._start.workspaces
        )

    def _absolute(self, named: str) -> Path:
        if not named.strip() or "\0" in named:
            raise InvalidRequest(f"{named!a} is not a valid path")
        if self._start.directory is None and not os.path.isabs(named):  # noqa: PTH117 - lexical
            raise InvalidRequest(f"{named} must be an absolute path")
        return (self._start.directory or Path("/")) / named


async def _in_thread(work: Callable[[], T]) -> T:
    return await to_thread.run_sync(work, abandon_on_cancel=True)
