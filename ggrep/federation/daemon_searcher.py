"""Repositories that their daemons answer for."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from ggrep.client.channels import Channels
from ggrep.client.link import Unreachable
from ggrep.client.meeting import Meeting
from ggrep.domain.deadline import Deadline
from ggrep.domain.ids import RepoId
from ggrep.domain.request import EncodedQuery, PoolRequest, SearchRequest
from ggrep.domain.response import PoolResponse, RepoDescription
from ggrep.domain.statistics import CollectionStatistics
from ggrep.errors import InvalidRequest
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.wire.codec import from_json
from ggrep.wire.message_types import Describe, Encode, Message, Pool, TermStats
from ggrep.wire.messages import MAX_TIMEOUT_MS
from ggrep.wire.replies import Reply

T = TypeVar("T")

_MEETINGS: Final = 16
"""Repositories whose settings are read at once."""


class DaemonSearcher:
    """One repository, answered for by its daemon."""

    def __init__(
        self, channels: Channels, meet: Callable[[], Meeting], meeting: Meeting | None = None
    ) -> None:
        """Ask nothing yet.

        Args:
            channels: where daemons are asked.
            meet: reads the repository's settings; returns where its daemon is met.
            meeting: what that came to already; None to do it when something is asked.
        """
        self._channels = channels
        self._meet = meet
        self._meeting = meeting

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return what must be known before it is asked."""
        reply = await self._ask(lambda left_ms: Describe(_whole(left_ms)), deadline)
        return _value(RepoDescription, reply, "description")

    async def term_stats(
        self, request: SearchRequest, deadline: Deadline
    ) -> tuple[str, CollectionStatistics]:
        """Return the active snapshot's id and its figures for the query."""
        reply = await self._ask(lambda left_ms: TermStats(_within(request, left_ms)), deadline)
        return _value(str, reply, "snapshot_id"), _value(CollectionStatistics, reply, "statistics")

    async def encode(self, text: str, deadline: Deadline) -> EncodedQuery | None:
        """Return a query's vector; None without an encoder."""
        reply = await self._ask(lambda left_ms: Encode(text, _whole(left_ms)), deadline)
        if reply.body.get("vector") is None:
            return None
        return _value(EncodedQuery, reply, "vector")

    async def search(self, request: PoolRequest, deadline: Deadline) -> PoolResponse:
        """Return its ranked lists."""

        def said(left_ms: float) -> Message:
            return Pool(replace(request, search=_within(request.search, left_ms)))

        return _value(PoolResponse, await self._ask(said, deadline), "pool")

    async def _ask(self, said: Callable[[float], Message], deadline: Deadline) -> Reply:
        if self._meeting is None:
            self._meeting = await to_thread.run_sync(self._meet, abandon_on_cancel=True)
        return await self._channels.ask_within(self._meeting, said, deadline)


@dataclass(slots=True)
class DaemonSearchers:
    """The door to repositories through their daemons.

    Attributes:
        meet: reads a repository's settings, which may take the time of some files; returns where
            its daemon is met. What it raises is that repository's failure when it is asked.
    """

    channels: Channels
    meet: Callable[[WorkspaceRepo], Meeting]

    _met: dict[RepoId, Meeting] = field(default_factory=dict)

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Find out where daemons are met, and have those run that are missing.

        What cannot be had fails when it is asked, and settings are read anew each time.
        """
        self._met = {}
        met = self._met
        async with anyio.create_task_group() as group:
            looks = CapacityLimiter(_MEETINGS)
            for repo in repos:
                group.start_soon(self._note, repo, met, looks)
        await self.channels.prepare(list(met.values()), deadline)

    def open(self, repo: WorkspaceRepo) -> DaemonSearcher:
        """Return who answers for a repository."""
        return DaemonSearcher(self.channels, partial(self.meet, repo), self._met.get(repo.repo_id))

    async def _note(
        self, repo: WorkspaceRepo, met: dict[RepoId, Meeting], looks: CapacityLimiter
    ) -> None:
        with suppress(Exception):  # it is met again when it is asked, and fails there
            met[repo.repo_id] = await to_thread.run_sync(
                self.meet, repo, abandon_on_cancel=True, limiter=looks
            )


def _within(request: SearchRequest, left_ms: float) -> SearchRequest:
    return replace(request, timeout_ms=_whole(left_ms))


def _whole(left_ms: float) -> int:
    """Return how long a daemon may take: 0 would be as long as it likes."""
    return max(1, int(min(left_ms, MAX_TIMEOUT_MS)))


def _value(kind: type[T], reply: Reply, key: str) -> T:
    """Return a field of a reply as a value of the domain.

    Raises:
        Unreachable: it is none.
    """
    try:
        return from_json(kind, reply.body.get(key), key)
    except InvalidRequest as error:
        raise Unreachable(f"the daemon does not make sense: {error}") from error
