"""The interface to a repository, through which the federation accesses all indexes."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.ids import RepoId
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.batched_query import BatchedPoolResponse, BatchedQuery
from ggrep.model.operations import operation_of
from ggrep.model.request import Request
from ggrep.model.response import RepoDescription
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.wire.messages import Ask, Describe, Fetch, Message, whole_ms, within
from ggrep.protocol.wire.replies import Reply

R = TypeVar("R")
T = TypeVar("T")


class RepoSearcher(Protocol):
    """A repository that a coordinator can query.

    Every method raises a `GgrepError` on failure: `NoIndex` if no snapshot is published,
    `SnapshotGone` if the requested snapshot is no longer active. Cancelling a call also cancels the
    daemon's work.
    """

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the description that a coordinator needs before it sends queries."""
        ...

    async def ask(self, request: Request[R], deadline: Deadline) -> R:
        """Return the answer to a request.

        Ranked lists and slates are restricted to the repository's profile. `InvalidRequest` is
        raised if the repository does not contain the requested location.
        """
        ...


class MessageSearcher(Struct, frozen=True):
    """Searches a repository on another machine through messages."""

    @abstractmethod
    async def value(
        self,
        message_of: Callable[[float], Message],
        read: Callable[[Reply], T],
        deadline: Deadline,
    ) -> T:
        """Send the message from `message_of`; return the value that `read` returns for the reply.

        `message_of` gets the remaining time in ms.
        """

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the description that a coordinator needs before it sends queries."""
        return await self.value(
            lambda left_ms: Describe(whole_ms(left_ms)),
            lambda reply: value_of(RepoDescription, reply, "description"),
            deadline,
        )

    async def ask(self, request: Request[R], deadline: Deadline) -> R:
        """Return the answer to a request."""
        operation = operation_of(request)
        message: Ask[Any] | Fetch[Any]
        message = Ask(request, values=True) if operation.is_public else Fetch(request)
        return await self.value(
            partial(within, message),
            lambda reply: value_of(operation.response, reply, operation.reply_key),
            deadline,
        )


class JointSearcher(Protocol):
    """Searches several repositories as one collection."""

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        """Choose the snapshots for later searches of this collection; return their descriptions.

        Raises:
            GgrepError: no repositories can be searched together.
        """
        ...

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return the first hits of each repository's lists, from the last described snapshots.

        Raises:
            SnapshotGone: a snapshot was replaced or deleted.
            GgrepError: the repositories cannot be searched together.
        """
        ...


class Searchers(Protocol):
    """Opens searchers for the repositories of a workspace."""

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Prepare repositories for queries; errors are raised by the later queries."""
        ...

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return the searcher of a repository."""
        ...

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        """Return a searcher of several repositories as a collection; None if no host reads them."""
        ...
