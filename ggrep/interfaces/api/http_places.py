"""Resolves a request's path to a workspace or root that may be searched."""

import os
from pathlib import Path
from typing import TypeVar

from anyio import to_thread

from ggrep.base.errors import Forbidden, InvalidRequest
from ggrep.config.root import canonical_root
from ggrep.federation.roots import RememberedRoots
from ggrep.interfaces.surfaces.body import FederatedCall, NamedCall
from ggrep.service.allowlist import Allowlist, canonical
from ggrep.service.opening import OpenedWorkspace, open_workspace

Q = TypeVar("Q")


class Places:
    """What may be searched here."""

    def __init__(self, allowlist: Allowlist, default_root: Path | None) -> None:
        """Take the places.

        Args:
            allowlist: where all that is searched must lie.
            default_root: canonical; of requests that name none.
        """
        self._allowlist = allowlist
        self._default_root = default_root
        self._roots = RememberedRoots(canonical_root)

    async def workspace(
        self, call: FederatedCall | NamedCall[Q], *, authorised: bool
    ) -> OpenedWorkspace:
        """Return the workspace that a request means.

        Raises:
            Forbidden: it or what is asked of it is outside, or absolute paths are asked for by
                someone who has not presented a token.
            WorkspaceError: its file is wrong.
            InvalidRequest: its path is relative.
        """
        if call.request.include_paths and not authorised:
            raise Forbidden("$.debug.includePaths: only for callers with the token")
        path = _absolute(call.workspace_path, "$.workspacePath")
        return await open_workspace(
            path,
            self._allowlist,
            call.request,
            workspace_id=call.workspace_id,
            resolve_root=self._roots,
        )

    async def root(self, named: str | None) -> Path:
        """Return the canonical root of the repository around a directory.

        Raises:
            Forbidden: it is outside.
            InvalidRequest: there is no such directory, or none is named and there is no default.
        """
        if named is not None:
            path = _absolute(named, "root")
            return await to_thread.run_sync(self._root, path, abandon_on_cancel=True)
        if self._default_root is None:
            raise InvalidRequest("root: name the directory of a repository")
        if canonical(self._default_root) != self._default_root:
            raise Forbidden("the default root has become a link")
        return self._default_root

    def _root(self, path: Path) -> Path:
        real = self._allowlist.check(path)
        # Unlike the method of a path, this says no to names that are too long.
        if not os.path.isdir(real):  # noqa: PTH112 - see above
            raise InvalidRequest(f"root: {path} is no directory")
        return self._allowlist.check(self._roots(real))


def _absolute(text: str, field: str) -> Path:
    path = Path(text)
    if not path.is_absolute():
        raise InvalidRequest(f"{field}: {text!a} is not an absolute path")
    return path
