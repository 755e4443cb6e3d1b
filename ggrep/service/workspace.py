"""A workspace of repositories, with blocking calls or asynchronous calls."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar, Unpack

from anyio.from_thread import start_blocking_portal

from ggrep.base.errors import Closed
from ggrep.federation.envelope import Envelope
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace as LoadedWorkspace
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.operations import BY_REQUEST
from ggrep.model.request import Request
from ggrep.service import workspace_calls as calls
from ggrep.service.answers import as_answer
from ggrep.service.calls import AnyPath, Options, check_names, request_of
from ggrep.service.per_loop import PerLoop
from ggrep.service.repository_handle import DaemonUse, Surroundings, surroundings

A = TypeVar("A")
T = TypeVar("T")


class AskedWorkspace:
    """The repositories of a loaded workspace file."""

    def __init__(self, loaded: LoadedWorkspace, within: Surroundings) -> None:
        self._loaded = loaded
        self._within = within
        self._federator = PerLoop(loaded.workspace_path, lambda: calls.federator_of(within))

    @property
    def roots(self) -> tuple[Path, ...]:
        """Return the roots of the repositories, in the file's order."""
        return tuple(repo.root_canonical for repo in self._loaded.repos)

    async def search(
        self, query: str, **options: Unpack[calls.WorkspaceSearchOptions]
    ) -> calls.WorkspaceAnswer:
        """Return the merged hits of a query, best first.

        Raises:
            InvalidRequest: the value of an option is invalid; WorkspaceError: several are.
            Closed: the workspace was closed.
            GgrepError: no repository answered; the error is that of the first repository.
        """
        check_names(calls.WorkspaceSearchOptions, options, "search")
        request = self._configured(calls.federated_request(query, options))
        response = await self._federator.get().search(self._loaded, request)
        return _answered(calls.WorkspaceAnswer, response)

    async def slate(
        self, query: str, **options: Unpack[calls.WorkspaceSlateOptions]
    ) -> calls.WorkspaceSlateAnswer:
        """Return a slate over all repositories; errors as `search`."""
        check_names(calls.WorkspaceSlateOptions, options, "slate")
        request = self._configured(calls.federated_request(query, options))
        shape = calls.slate_shape(query, options)
        response = await self._federator.get().slate(self._loaded, request, shape)
        return _answered(calls.WorkspaceSlateAnswer, response)

    async def symbol(
        self, name: str, **options: Unpack[calls.WorkspaceSymbolOptions]
    ) -> calls.WorkspaceSymbolAnswer:
        """Return the definitions of a name in all repositories; errors as `search`."""
        kinds = calls.WorkspaceSymbolAnswer, calls.WorkspaceSymbolOptions, SymbolRequest
        return await self._follow(*kinds, options, name=name)

    async def references(
        self, name: str, **options: Unpack[calls.WorkspaceReferencesOptions]
    ) -> calls.WorkspaceReferencesAnswer:
        """Return the usages of a name in all repositories; errors as `search`."""
        kinds = calls.WorkspaceReferencesAnswer, calls.WorkspaceReferencesOptions, ReferencesRequest
        return await self._follow(*kinds, options, name=name)

    async def expand(
        self, target: str, **options: Unpack[calls.WorkspaceExpandOptions]
    ) -> calls.WorkspaceExpandAnswer:
        """Return the code around `alias:path:line`, or around a location in a single repository.

        Errors as `search`; `InvalidRequest` if several repositories contain the location.
        """
        kinds = calls.WorkspaceExpandAnswer, calls.WorkspaceExpandOptions, ExpandRequest
        return await self._follow(*kinds, options, target=target)

    async def aclose(self) -> None:
        """Close everything; later calls raise `Closed`."""
        await self._federator.aclose()

    async def __aenter__(self) -> Self:
        self._federator.require_open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _follow(
        self,
        kind: type[A],
        allowed: type,
        asks: type[Request[Any]],
        options: Options,
        **first: object,
    ) -> A:
        """Return the answer to a navigation request; see `Method` for the arguments."""
        check_names(allowed, options, BY_REQUEST[asks].name)
        asked = request_of(asks, calls.of_one(options), **first)
        request = self._configured(calls.members_request(options))
        response = await self._federator.get().follow(self._loaded, request, asked)
        return _answered(kind, response)

    def _configured(self, request: FederatedRequest) -> FederatedRequest:
        self._federator.require_open()
        return calls.configured(request, self._within.environ, self._loaded)


