"""A desk that answers from memory, with the real coordinator where there are several to ask."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Json
from ggrep.federation.coordinator import federated_search
from ggrep.federation.federated_names import FederatedReferences, FederatedSymbol
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_requests import Arrived
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.federation.workspace_expand import FederatedExpansion, federated_expand
from ggrep.federation.workspace_names import federated_references, federated_symbol
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.service.opening import Guarded
from ggrep.service.searchers import ReadySearchers
from tests.fakes.named_searchers import NamedSearcher, defined, used
from tests.fakes.searchers import FakeRow, FakeSearcher

_GOLDEN = Path(__file__).parents[1] / "golden" / "__snapshots__"


def golden(folder: str) -> dict[str, Any]:
    """Return a document as it was printed."""
    file = min((_GOLDEN / folder).glob("*.json"))
    return dict(stable_json.loads(file.read_bytes()))


def row(name: str, words: str = "refund money") -> FakeRow:
    """Return a stored chunk whose identity is as long as real ones."""
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
        """Return the merged answer."""
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
        """Return the slate of them."""
        await self._enter((request, shape))
        searchers = Guarded(self._searchers(), forbidden)
        return await federated_slate(
            workspace, request, shape, searchers, SystemClock(), arrived=arrived
        )

    async def symbol(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: SymbolRequest,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedSymbol:
        """Return a definition in every file."""
        await self._enter((request, asked))
        searchers = Guarded(self._named(), forbidden)
        return await federated_symbol(workspace, request, asked, searchers, SystemClock())

    async def references(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: ReferencesRequest,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedReferences:
        """Return a usage in every file."""
        await self._enter((request, asked))
        searchers = Guarded(self._named(), forbidden)
        return await federated_references(workspace, request, asked, searchers, SystemClock())

    async def expand(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: ExpandRequest,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedExpansion:
        """Return the same text of every file."""
        await self._enter((request, asked))
        searchers = Guarded(self._named(), forbidden)
        return await federated_expand(workspace, request, asked, searchers, SystemClock())

    def _named(self) -> ReadySearchers:
        def opened(repo: WorkspaceRepo) -> NamedSearcher:
            name = repo.root_canonical.name
            paths = [held.path for held in self.rows.get(name, ())]
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

    async def search_repo(self, root: Path, request: SearchRequest) -> dict[str, Json]:
        """Return some answer."""
        await self._enter((root, request))
        return golden("test_query_success")

    async def slate_repo(self, root: Path, request: SlateRequest) -> dict[str, Json]:
        """Return some slate."""
        await self._enter((root, request))
        return golden("test_slate_success")

    async def symbol_repo(self, root: Path, request: SymbolRequest) -> dict[str, Json]:
        """Return some definitions."""
        await self._enter((root, request))
        return golden("test_symbol_success")

    async def references_repo(self, root: Path, request: ReferencesRequest) -> dict[str, Json]:
        """Return some usages."""
        await self._enter((root, request))
        return golden("test_references_success")

    async def expand_repo(self, root: Path, request: ExpandRequest) -> dict[str, Json]:
        """Return some surroundings."""
        await self._enter((root, request))
        return golden("test_expand_success")

    async def outline_repo(self, root: Path, request: OutlineRequest) -> dict[str, Json]:
        """Return some outlines."""
        await self._enter((root, request))
        return golden("test_outline_success")

    async def tour_repo(self, root: Path, request: TourRequest) -> dict[str, Json]:
        """Return some tour."""
        await self._enter((root, request))
        return golden("test_tour_success")

    async def status(self, root: Path) -> dict[str, Json]:
        """Return some status."""
        await self._enter(root)
        return {"running": False, "root": str(root), "store_id": root.name}

    async def health(self, root: Path, *, deep: bool = False) -> dict[str, Json]:
        """Return some health."""
        await self._enter((root, deep))
        return {"ok": True, "message": f"{root}: all is well", "deep": deep}

    async def figures(self) -> str:
        """Return some figures."""
        await self._enter("figures")
        return "ggrep_daemons 0.0\n"

    def on_behalf_of(self, caller: str) -> "FakeDesk":
        """Return the same one."""
        self.callers.append(caller)
        return self

    async def aclose(self) -> None:
        """Answer nothing more."""
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
