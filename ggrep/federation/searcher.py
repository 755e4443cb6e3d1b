"""Who answers for one repository: the only door through which the federation reaches an index."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from ggrep.domain.deadline import Deadline
from ggrep.domain.request import PoolRequest, SearchRequest
from ggrep.domain.response import PoolResponse, RepoDescription
from ggrep.domain.statistics import CollectionStatistics
from ggrep.federation.workspace import WorkspaceRepo


class RepoSearcher(Protocol):
    """One repository, asked by a coordinator.

    Every method raises `GgrepError` for what can go wrong: `NoIndex` when nothing was published,
    `SnapshotGone` when statistics were prepared for another snapshot than the active one. When
    the call is cancelled the repository is told to stop.
    """

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return what must be known before it is asked."""
        ...

    async def term_stats(
        self, request: SearchRequest, deadline: Deadline
    ) -> tuple[str, CollectionStatistics]:
        """Return the active snapshot's id and its figures for the query."""
        ...

    async def search(self, request: PoolRequest, deadline: Deadline) -> PoolResponse:
        """Return its ranked lists."""
        ...


SearcherFactory: TypeAlias = Callable[[WorkspaceRepo], RepoSearcher]
