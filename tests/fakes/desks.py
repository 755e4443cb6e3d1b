"""A desk that answers from memory, with the real coordinator where there are several to ask."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from ggrep.base.clock import SystemClock
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Json
from ggrep.federation.coordinator import federated_search
from ggrep.federation.fanout_session import Arrived
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.model.operations import loaded, operation_of
from ggrep.model.request import Request
from ggrep.service.searchers import ReadySearchers
from ggrep.service.workspace_access import Guarded
from tests.fakes.golden_documents import golden
from tests.fakes.named_searchers import NamedSearcher, defined, used
from tests.fakes.searchers import FakeRow, FakeSearcher


def row(name: str, words: str = "refund money") -> FakeRow:
    return FakeRow(sha256(name.encode()).hexdigest(), f"src/{name}.py", 1, tuple(words.split()))


@dataclass(slots=True)
class FakeDesk:
    """Repositories in memory, by the name of their directory.

    Attributes:
        pause: awaited by every repository that is asked.
        fail: raised by whatever is asked next, once.
        asked: every question so far.
        cancelled: how many were given up.
        closed: whether nobody may ask any more.
        callers: for whom it was asked.
    """

    rows: Mapping[str, tuple[FakeRow, ...]] = field(default_factory=dict)
    pause: Callable[[str], Awaitable[object]] | None = None
    fail: list[Exception] = field(default_factory=list)
    asked: list[object] = field(default_factory=list)
    cancelled: int = 0
    closed: bool = False
    callers: list[str] = field(default_factory=list)

    async def search(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        arrived: Arrived | None = None,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedResponse:
        await self._enter(request)
        searchers = Guarded(self._searchers(), forbidden)
        return await federated_search(workspace, request, searchers, SystemClock(), arrived=arrived)

    async def slate(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        shape: SlateShape,
        arrived: Arrived | None = None,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedSlate:
        await self._enter((request, shape))
        searchers = Guarded(self._searchers(), forbidden)
        return await federated_slate(
            workspace, request, shape, searchers, SystemClock(), arrived=arrived
        )

    async def follow(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: Request[Any],
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> Any:
        """Return a definition, a usage or the same text in every file."""
        await self._enter((request, asked))
        answer = loaded(operation_of(asked).workspace)
        searchers = Guarded(self._named(), forbidden)
        return await answer(workspace, request, asked, searchers, SystemClock())

    def _named(self) -> ReadySearchers:
        def opened(repo: WorkspaceRepo) -> NamedSearcher:
            name = repo.root_canonical.name
            paths = [kept.path for kept in self.rows.get(name, ())]
            return NamedSearcher(
                name,
                snapshot_id="0" * 26 if paths else None,
                defines={"spelled": [defined(path) for path in paths]},
                uses={"spelled": [used(path) for path in paths]},
                places=frozenset(paths),
            )

        return ReadySearchers(opened)

    def _searchers(self) -> ReadySearchers:
        def opened(repo: WorkspaceRepo) -> FakeSearcher:
            name = repo.root_canonical.name
            snapshot = "0" * 26 if name in self.rows else None
            return FakeSearcher(name, self.rows.get(name, ()), snapshot)

        return ReadySearchers(opened)

    async def ask_repo(self, root: Path, request: Request[Any]) -> dict[str, Json]:
        """Return some answer of the operation."""
        await self._enter((root, request))
        return golden(operation_of(request).schema)

    async def status(self, root: Path) -> dict[str, Json]:
        await self._enter(root)
        return {"running": False, "root": str(root), "store_id": root.name}

    async def health(self, root: Path, *, deep: bool = False) -> dict[str, Json]:
        await self._enter((root, deep))
        return {"ok": True, "message": f"{root}: all is well", "deep": deep}

    async def figures(self, shows: Callable[[Path], bool]) -> str:
        await self._enter(("figures", shows))
        return "ggrep_daemons 0.0\n"

    def on_behalf_of(self, caller: str) -> "FakeDesk":
        self.callers.append(caller)
        return self

    async def aclose(self) -> None:
        self.closed = True

    async def _enter(self, asked: object) -> None:
        self.asked.append(asked)
        if self.pause is not None:
            try:
                await self.pause("")
            except BaseException:
                self.cancelled += 1
                raise
        if self.fail:
            raise self.fail.pop(0)
