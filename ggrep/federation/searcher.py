"""The interface to one repository, and the federation's only access to an index."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from ggrep.base.clock import Deadline
from ggrep.base.ids import RepoId
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.batched_query import BatchedPoolResponse, BatchedQuery
from ggrep.model.request import Request
from ggrep.model.response import RepoDescription

R = TypeVar("R")


class RepoSearcher(Protocol):
    """One repository, as a coordinator queries it.

    Every method raises `GgrepError` for what can go wrong: `NoIndex` when nothing was published,
    `SnapshotGone` when statistics were prepared for another snapshot than the active one. When
    the call is cancelled the repository is told to stop.
    """

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the facts that a coordinator needs before it queries."""
        ...

    async def ask(self, request: Request[R], deadline: Deadline) -> R:
        """Return the answer to a request.

        Ranked lists and slates are narrowed to the repository's profile. `InvalidRequest` where it
        does not have the place that is asked for.
        """
        ...


class JointSearcher(Protocol):
    """Several repositories that one process reads, searched as one collection."""

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        """Return the facts of repositories that can be searched together; fixes their snapshots.

        Raises:
            GgrepError: none can.
        """
        ...

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return the beginnings of the lists of some of them, as they were described last.

        Raises:
            SnapshotGone: a snapshot has changed or is gone.
            GgrepError: they cannot be searched together.
        """
        ...


class Searchers(Protocol):
    """Gives access to every repository of a workspace."""

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Prepare repositories to be asked; one that cannot be prepared fails when it is asked."""
        ...

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return the searcher of a repository."""
        ...

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        """Return the searcher of many of them together; None if no process reads several."""
        ...