class AsyncWorkspace(AskedWorkspace):
    """The repositories of a workspace file, read when it was opened.

    The tasks of an event loop share the workspace and its connections to daemons. Only indexed
    repositories are searched. Repositories without an index or without a reply are listed in
    `errors` of the answer.
    """

    def __init__(
        self,
        file: AnyPath,
        *,
        daemon: DaemonUse = "auto",
        encoder: str | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Read a workspace file; starts no daemon and opens no connection.

        Args:
            file: path of the workspace file.
            daemon: use of daemons: `auto`, `require` or `never`.
            encoder: encoder of the indexes; None for the configured one.
            environ: environment variables to read settings from; None for those of this process.

        Raises:
            WorkspaceError: the file is invalid; the error lists all issues.
            InvalidRequest: a settings file or variable is invalid.
        """
        super().__init__(calls.load(file), surroundings(daemon, environ, {"encoder": encoder}))


def _answered(kind: type[A], response: Envelope) -> A:
    if response.error is not None:
        raise response.error
    return as_answer(kind, response)


class Workspace:
    """The repositories of a workspace file, read when it was opened.

    Threads can share a workspace, and a forked process can use it: each call runs in a new thread
    with a new event loop and new connections. Only indexed repositories are searched. Repositories
    without an index or without a reply are listed in `errors` of the answer.
    """

    def __init__(
        self,
        file: AnyPath,
        *,
        daemon: DaemonUse = "auto",
        encoder: str | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        """Read a workspace file; arguments and errors are those of `AsyncWorkspace`."""
        self._loaded = calls.load(file)
        self._within = surroundings(daemon, environ, {"encoder": encoder})
        self._closed = False

    @property
    def roots(self) -> tuple[Path, ...]:
        """Return the roots of the repositories, in the file's order."""
        return tuple(repo.root_canonical for repo in self._loaded.repos)

    def search(
        self, query: str, **options: Unpack[calls.WorkspaceSearchOptions]
    ) -> calls.WorkspaceAnswer:
        """Return the merged hits of a query, best first; errors as `AsyncWorkspace.search`."""
        return self._run(lambda workspace: workspace.search(query, **options))

    def slate(
        self, query: str, **options: Unpack[calls.WorkspaceSlateOptions]
    ) -> calls.WorkspaceSlateAnswer:
        """Return a slate over all repositories; errors as `search`."""
        return self._run(lambda workspace: workspace.slate(query, **options))

    def symbol(
        self, name: str, **options: Unpack[calls.WorkspaceSymbolOptions]
    ) -> calls.WorkspaceSymbolAnswer:
        """Return the definitions of a name in all repositories; errors as `search`."""
        return self._run(lambda workspace: workspace.symbol(name, **options))

    def references(
        self, name: str, **options: Unpack[calls.WorkspaceReferencesOptions]
    ) -> calls.WorkspaceReferencesAnswer:
        """Return the usages of a name in all repositories; errors as `search`."""
        return self._run(lambda workspace: workspace.references(name, **options))

    def expand(
        self, target: str, **options: Unpack[calls.WorkspaceExpandOptions]
    ) -> calls.WorkspaceExpandAnswer:
        """Return the code around a location; see `AsyncWorkspace.expand`."""
        return self._run(lambda workspace: workspace.expand(target, **options))

    def close(self) -> None:
        """Close the workspace; later calls raise `Closed`."""
        self._closed = True

    def __enter__(self) -> Self:
        self._require_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _require_open(self) -> None:
        if self._closed:
            raise Closed(f"{self._loaded.workspace_path}: was closed")

    def _run(self, ask: Callable[[AskedWorkspace], Awaitable[T]]) -> T:
        """Return the answer of `ask`; an interrupt also cancels the requests at the daemons.

        The call runs in another thread with a new event loop, because this thread may already run
        one, as in a notebook.
        """
        self._require_open()

        async def run() -> T:
            async with AskedWorkspace(self._loaded, self._within) as workspace:
                return await ask(workspace)

        with start_blocking_portal() as portal:
            return portal.call(run)
