"""Has a workspace's question answered in a daemon's process, by the daemons that run.

None is started, and no index is read here: where a daemon is missing, or somebody would have to be
told of a wait, the client does it all by itself.
"""

from collections.abc import Awaitable, Callable
from functools import lru_cache
from typing import Final, TypeVar

import anyio

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Stop
from ggrep.base.errors import Cancelled, GgrepError
from ggrep.config.home import Home
from ggrep.federation.searcher import RepoSearcher
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.interfaces.cli.queries.asked import Spot
from ggrep.protocol.client.starting import NotStarted
from ggrep.service.federator import Federator, Learnt, learnt_of
from ggrep.service.searchers import OwnReading, ReadySearchers

T = TypeVar("T")

_LOOK_S: Final = 0.05
_MOST_LEARNT: Final = 8
"""Clients of which it is kept where daemons are met."""


def coordinated(ask: Callable[[Federator], Awaitable[T]], spot: Spot, stop: Stop, client: str) -> T:
    """Return an answer of daemons that run.

    Args:
        ask: has them answer.
        spot: whose variables and home count.
        stop: ends it early.
        client: who asks, as daemons tell their clients apart.

    Raises:
        NotStarted: a daemon is missing, or somebody would have to be told something.
        Cancelled: it was ended.
        GgrepError: as the answer does.

    Requires: this thread runs no event loop.
    """
    told: list[str] = []

    environ = {**spot.environ, "GGREP_OFFLINE": "1"}  # none is started

    async def answer() -> T:
        federator = Federator(
            spot.home,
            environ,
            SystemClock(),
            learnt=_learnt(spot.home, tuple(sorted(environ.items())), client),
            client_name=client,
            told=told.append,
            through=lambda daemons: OwnReading(daemons, ReadySearchers(_refused), told.append),
            descriptors=False,
        )
        try:
            return await ask(federator)
        finally:
            with anyio.CancelScope(shield=True):
                await federator.aclose()

    found: list[T] = []
    failed: list[GgrepError] = []

    async def run() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(_watch, stop, group.cancel_scope)
            try:
                found.append(await answer())
            except GgrepError as error:
                failed.append(error)  # a group would wrap it
            group.cancel_scope.cancel()

    anyio.run(run)
    for error in failed:
        raise error
    if told:
        raise NotStarted(told[0])
    if not found:
        raise Cancelled(stop.reason or "cancelled")
    return found[0]


async def _watch(stop: Stop, scope: anyio.CancelScope) -> None:
    while stop.reason is None:  # noqa: ASYNC110 - other threads set it
        await anyio.sleep(_LOOK_S)
    scope.cancel()


@lru_cache(maxsize=_MOST_LEARNT)
def _learnt(home: Home, environ: tuple[tuple[str, str], ...], client: str) -> Learnt:
    return learnt_of(home, dict(environ), {}, client)


def _refused(repo: WorkspaceRepo) -> RepoSearcher:
    raise NotStarted(f"{repo.alias or repo.repo_id}: no daemon")
