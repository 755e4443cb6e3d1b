"""Searchers that use engines in this process instead of daemons."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import anyio.to_thread
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Json
from ggrep.federation.daemon_searcher import DaemonSearchers, described, narrowed
from ggrep.federation.searcher import JointSearcher, RepoSearcher, Searchers
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.batched_query import BatchedPoolResponse, BatchedQuery
from ggrep.model.request import Request
from ggrep.model.response import RepoDescription
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.client.channel import before
from ggrep.protocol.client.link import NoReply
from ggrep.protocol.client.starting import NotStarted
from ggrep.protocol.wire.messages import QueryMessage
from ggrep.service.calls import document_here
from ggrep.service.location import open_engine

if TYPE_CHECKING:
    from ggrep.index.store.view import SnapshotView
    from ggrep.search.engine.engine import Engine

R = TypeVar("R")
T = TypeVar("T")

_MANY: Final = 32
"""With at least this many repositories, queries do not wait for the start of daemons."""


class ReadySearchers(Struct, frozen=True):
    """Searchers that need no preparation."""

    opener: Callable[[WorkspaceRepo], RepoSearcher]

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Do nothing."""

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return the searcher of a repository."""
        return self.opener(repo)

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        """Return None: repositories are queried separately."""
        del repos
        return None


class EngineSearcher:
    """A searcher that opens an engine in a worker thread on first use.

    Calls do not overlap, so the engine needs no lock. A thread cannot be killed; work stops when
    the engine checks its deadline.
    """

    def __init__(self, open_engine: Callable[[], "Engine"]) -> None:
        self._open = open_engine
        self._engine: Engine | None = None

    def engine(self) -> "Engine":
        """Return the engine, opened on first use. Not thread-safe."""
        if self._engine is None:
            self._engine = self._open()
        return self._engine

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the description that a coordinator needs before it sends queries."""
        return await self._call(lambda engine: described(engine.describe(deadline), engine.profile))

    async def ask(self, request: Request[R], deadline: Deadline) -> R:
        """Return the answer to a request."""
        return await self._call(
            lambda engine: engine.ask(narrowed(request, engine.profile), deadline)
        )

    async def _call(self, work: Callable[["Engine"], T]) -> T:
        return await anyio.to_thread.run_sync(lambda: work(self.engine()), abandon_on_cancel=True)


class EngineSearchers:
    """Opens an engine in this process for each repository, on its first query."""

    def __init__(self, opener: Callable[[WorkspaceRepo], "Engine"]) -> None:
        self._opener = opener
        self._opened: dict[RepoId, EngineSearcher] = {}

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Do nothing."""

    def open(self, repo: WorkspaceRepo) -> EngineSearcher:
        """Return the searcher of a repository, always the same object."""
        return self._opened.setdefault(repo.repo_id, EngineSearcher(lambda: self._opener(repo)))

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        """Return a searcher of all repositories together; None for a single repository."""
        if len(repos) < 2:
            return None
        ordered = sorted(repos, key=lambda repo: repo.repo_id)
        return JointEngines({repo.repo_id: self.open(repo) for repo in ordered})


class JointEngines:
    """Engines of this process, searched as one collection in a worker thread."""

    def __init__(self, searchers: Mapping[RepoId, EngineSearcher]) -> None:
        self._searchers = searchers
        self._views: dict[RepoId, SnapshotView] = {}

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        """Return the descriptions of repositories with a readable snapshot."""

        def run() -> dict[RepoId, RepoDescription]:
            descriptions = {}
            for repo, searcher in self._searchers.items():
                deadline.check("describing")
                with suppress(GgrepError):  # a separate query reports the error
                    engine = searcher.engine()
                    self._views[repo], description = engine.describe_current(deadline)
                    descriptions[repo] = described(description, engine.profile)
            return descriptions

        with before(deadline, "the indexes could not be opened in time"):
            return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return each repository's lists of first hits."""

        def run() -> BatchedPoolResponse:
            from ggrep.index.packs.opened_packs import OpenedPacks
            from ggrep.search.engine.rank_pools import batched_pools
            from ggrep.search.query.joint_view import join

            engine = self._searchers[repos[0]].engine()
            views = [self._views[repo] for repo in repos]
            try:
                packs = () if question.by_rank else OpenedPacks(engine.home).packs()
                return batched_pools(
                    views,
                    None if question.by_rank else join(views, packs),
                    question,
                    encoder=engine.encoder,
                    settings=engine.settings,
                    deadline=deadline,
                )
            except SnapshotGone:
                for repo, view in zip(repos, views, strict=True):
                    if not view.lies_still():
                        self._searchers[repo].engine().look_again()
                raise

        with before(deadline, "the indexes could not be searched in time"):
            return await anyio.to_thread.run_sync(run, abandon_on_cancel=True)


