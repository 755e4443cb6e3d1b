"""Searches repositories through their daemons."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import anyio
from anyio import CapacityLimiter, to_thread

from ggrep.base.deadline import Deadline
from ggrep.base.ids import RepoId
from ggrep.config.profiles import Profile
from ggrep.federation.profile_views import described, narrowed_pool, narrowed_slate
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.joint_pools import JointPoolRequest, JointPoolResponse
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
from ggrep.model.slate import SlateRequest, SlateResponse
from ggrep.model.statistics import CollectionStatistics
from ggrep.protocol.client.channels import Channels
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.reply_values import value_of
from ggrep.protocol.wire import message_types as wire
from ggrep.protocol.wire.message_types import Describe, Encode, Message, Pool, Slate, TermStats
from ggrep.protocol.wire.replies import Reply
from ggrep.protocol.wire.timing import timed, whole_ms, within

_MEETINGS: Final = 16
"""Repositories whose settings are read at once."""


class DaemonSearcher:
    """One repository, searched through its daemon."""

    def __init__(
        self,
        channels: Channels,
        meet: Callable[[], DaemonAddress],
        address: DaemonAddress | None = None,
    ) -> None:
        """Ask nothing yet.

        Args:
            channels: where daemons are asked.
            meet: reads the repository's settings; returns where its daemon is met.
            address: what that came to already; None to do it when something is asked.
        """
        self._channels = channels
        self._meet = meet
        self._address = address

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the facts that a coordinator needs before it queries."""
        reply = await self._ask(lambda left_ms: Describe(whole_ms(left_ms)), deadline)
        return described(value_of(RepoDescription, reply, "description"), await self._profile())

    async def term_stats(
        self, request: SearchRequest, deadline: Deadline, snapshot_id: str | None = None
    ) -> tuple[str, CollectionStatistics]:
        """Return a snapshot's id and its term statistics for the query."""
        reply = await self._ask(
            lambda left_ms: TermStats(timed(request, left_ms), snapshot_id), deadline
        )
        return value_of(str, reply, "snapshot_id"), value_of(
            CollectionStatistics, reply, "statistics"
        )

    async def encode(self, text: str, deadline: Deadline) -> EncodedQuery | None:
        """Return a query's vector; None without an encoder."""
        reply = await self._ask(lambda left_ms: Encode(text, whole_ms(left_ms)), deadline)
        if reply.body.get("vector") is None:
            return None
        return value_of(EncodedQuery, reply, "vector")

    async def search(self, request: PoolRequest, deadline: Deadline) -> PoolResponse:
        """Return the repository's ranked lists."""
        own = narrowed_pool(request, await self._profile())

        def said(left_ms: float) -> Message:
            return Pool(replace(own, search=timed(own.search, left_ms)))

        return value_of(PoolResponse, await self._ask(said, deadline), "pool")

    async def slate(self, request: SlateRequest, deadline: Deadline) -> SlateResponse:
        """Return the repository's slate, with the facts that relate it to other repositories."""
        message = Slate(narrowed_slate(request, await self._profile()), values=True)
        reply = await self._ask(lambda left_ms: within(message, left_ms), deadline)
        return value_of(SlateResponse, reply, "value")

    async def symbol(self, request: SymbolPoolRequest, deadline: Deadline) -> SymbolPool:
        """Return a name's definitions by one rule."""

        def said(left_ms: float) -> Message:
            asked = replace(request.asked, timeout_ms=whole_ms(left_ms))
            return wire.SymbolPool(replace(request, asked=asked))

        return value_of(SymbolPool, await self._ask(said, deadline), "pool")

    async def references(
        self, request: ReferencesPoolRequest, deadline: Deadline
    ) -> ReferencesPool:
        """Return a name's occurrences by one rule."""

        def said(left_ms: float) -> Message:
            asked = replace(request.asked, timeout_ms=whole_ms(left_ms))
            return wire.ReferencesPool(replace(request, asked=asked))

        return value_of(ReferencesPool, await self._ask(said, deadline), "pool")

    async def imports(self, request: ImportsRequest, deadline: Deadline) -> ImportsFound:
        """Return which imports of files elsewhere mean something of this repository."""

        def said(left_ms: float) -> Message:
            return wire.Imports(replace(request, timeout_ms=whole_ms(left_ms)))

        return value_of(ImportsFound, await self._ask(said, deadline), "imports")

    async def expand(self, request: ExpandRequest, deadline: Deadline) -> ExpandResponse:
        """Return the code around a place."""
        message = wire.Expand(request, values=True)
        reply = await self._ask(lambda left_ms: within(message, left_ms), deadline)
        return value_of(ExpandResponse, reply, "value")

    async def _ask(self, said: Callable[[float], Message], deadline: Deadline) -> Reply:
        return await self._channels.ask_within(await self._met(), said, deadline)

    async def _profile(self) -> Profile:
        return (await self._met()).profile

    async def _met(self) -> DaemonAddress:
        if self._address is None:
            self._address = await to_thread.run_sync(self._meet, abandon_on_cancel=True)
        return self._address


@dataclass(frozen=True, slots=True)
class HostSearcher:
    """The daemons of one host process, asked by way of one of them."""

    channels: Channels
    address: DaemonAddress

    async def search(self, request: JointPoolRequest, deadline: Deadline) -> JointPoolResponse:
        """Return the beginnings of the lists of several of them."""

        def said(left_ms: float) -> Message:
            return wire.JointPool(replace(request, search=timed(request.search, left_ms)))

        reply = await self.channels.ask_within(self.address, said, deadline, "never")
        return value_of(JointPoolResponse, reply, "pools")


@dataclass(slots=True)
class DaemonSearchers:
    """Gives access to repositories through their daemons.

    Attributes:
        meet: reads a repository's settings, which may take the time of some files; returns where
            its daemon is met. What it raises is that repository's failure when it is asked.
    """

    channels: Channels
    meet: Callable[[WorkspaceRepo], DaemonAddress]

    _met: dict[RepoId, DaemonAddress] = field(default_factory=dict)

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Find the daemons' addresses, and start the daemons that are missing.

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
        """Return the searcher of a repository."""
        return DaemonSearcher(self.channels, partial(self.meet, repo), self._met.get(repo.repo_id))

    def together(self, repos: Sequence[WorkspaceRepo]) -> HostSearcher | None:
        """Return who searches all of them at once: their host, where they have one in common."""
        addresses = [self._met.get(repo.repo_id) for repo in repos]
        met = [address for address in addresses if address is not None]
        if len(met) < len(addresses) or len({*map(self.channels.host_of, met)}) != 1:
            return None
        return HostSearcher(self.channels, met[0]) if self.channels.host_of(met[0]) else None

    async def _note(
        self, repo: WorkspaceRepo, met: dict[RepoId, DaemonAddress], looks: CapacityLimiter
    ) -> None:
        with suppress(Exception):  # it is met again when it is asked, and fails there
            met[repo.repo_id] = await to_thread.run_sync(
                self.meet, repo, abandon_on_cancel=True, limiter=looks
            )
