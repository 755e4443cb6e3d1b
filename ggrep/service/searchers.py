"""The in-process repository searcher: engines in threads, no daemon."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread

from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError
from ggrep.federation.profile_views import described, narrowed_pool, narrowed_slate
from ggrep.federation.searcher import JointSearcher, RepoSearcher, Searchers
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.name_pools import (
    ImportsFound,
    ImportsRequest,
    ReferencesPool,
    ReferencesPoolRequest,
    SymbolPool,
    SymbolPoolRequest,
)
from ggrep.model.navigation import ExpandRequest, ExpandResponse
from ggrep.model.request import EncodedQuery, PoolRequest, SearchRequest
from ggrep.model.response import PoolResponse, RepoDescription
from ggrep.model.sanitise import sanitise_line
from ggrep.model.slate import SlateRequest, SlateResponse
from ggrep.model.statistics import CollectionStatistics
from ggrep.protocol.client.link import Silent
from ggrep.protocol.client.starting import NotStarted
from ggrep.service.places import open_engine

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReadySearchers:
    """Searchers that need no preparation."""

    opener: Callable[[WorkspaceRepo], RepoSearcher]

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Do nothing."""

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return the searcher of a repository."""
        return self.opener(repo)

    def hosts(self, repos: Sequence[WorkspaceRepo]) -> Sequence[JointSearcher]:
        """Return nobody: each is asked by itself."""
        del repos
        return ()


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
        return await self._call(lambda engine: described(engine.describe(deadline), engine.profile))

    async def term_stats(
        self, request: SearchRequest, deadline: Deadline, snapshot_id: str | None = None
    ) -> tuple[str, CollectionStatistics]:
        """Return the active snapshot's id and its statistics for the request's query."""
        return await self._call(lambda engine: engine.term_stats(request, deadline, snapshot_id))

    async def encode(self, text: str, deadline: Deadline) -> EncodedQuery | None:
        """Return a query's vector; None without an encoder."""
        return await self._call(lambda engine: engine.encode(text, deadline))

    async def search(self, request: PoolRequest, deadline: Deadline) -> PoolResponse:
        """Return the ranked lists that a coordinator merges."""
        return await self._call(
            lambda engine: engine.pool(narrowed_pool(request, engine.profile), deadline)
        )

    async def slate(self, request: SlateRequest, deadline: Deadline) -> SlateResponse:
        """Return its slate, with the facts that tell how its files hang together with others'."""
        return await self._call(
            lambda engine: engine.slate(narrowed_slate(request, engine.profile), deadline)
        )

    async def symbol(self, request: SymbolPoolRequest, deadline: Deadline) -> SymbolPool:
        """Return a name's definitions by one rule."""
        return await self._call(lambda engine: engine.symbol_pool(request, deadline))

    async def references(
        self, request: ReferencesPoolRequest, deadline: Deadline
    ) -> ReferencesPool:
        """Return a name's occurrences by one rule."""
        return await self._call(lambda engine: engine.references_pool(request, deadline))

    async def imports(self, request: ImportsRequest, deadline: Deadline) -> ImportsFound:
        """Return which imports of files elsewhere mean something of this repository."""
        return await self._call(lambda engine: engine.imports_found(request, deadline))

    async def expand(self, request: ExpandRequest, deadline: Deadline) -> ExpandResponse:
        """Return the code around a place."""
        return await self._call(lambda engine: engine.expand(request, deadline))

    async def _call(self, work: Callable[["Engine"], T]) -> T:
        def run() -> T:
            if self._engine is None:
                self._engine = self._open()
            return work(self._engine)

        return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)


def engine_searchers(environ: Mapping[str, str], flags: Mapping[str, object]) -> ReadySearchers:
    """Return what opens an engine for each repository, when it is first asked."""

    def open_searcher(repo: WorkspaceRepo) -> EngineSearcher:
        return EngineSearcher(lambda: open_engine(repo.root_canonical, environ, flags=flags))

    return ReadySearchers(open_searcher)


class OwnReading:
    """Daemons, and this process in the place of those that cannot be had."""

    def __init__(self, daemons: Searchers, here: Searchers, told: Callable[[str], None]) -> None:
        """Put `here` behind `daemons`; say by `told` why one is done without, each reason once."""
        self._daemons = daemons
        self._here = here
        self._told = told
        self._said: set[str] = set()

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Start the daemons that are missing."""
        await self._daemons.prepare(repos, deadline)

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return the daemon, or what stands in for it."""

        def instead(error: GgrepError) -> RepoSearcher:
            # One process may carry the daemons of all of them.
            if str(error) not in self._said:
                self._said.add(str(error))
                self._told(f"{sanitise_line(str(error))}; reading without it")
            return self._here.open(repo)

        return _Either(self._daemons.open(repo), instead)

    def hosts(self, repos: Sequence[WorkspaceRepo]) -> Sequence[JointSearcher]:
        """Return the hosts of the daemons."""
        return self._daemons.hosts(repos)


class _Either:
    """A daemon, until it turns out that there is none."""

    def __init__(self, daemon: RepoSearcher, instead: Callable[[GgrepError], RepoSearcher]) -> None:
        self._asked = daemon
        self._instead: Callable[[GgrepError], RepoSearcher] | None = instead

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return what must be known before it is asked."""
        return await self._try(lambda searcher: searcher.describe(deadline))

    async def term_stats(
        self, request: SearchRequest, deadline: Deadline, snapshot_id: str | None = None
    ) -> tuple[str, CollectionStatistics]:
        """Return the active snapshot's id and its figures for the query."""
        return await self._try(lambda searcher: searcher.term_stats(request, deadline, snapshot_id))

    async def encode(self, text: str, deadline: Deadline) -> EncodedQuery | None:
        """Return a query's vector; None without an encoder."""
        return await self._try(lambda searcher: searcher.encode(text, deadline))

    async def search(self, request: PoolRequest, deadline: Deadline) -> PoolResponse:
        """Return its ranked lists."""
        return await self._try(lambda searcher: searcher.search(request, deadline))

    async def slate(self, request: SlateRequest, deadline: Deadline) -> SlateResponse:
        """Return its slate, with the facts that tell how its files hang together with others'."""
        return await self._try(lambda searcher: searcher.slate(request, deadline))

    async def symbol(self, request: SymbolPoolRequest, deadline: Deadline) -> SymbolPool:
        """Return a name's definitions by one rule."""
        return await self._try(lambda searcher: searcher.symbol(request, deadline))

    async def references(
        self, request: ReferencesPoolRequest, deadline: Deadline
    ) -> ReferencesPool:
        """Return a name's occurrences by one rule."""
        return await self._try(lambda searcher: searcher.references(request, deadline))

    async def imports(self, request: ImportsRequest, deadline: Deadline) -> ImportsFound:
        """Return which imports of files elsewhere mean something of this repository."""
        return await self._try(lambda searcher: searcher.imports(request, deadline))

    async def expand(self, request: ExpandRequest, deadline: Deadline) -> ExpandResponse:
        """Return the code around a place."""
        return await self._try(lambda searcher: searcher.expand(request, deadline))

    async def _try(self, work: Callable[[RepoSearcher], Awaitable[T]]) -> T:
        try:
            return await work(self._asked)
        except (NotStarted, Silent) as error:
            if self._instead is None:
                raise
            self._asked, self._instead = self._instead(error), None
        return await work(self._asked)
