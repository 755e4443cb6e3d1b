"""Answers incoming queries: the part of the federator that HTTP and MCP need."""

from pathlib import Path
from typing import Protocol

from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Document
from ggrep.federation.federated_names import FederatedReferences, FederatedSymbol
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.repo_requests import Arrived
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_expand import FederatedExpansion
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SlateRequest
from ggrep.service.syncing import Hear


class SearchService(Protocol):
    """Puts questions to daemons; see `ggrep.service.federator`."""

    async def search(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        arrived: Arrived | None = None,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedResponse:
        """Return the answer of a workspace; those who are forbidden fail in it."""
        ...

    async def slate(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        shape: SlateShape,
        arrived: Arrived | None = None,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedSlate:
        """Return the slate of a workspace; those who are forbidden fail in it."""
        ...

    async def symbol(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: SymbolRequest,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedSymbol:
        """Return where a workspace defines a name; those who are forbidden fail in it."""
        ...

    async def references(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: ReferencesRequest,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedReferences:
        """Return where a workspace uses a name; those who are forbidden fail in it."""
        ...

    async def expand(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: ExpandRequest,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedExpansion:
        """Show the code around a place of a workspace."""
        ...

    async def search_repo(self, root: Path, request: SearchRequest) -> Document:
        """Return the answer of one repository."""
        ...

    async def slate_repo(self, root: Path, request: SlateRequest) -> Document:
        """Return a question's slate of one repository."""
        ...

    async def symbol_repo(self, root: Path, request: SymbolRequest) -> Document:
        """Return where a name is defined in one repository."""
        ...

    async def references_repo(self, root: Path, request: ReferencesRequest) -> Document:
        """Return where a name is used in one repository."""
        ...

    async def expand_repo(self, root: Path, request: ExpandRequest) -> Document:
        """Return what stands around a place of one repository."""
        ...

    async def outline_repo(self, root: Path, request: OutlineRequest) -> Document:
        """Return what files and folders of one repository define."""
        ...

    async def tour_repo(self, root: Path, request: TourRequest) -> Document:
        """Return what one repository is."""
        ...

    async def sync_repo(self, root: Path, hear: Hear, timeout_ms: float) -> None:
        """Bring one repository's index up to its work tree."""
        ...

    async def status(self, root: Path) -> Document:
        """Return what is indexed of one repository."""
        ...

    async def health(self, root: Path, *, deep: bool = False) -> Document:
        """Return whether one repository's store is sound."""
        ...

    async def figures(self) -> str:
        """Return the figures of all daemons of the home, in Prometheus' text format."""
        ...

    def on_behalf_of(self, caller: str) -> "SearchService":
        """Return one that asks for one of several callers, each of which has its turn."""
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...
