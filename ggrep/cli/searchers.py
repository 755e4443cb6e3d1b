"""The repository searcher a coordinator is handed while no daemons serve: engines in threads."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread

from ggrep.domain.deadline import Deadline
from ggrep.domain.request import PoolRequest, SearchRequest
from ggrep.domain.response import PoolResponse, RepoDescription
from ggrep.domain.statistics import CollectionStatistics

if TYPE_CHECKING:
    from ggrep.engine.engine import Engine

T = TypeVar("T")


class EngineSearcher:
    """One engine behind the searcher protocol; opened in a worker thread on first use.

    Its calls come one after another, so the engine needs no lock. A thread cannot be killed:
    work stops at the engine's own deadline checks.
    """

    def __init__(self, open_engine: Callable[[], "Engine"]) -> None:
        self._open = open_engine
        self._engine: Engine | None = None

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return what a coordinator must know before it asks."""
        return await self._call(lambda engine: engine.describe(deadline))

    async def term_stats(
        self, request: SearchRequest, deadline: Deadline
    ) -> tuple[str, CollectionStatistics]:
        """Return the active snapshot's id and its statistics for the request's query."""
        return await self._call(lambda engine: engine.term_stats(request, deadline))

    async def search(self, request: PoolRequest, deadline: Deadline) -> PoolResponse:
        """Return the ranked lists that a coordinator merges."""
        return await self._call(lambda engine: engine.pool(request, deadline))

    async def _call(self, work: Callable[["Engine"], T]) -> T:
        def run() -> T:
            if self._engine is None:
                self._engine = self._open()
            return work(self._engine)

        return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
