"""A workspace of repositories, with blocking calls."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar, Unpack

from anyio.from_thread import start_blocking_portal

from ggrep.base.errors import Closed
from ggrep.service.async_workspace import AskedWorkspace
from ggrep.service.call_options import AnyPath
from ggrep.service.opened import DaemonUse, surroundings
from ggrep.service.workspace_calls import (
    WorkspaceAnswer,
    WorkspaceExpandAnswer,
    WorkspaceExpandOptions,
    WorkspaceReferencesAnswer,
    WorkspaceReferencesOptions,
    WorkspaceSearchOptions,
    WorkspaceSlateAnswer,
    WorkspaceSlateOptions,
    WorkspaceSymbolAnswer,
    WorkspaceSymbolOptions,
    load,
)

T = TypeVar("T")


class Workspace:
    """The repositories of a workspace file, as it was when it was opened.

    Threads may share it; a forked process may go on with it: each question has an event loop and
    connections of its own, in a thread that ends with it. Only what is indexed is asked; a
    repository that is not, or does not answer, stands in the answer's `errors`.
    """

    def __init__(
        self,
        file: AnyPath,
        *,
        daemon: DaemonUse = "auto",
        encoder: str | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Read a workspace file; arguments and errors as of `AsyncWorkspace`."""
        self._loaded = load(file)
        self._within = surroundings(daemon, environ, {"encoder": encoder})
        self._closed = False

    @property
    def roots(self) -> tuple[Path, ...]:
        """Return the roots of its repositories, in the file's order."""
        return tuple(repo.root_canonical for repo in self._loaded.repos)

    def search(self, query: str, **options: Unpack[WorkspaceSearchOptions]) -> WorkspaceAnswer:
        """Return the merged hits of a query, best first; errors as `AsyncWorkspace.search`."""
        return self._run(lambda workspace: workspace.search(query, **options))

    def slate(self, query: str, **options: Unpack[WorkspaceSlateOptions]) -> WorkspaceSlateAnswer:
        """Return one slate of all repositories; errors as `search`."""
        return self._run(lambda workspace: workspace.slate(query, **options))

    def symbol(self, name: str, **options: Unpack[WorkspaceSymbolOptions]) -> WorkspaceSymbolAnswer:
        """Return where the repositories define a name, as one would; errors as `search`."""
        return self._run(lambda workspace: workspace.symbol(name, **options))

    def references(
        self, name: str, **options: Unpack[WorkspaceReferencesOptions]
    ) -> WorkspaceReferencesAnswer:
        """Return where the repositories use a name, as one would; errors as `search`."""
        return self._run(lambda workspace: workspace.references(name, **options))

    def expand(
        self, target: str, **options: Unpack[WorkspaceExpandOptions]
    ) -> WorkspaceExpandAnswer:
        """Return the code around a place; as `AsyncWorkspace.expand`."""
        return self._run(lambda workspace: workspace.expand(target, **options))

    def close(self) -> None:
        """Ask no more; what is asked afterwards raises `Closed`."""
        self._closed = True

    def __enter__(self) -> Self:
        self._require_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _require_open(self) -> None:
        if self._closed:
            raise Closed(f"{self._loaded.workspace_path}: was closed")

    def _run(self, ask: Callable[[AskedWorkspace], Awaitable[T]]) -> T:
        """Return an answer; interrupted, its requests end at the daemons.

        A loop may run in this thread already, as in a notebook: this one has its own.
        """
        self._require_open()

        async def run() -> T:
            async with AskedWorkspace(self._loaded, self._within) as workspace:
                return await ask(workspace)

        with start_blocking_portal() as portal:
            return portal.call(run)
