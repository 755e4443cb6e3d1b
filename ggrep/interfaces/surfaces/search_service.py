"""Answers incoming queries: the part of the federator that HTTP and MCP need."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ggrep.base.clock import Clock, Deadline, SystemClock
from ggrep.base.errors import DeadlineExceeded, GgrepError, InvalidRequest
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Document
from ggrep.federation.fanout_session import Arrived
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape
from ggrep.model.request import Request
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
        """Return the answer of a workspace; forbidden repositories fail in it."""
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
        """Return the slate of a workspace; forbidden repositories fail in it."""
        ...

    async def follow(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: Request[Any],
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> Any:  # noqa: ANN401 - the workspace's answer of that operation
        """Return where a name or a place of a workspace leads; forbidden repositories fail."""
        ...

    async def ask_repo(self, root: Path, request: Request[Any]) -> Document:
        """Return the answer of one repository."""
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
        """Return the service for one of several callers, who are served in turn."""
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...


Q = TypeVar("Q")
A = TypeVar("A")


async def in_turn(
    questions: Sequence[Q],
    ask: Callable[[Q, int], Awaitable[A]],
    timeout_ms: int,
    clock: Clock | None = None,
) -> list[A | GgrepError]:
    """Return the answers in the order of the questions, or why one has none.

    A question that means nothing, or that no time is left for, fails alone.

    Args:
        questions: each is asked once.
        ask: answers one within so many milliseconds.
        timeout_ms: for all of them together.
        clock: measures it; None for this host's.
    """
    deadline = Deadline.after(clock or SystemClock(), timeout_ms)
    found: list[A | GgrepError] = []
    for question in questions:
        try:
            found.append(await ask(question, int(deadline.next_ms())))
        except (InvalidRequest, DeadlineExceeded) as error:
            found.append(error)
    return found
