"""Queries the repositories of a client's folders, and the workspaces of the server."""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import anyio
from anyio import from_thread, to_thread
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import GgrepError
from ggrep.config.root import canonical_root
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.selection import label_of
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.interfaces.lsp.texts import real_path
from ggrep.interfaces.surfaces.body import FederatedCall, parse_federated_body, parse_repo_body
from ggrep.model.operations import bounds_of
from ggrep.model.request import Request, SearchRequest

if TYPE_CHECKING:
    from ggrep.federation.federated_response import FederatedResponse
    from ggrep.federation.workspace_slates import FederatedSlate
    from ggrep.service.federator import Federator

TIMEOUT_MS: Final = 10_000
"""Timeout of a request; an editor waits for it."""


class Row(Struct, frozen=True):
    """One location in an answer: its file, and its fields in the document."""

    path: Path
    fields: Mapping[str, Any]

    @property
    def line(self) -> int:
        """Return the 1-based line: the line of a name, or the first line of a hit."""
        fields = self.fields
        line: int = fields.get("line") or fields.get("start_line") or fields["start"]
        return line


class Answer(Struct, frozen=True):
    """The document of an answer, and the roots of its repositories by label and id.

    In the answer of a single repository, the key of its root is None.
    """

    document: Any
    roots: Mapping[str | None, Path]

    def rows(self, key: str) -> list[Row]:
        """Return the locations in a list of the document."""
        return [
            Row(self.roots[each.get("repoId")] / (each.get("path") or each["file"]), each)
            for each in self.document[key]
        ]


def rows_of(answers: Sequence[Answer], key: str) -> list[Row]:
    """Return the distinct locations of answers; nested repositories return equal locations.

    Hits that begin in the same line but differ, as in a minified file, are all kept.
    """
    rows = (row for each in answers for row in each.rows(key))
    once: dict[object, Row] = {}
    for row in rows:
        parts = map(row.fields.get, ("column", "name", "content"))
        once.setdefault((row.path, row.line, *parts), row)
    return list(once.values())


