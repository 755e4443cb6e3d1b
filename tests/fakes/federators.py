"""A federator that answers from memory, and says what it was asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from msgspec import Struct

from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Json
from ggrep.federation.fanout_session import RepoDone
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_slates import SlateShape
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.operations import operation_of
from ggrep.model.request import Request, SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.protocol.client.daemon_client import IndexingProgress
from tests.fakes.golden_documents import golden


class FakeAnswer(Struct, frozen=True):
    """The answer of a workspace."""

    document: dict[str, Json]
    ok: bool = True
    merge_unsaid: bool = False

    def to_json(self) -> dict[str, Json]:
        return self.document


def answer_of(workspace: Workspace, request: FederatedRequest) -> FakeAnswer:
    document = golden("federated_success")
    (hit, *_), (row, *_) = document["results"], document["repos"]
    ids = [repo.repo_id for repo in workspace.repos]
    document["results"] = [{**hit, "file": "ä.py", "repoId": each} for each in ids]
    document["repos"] = [{**row, "repoId": each} for each in ids]
    document["meta"]["selection"]["only"] = [request.search.query]
    return FakeAnswer(document)


@dataclass(slots=True)
class FakeFederator:
    """Answers at once, fails, or waits.

    Attributes:
        fail: raised by every question; `sync_fails` by a sync.
        gate: every search waits for it; None to wait for nothing.
        asked: every question so far.
        requests: those to a workspace; `shapes` are of the slates among them.
        begun: set when a search has begun; `cancelled` when one was called off.
        callers: for whom it was asked.
        failing: the workspace's answer says that nobody answered.
    """

    fail: Exception | None = None
    sync_fails: Exception | None = None
    gate: anyio.Event | None = None
    failing: bool = False
    asked: list[tuple[str, object]] = field(default_factory=list)
    requests: list[FederatedRequest] = field(default_factory=list)
    shapes: list[SlateShape] = field(default_factory=list)
    forbidden: frozenset[RepoId] = frozenset()
    begun: anyio.Event = field(default_factory=anyio.Event)
    cancelled: anyio.Event = field(default_factory=anyio.Event)
    closed: int = 0
    callers: list[str] = field(default_factory=list)

    async def search(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        arrived: Callable[[RepoDone], None] | None = None,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FakeAnswer:
        """Answer for every repository; report each."""
        self.requests.append(request)
        self.forbidden = forbidden
        await self._enter("search", workspace.workspace_path)
        for done, repo in enumerate(workspace.repos, start=1):
            if arrived is not None:
                total = len(workspace.repos)
                arrived(RepoDone(repo.repo_id, repo.alias, "ok", done, done, total))
        if self.failing:
            error: dict[str, Json] = {"code": "no_index", "message": "none of them"}
            failed = {**golden("federated_error"), **error, "error": {**error, "details": {}}}
            return FakeAnswer(failed, ok=False)
        return answer_of(workspace, request)

    async def slate(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        shape: SlateShape,
        arrived: Callable[[RepoDone], None] | None = None,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FakeAnswer:
        """Answer as a search, with a slate in it."""
        self.shapes.append(shape)
        answer = await self.search(workspace, request, arrived, forbidden=forbidden)
        if not answer.ok:
            return answer
        document = golden("federated_slate")
        document["slate"]["level"] = shape.level
        return FakeAnswer(document)

    async def follow(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: Request[Any],
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FakeAnswer:
        self.requests.append(request)
        self.forbidden = forbidden
        await self._enter(operation_of(asked).name, asked)
        return answer_of(workspace, request)

    async def ask_repo(self, root: Path, request: Request[Any]) -> Mapping[str, Json]:
        """Answer for one repository with the golden document of the operation."""
        operation = operation_of(request)
        await self._enter(f"{operation.name}_repo", (root, request))
        document = golden(operation.schema)
        match request:
            case SearchRequest():
                results = [{**hit, "path": "ü.py"} for hit in document["results"]]
                return {**document, "results": results, "mode": request.mode.value}
            case SlateRequest():
                document["slate"]["level"] = request.level
            case SymbolRequest() | ReferencesRequest():
                document["name"] = request.name
            case ExpandRequest():
                return {**document, "path": request.target, "content": "ß = 1\n"}
        return document

    async def sync_repo(
        self, root: Path, hear: Callable[[IndexingProgress], None], timeout_ms: float
    ) -> None:
        """Tell of two files, one after the other."""
        for done in (1, 2):
            hear(IndexingProgress("index", done, 2))
        await self._enter("sync_repo", (root, timeout_ms))
        if self.sync_fails is not None:
            raise self.sync_fails

    async def status(self, root: Path) -> Mapping[str, Json]:
        await self._enter("status", root)
        return {
            "schema_version": 1,
            "running": False,
            "root": str(root),
            "store_id": "own-000000000000-000000000000",
            "indexed": True,
        }

    async def health(self, root: Path, *, deep: bool = False) -> Mapping[str, Json]:
        await self._enter("health", (root, deep))
        return golden("health")

    def on_behalf_of(self, caller: str) -> "FakeFederator":
        self.callers.append(caller)
        return self

    async def aclose(self) -> None:
        self.closed += 1

    async def _enter(self, name: str, what: object) -> None:
        self.asked.append((name, what))
        self.begun.set()
        if self.gate is not None:
            try:
                await self.gate.wait()
            except anyio.get_cancelled_exc_class():
                self.cancelled.set()
                raise
        if self.fail is not None:
            raise self.fail