def engine_searchers(environ: Mapping[str, str], flags: Mapping[str, object]) -> EngineSearchers:
    """Return searchers that open an engine for each repository, on its first query."""
    return EngineSearchers(lambda repo: open_engine(repo.root_canonical, environ, flags=flags))


class IndexFallback:
    """Reads indexes of repositories in this process if a daemon is not available."""

    def __init__(
        self,
        environ: Mapping[str, str],
        flags: Mapping[str, object],
        notify: Callable[[str], None],
    ) -> None:
        """Create the fallback; `notify` gets each reason why a daemon is not used, once."""
        self._open = partial(open_engine, environ=environ, flags=flags)
        self._here = engine_searchers(environ, flags)
        self._notify = notify

    def searchers(self, daemons: Searchers) -> Searchers:
        """Return searchers that query daemons, or read the index if a daemon is missing."""
        return FallbackSearchers(daemons, self._here, self._notify)

    def document(
        self, root: Path, message: QueryMessage, deadline: Deadline, why: str
    ) -> dict[str, Json]:
        """Return the answer from a repository's index; errors as `read_here`."""
        self._notify(f"{sanitise_line(why)}; reading the index without a daemon")
        engine = self._open(root)
        try:
            return document_here(engine, message, deadline)
        finally:
            engine.close()


class FallbackSearchers:
    """Searchers that use daemons, or engines in this process for missing daemons."""

    def __init__(self, daemons: Searchers, here: Searchers, notify: Callable[[str], None]) -> None:
        """Use searchers of `here` if a daemon is missing; `notify` gets each reason once."""
        self._daemons = daemons
        self._here = here
        self._notify = notify
        self._reported: set[str] = set()

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Start missing daemons; with many repositories, do not wait for the daemons.

        Starting many daemons takes longer than reading all their indexes in this process.
        """
        if isinstance(self._daemons, DaemonSearchers):
            await self._daemons.prepare(repos, deadline, waits=len(repos) < _MANY)
        else:
            await self._daemons.prepare(repos, deadline)

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return a searcher that queries the repository's daemon, or reads the index without it."""

        def instead(error: GgrepError) -> RepoSearcher:
            # All repositories can have the same error, because a process can host many daemons.
            if str(error) not in self._reported:
                self._reported.add(str(error))
                self._notify(f"{sanitise_line(str(error))}; reading the index without a daemon")
            return self._here.open(repo)

        return _FallbackSearcher(self._daemons.open(repo), instead)

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        """Return the joint searcher of the process that hosts the daemons.

        If there is none, return a joint searcher of this process for many repositories, and None
        for few.
        """
        joint = self._daemons.joint(repos)
        return joint if joint or len(repos) < _MANY else self._here.joint(repos)


class _FallbackSearcher:
    """Queries a daemon, or the searcher from `instead` if the daemon is not available."""

    def __init__(self, daemon: RepoSearcher, instead: Callable[[GgrepError], RepoSearcher]) -> None:
        self._asked = daemon
        self._instead: Callable[[GgrepError], RepoSearcher] | None = instead

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the description that a coordinator needs before it sends queries."""
        return await self._try(lambda searcher: searcher.describe(deadline))

    async def ask(self, request: Request[R], deadline: Deadline) -> R:
        """Return the answer to a request."""
        return await self._try(lambda searcher: searcher.ask(request, deadline))

    async def _try(self, work: Callable[[RepoSearcher], Awaitable[T]]) -> T:
        try:
            return await work(self._asked)
        except (NotStarted, NoReply) as error:
            if self._instead is None:
                raise
            self._asked, self._instead = self._instead(error), None
        return await work(self._asked)