class Folders:
    """The folders that a client has opened.

    Attributes:
        tell: called with failures of some repositories, while other repositories answer.
    """

    def __init__(
        self,
        connect: Callable[[], "Federator"],
        workspaces: Sequence[Path],
        tell: Callable[[str], None],
    ) -> None:
        self._connect = connect
        self._files = workspaces
        self._federator: Federator | None = None
        self.tell = tell
        self.open: tuple[Path, ...] = ()

    async def aclose(self) -> None:
        """Close the connections to daemons."""
        if self._federator is not None:
            await self._federator.aclose()

    async def root_of(self, path: Path) -> Path | None:
        """Return the root of a file's repository; None outside all folders and workspaces."""
        return await to_thread.run_sync(self._root_of, path, abandon_on_cancel=True)

    async def ask(self, root: Path, request: Request[Any]) -> Any:  # noqa: ANN401 - JSON
        """Return one repository's answer to a request."""
        return await self._asked.ask_repo(root, _timed(request))

    async def ask_all(self, request: Request[Any], first: Path | None = None) -> list[Answer]:
        """Return the answers of all repositories to a request about a name.

        A workspace returns a single answer. The request fails only if every query fails.

        Args:
            request: a request about a name.
            first: root of a repository that is always queried, and whose answer comes first.
        """
        workspaces, roots = await to_thread.run_sync(self._sources, first, abandon_on_cancel=True)
        works = [
            *(self._ask_workspace(each, request) for each in workspaces),
            *(self._ask_root(root, request) for root in roots),
        ]
        return await self._gathered(works)

    async def search(
        self, body: Mapping[str, object], operation: Literal["search", "slate"] = "search"
    ) -> list[Answer]:
        """Return the answers to a search, as hits or slates; for failures see `ask_all`.

        `body` is the body of `POST /search` or `POST /context`; for a workspace, of `POST
        /search/federated`.
        """
        workspaces, roots = await to_thread.run_sync(self._sources, abandon_on_cancel=True)
        asked = body.get("search", {})
        if isinstance(asked, Mapping):
            body = {**body, "search": {"timeoutMs": TIMEOUT_MS, **asked}}
        works: list[Awaitable[Answer]] = []
        for workspace in workspaces:
            place = {"workspacePath": str(workspace.workspace_path)}
            shape = {"format": "slate" if operation == "slate" else "hits"}
            call = parse_federated_body({**body, **place, **shape})
            works.append(self._search_workspace(workspace, call))
        works += [self._ask_root(root, parse_repo_body(operation, body).request) for root in roots]
        return await self._gathered(works)

    @property
    def _asked(self) -> "Federator":
        if self._federator is None:
            self._federator = self._connect()
        return self._federator

    async def _ask_root(self, root: Path, request: Request[Any]) -> Answer:
        return Answer(await self.ask(root, request), {None: root})

    async def _ask_workspace(self, workspace: Workspace, request: Request[Any]) -> Answer:
        asking = FederatedRequest(search=SearchRequest("", timeout_ms=TIMEOUT_MS))
        answer = await self._asked.follow(workspace, asking, _timed(request))
        return self._of_workspace(workspace, answer.to_json())

    async def _search_workspace(self, workspace: Workspace, call: FederatedCall) -> Answer:
        answer: FederatedResponse | FederatedSlate
        if call.shape is None:
            answer = await self._asked.search(workspace, call.request)
        else:
            answer = await self._asked.slate(workspace, call.request, call.shape)
        return self._of_workspace(workspace, answer.to_json())

    def _of_workspace(self, workspace: Workspace, document: Any) -> Answer:  # noqa: ANN401 - JSON
        if not document["ok"]:
            raise GgrepError(str(document["message"]))
        for each in document["diagnostics"]["errors"]:
            self.tell(f"{each['code']}: {each['message']}")
        roots: dict[str | None, Path] = {}
        for repo in workspace.repos:
            roots[repo.repo_id] = roots[label_of(repo)] = repo.root_canonical
        return Answer(document, roots)

    async def _gathered(self, works: Sequence[Awaitable[Answer]]) -> list[Answer]:
        """Return the answers of all tasks; raise if all fail."""
        outcomes: dict[int, Answer | GgrepError] = {}

        async def gather(at: int, work: Awaitable[Answer]) -> None:
            try:
                outcomes[at] = await work
            except GgrepError as error:
                outcomes[at] = error

        async with anyio.create_task_group() as group:
            for at, work in enumerate(works):
                group.start_soon(gather, at, work)
        ordered = [outcomes[at] for at in range(len(works))]
        answers = [each for each in ordered if isinstance(each, Answer)]
        failures = [each for each in ordered if isinstance(each, GgrepError)]
        if failures and not answers:
            raise failures[0]
        for failure in failures:
            self.tell(str(failure))
        return answers

    def _sources(self, first: Path | None = None) -> tuple[list[Workspace], list[Path]]:
        """Return the workspaces, and the roots of folders outside these workspaces."""
        loaded = [load_workspace(file, resolve_root=canonical_root) for file in self._files]
        # An editor opens files of this machine only.
        workspaces = [replace(each, remotes=()) for each in loaded]
        members = {repo.root_canonical for each in workspaces for repo in each.repos}
        roots = [first] if first else []
        for folder in self.open:
            try:
                roots.append(_root(folder))
            except GgrepError as error:  # this folder cannot be indexed, such as the home directory
                from_thread.run_sync(self.tell, str(error))
        return workspaces, [root for root in dict.fromkeys(roots) if root not in members]

    def _root_of(self, path: Path) -> Path | None:
        real = real_path(path)
        workspaces, roots = self._sources()
        members = [repo.root_canonical for each in workspaces for repo in each.repos]
        if not any(real.is_relative_to(root) for root in (*members, *roots)):
            return None
        # The directory of a file that was never saved may not exist yet.
        return _root(next(filter(os.path.isdir, real.parents)))


def _timed(request: Request[Any]) -> Request[Any]:
    bounds = bounds_of(request)
    return request if bounds.timeout_ms else replace(request, timeout_ms=TIMEOUT_MS)


@lru_cache(256)
def _root(path: Path) -> Path:
    return canonical_root(path)
