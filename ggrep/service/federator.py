"""Queries the daemon of a repository, or the daemons of a workspace."""

from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from anyio import to_thread
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.build import build_id
from ggrep.base.clock import Clock, Deadline
from ggrep.base.command_time import OVER
from ggrep.base.errors import GgrepError, NoIndex
from ggrep.base.formats import STATUS_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.base.processes import raise_descriptors
from ggrep.base.stable_json import Document, Json
from ggrep.config.home import Home
from ggrep.config.profiles import applied
from ggrep.config.settings import client_of
from ggrep.federation.coordinator import federated_search
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.daemon_searcher import DaemonSearchers, KnownHosts
from ggrep.federation.fanout_session import Arrived, RepoDone
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.searcher import Searchers
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.index.repo_identity import require_asked
from ggrep.model.operations import loaded, operation_of
from ggrep.model.request import Request
from ggrep.protocol.client.channel import before
from ggrep.protocol.client.channels import Channels, Local
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.daemon_client import IndexingProgress, progress_of
from ggrep.protocol.client.link import NoReply
from ggrep.protocol.client.starting import NotStarted
from ggrep.protocol.wire.messages import (
    Health,
    QueryMessage,
    Status,
    Sync,
    SyncStatus,
    message_of,
    timeout_of,
    within,
)
from ggrep.protocol.wire.replies import Reply
from ggrep.service.daemon_addresses import DaemonAddresses
from ggrep.service.syncing import Hear, wait_for_sync
from ggrep.service.workspace_access import Guarded

if TYPE_CHECKING:
    from ggrep.model.schemas.stores import UnservedStatusJson

__all__ = ["Federator", "RepoDone"]

_OPERATOR_MS: Final = 30_000
"""Timeout of status and health."""
_LIST_SHARE: Final = 4
"""A team server may use the request's time divided by this to list its repositories."""


class Learnt(Struct, frozen=True):
    """The caches of a federator: daemons and hit lists; not thread-safe."""

    addresses: DaemonAddresses
    hosts: KnownHosts
    memory: CoordinatorCache


def learnt_of(
    home: Home,
    environ: Mapping[str, str],
    flags: Mapping[str, object],
    client_name: str,
    memory: CoordinatorCache | None = None,
) -> Learnt:
    """Return empty caches for these settings; caches of other settings can share `memory`."""
    addresses = DaemonAddresses(
        home, environ, flags=flags, build=build_id(), client_name=client_name
    )
    return Learnt(addresses, KnownHosts(), memory or CoordinatorCache())


class Fallback(Protocol):
    """Answers from indexes in this process if a daemon is not available."""

    def searchers(self, daemons: Searchers) -> Searchers:
        """Return searchers that query daemons, or read the index if a daemon is missing."""
        ...

    def document(
        self, root: Path, message: QueryMessage, deadline: Deadline, why: str
    ) -> dict[str, Json]:
        """Return the answer of a repository; `why` is the failure of its daemon."""
        ...


class Federator:
    """Queries daemons; keeps connections open and caches answers.

    All calls must come from the same event loop.
    """

    def __init__(  # noqa: PLR0913 - all but the first three have a default
        self,
        home: Home,
        environ: Mapping[str, str],
        clock: Clock,
        *,
        flags: Mapping[str, object] = MappingProxyType({}),
        client_name: str = "",
        notify: Callable[[str], None] = lambda _: None,
        through: Callable[[Searchers], Searchers] = lambda searchers: searchers,
        fallback: Fallback | None = None,
        descriptors: bool = True,
        learnt: Learnt | None = None,
        local: Local = lambda _: None,
    ) -> None:
        """Create the federator without connecting to a daemon.

        With `GGREP_OFFLINE` in `environ` no daemon is started. `flags` take precedence over all
        other settings. Daemons share their time among clients by `client_name`; the empty default
        takes the name from the environment. `notify` is called with messages for the user, possibly
        from another thread. `fallback` answers if a daemon is not available; `through` wraps the
        daemons' searchers if there is no `fallback`. `descriptors` raises the limit of open files.
        `learnt` contains the caches of earlier federators with the same arguments. `local` returns
        the connection to a daemon in this process.
        """
        if descriptors:
            raise_descriptors()
        self._home = home
        self._environ = environ
        self._clock = clock
        self._priority = client_of(environ).kind
        starts = not environ.get("GGREP_OFFLINE")
        self._channels = Channels(clock, environ, starts=starts, notify=notify, local=local)
        learnt = learnt or learnt_of(home, environ, flags, client_name)
        self._addresses = learnt.addresses
        self._through = fallback.searchers if fallback else through
        self._fallback = fallback
        self._memory = learnt.memory
        self._hosts = learnt.hosts
        self._caller = ""

    def on_behalf_of(self, caller: str) -> Self:
        """Return a federator for a caller of this program, with the same connections.

        Do not close the returned federator, as it uses the connections of this federator.
        """
        federator = copy(self)
        federator._caller = caller  # noqa: SLF001 - same class
        return federator

    async def search(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        arrived: Arrived | None = None,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedResponse:
        """Return the answer to a workspace search.

        `arrived` is called for each finished repository. Queries to `forbidden` repositories fail.
        """
        workspace, request, searchers = await self._opened(workspace, request, forbidden)
        memory = self._memory
        return await federated_search(
            workspace, request, searchers, self._clock, memory=memory, arrived=arrived
        )

    async def slate(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        shape: SlateShape,
        arrived: Arrived | None = None,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedSlate:
        """Return the slate of a workspace; see `search`."""
        workspace, request, searchers = await self._opened(workspace, request, forbidden)
        memory = self._memory
        return await federated_slate(
            workspace, request, shape, searchers, self._clock, memory=memory, arrived=arrived
        )

    async def follow(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: Request[Any],
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> Any:  # noqa: ANN401 - the answer type of the operation
        """Return the workspace's answer to a request about a name or a location; see `search`."""
        answer = loaded(operation_of(asked).workspace)
        workspace, request, searchers = await self._opened(workspace, request, forbidden)
        return await answer(workspace, request, asked, searchers, self._clock)

    async def ask_repo(self, root: Path, request: Request[Any]) -> dict[str, Json]:
        """Return the answer of the repository at a canonical root as its JSON document.

        A repository without an index is indexed first, within the deadline.

        Raises:
            Unasked: there is no index, and the user has not requested one.
            GgrepError: the error that the daemon reports.
        """
        address = await self._wanted(root)
        asked = applied(request, address.profile)
        return await self._answer(address, message_of(asked, self._priority, address.budgets))

    async def ask(
        self, address: DaemonAddress, message: QueryMessage, deadline: Deadline | None = None
    ) -> Reply:
        """Return the reply of a repository's daemon; start the daemon if it does not run.

        If `deadline` is None, the timeout of the message starts now.

        Requires: the user has consented to indexing, see `require_asked`.
        """
        timeout_ms = timeout_of(message) or address.settings.query_timeout_ms
        until = deadline or Deadline.after(self._clock, timeout_ms)
        try:
            return await self._channels.ask_within(
                address, lambda left_ms: within(message, left_ms), until, start="always"
            )
        except NoReply as error:
            error.args = (f"{error}; to end the daemon: ggrep stop",)
            raise

    async def sync(self, address: DaemonAddress, message: Sync) -> Reply:
        """Request a sync from a repository's daemon; return its report. See `ask`."""
        never = Deadline.never(self._clock)
        return await self._channels.ask(address, message, never, start="always")

    async def sync_repo(
        self, root: Path, hear: Hear = lambda _: None, timeout_ms: float = 0
    ) -> None:
        """Update a repository's index with all changes made before this call.

        Cancellation or a timeout ends the wait; a running sync continues.

        Raises:
            Unasked: the user has not requested an index of the root.
            DeadlineExceeded: the sync did not end in time.
            GgrepError: the error that the daemon reports.
        """
        address = await self._wanted(root)
        forever = Deadline.never(self._clock)
        deadline = Deadline.after(self._clock, timeout_ms) if timeout_ms else forever

        def message(left_ms: float) -> Sync:
            return Sync(timeout_ms=max(1, int(left_ms)) if timeout_ms else 0)

        async def ask() -> Reply:
            return await self._channels.ask_within(address, message, deadline, start="always")

        async def look() -> IndexingProgress:
            soon = self._soon()
            reply = await self._channels.ask(address, SyncStatus(), soon, start="never")
            return progress_of(reply.body.get("sync"))

        await wait_for_sync(ask, look, hear)

    async def status(self, root: Path) -> Document:
        """Return a repository's status; without a running daemon, only basic facts.

        The key `running` shows whether a daemon runs; if so, the other keys are its status
        document. No daemon is started.
        """
        meet = partial(self._address, root)
        address = await to_thread.run_sync(meet, abandon_on_cancel=True)
        try:
            reply = await self._channels.ask(address, Status(), self._soon(), start="never")
        except (NoIndex, NotStarted) as error:
            unserved: UnservedStatusJson = {
                "schema_version": STATUS_SCHEMA,
                "running": False,
                "root": str(root),
                "store_id": str(address.identity.store_id),
                "indexed": not isinstance(error, NoIndex),
            }
            return unserved
        return {"running": True, **_document(reply.body, "status")}

    async def health(self, root: Path, *, deep: bool = False) -> dict[str, Json]:
        """Return a repository's health document; start its daemon if it does not run."""
        address = await self._wanted(root)
        reply = await self._channels.ask(address, Health(deep), self._soon(), start="always")
        return _document(reply.body, "health")

    async def figures(self, shows: Callable[[Path], bool]) -> str:
        """Return the metrics of the home's daemons in Prometheus' text format.

        `shows` returns whether the caller may see a daemon's root.
        """
        from ggrep.daemon.daemon_metrics import scrape_text
        from ggrep.service.scraping import scrape

        return scrape_text(await scrape(self._home, self._clock, shows))

    async def aclose(self) -> None:
        """Close every connection."""
        await self._channels.aclose()

    async def _answer(self, address: DaemonAddress, message: QueryMessage) -> dict[str, Json]:
        fallback = self._fallback
        timeout_ms = timeout_of(message) or address.settings.query_timeout_ms
        deadline = Deadline.after(self._clock, timeout_ms)
        try:
            return _document((await self.ask(address, message, deadline)).body, "response")
        except (NotStarted, NoReply) as error:
            if fallback is None:
                raise
            why = str(error)
        root = address.identity.root
        with before(deadline, f"{why}; {OVER}"):
            return await to_thread.run_sync(
                lambda: fallback.document(root, message, deadline, why), abandon_on_cancel=True
            )

    async def _wanted(self, root: Path) -> DaemonAddress:
        """Return the address of a repository's daemon; raise if the daemon must not be started."""

        def meet() -> DaemonAddress:
            address = self._addresses.of(root)
            require_asked(root, address.home)
            return address

        return await to_thread.run_sync(meet, abandon_on_cancel=True)

    async def _opened(
        self, workspace: Workspace, request: FederatedRequest, forbidden: frozenset[RepoId]
    ) -> tuple[Workspace, FederatedRequest, Searchers]:
        """Return the workspace with the repositories of its team servers, and its searchers.

        Listing the servers' repositories uses a part of the request's time.
        """
        searchers = self._searchers(forbidden)
        wants_all = request.include_disabled or request.select
        remotes = tuple(each for each in workspace.remotes if each.enabled or wants_all)
        if not remotes:
            return workspace, request, searchers
        from ggrep.federation.server_connection import connections
        from ggrep.federation.server_members import MixedSearchers, TeamServers

        end = request.deadline or Deadline.after(self._clock, request.search.timeout_ms or inf)
        connect = await to_thread.run_sync(connections, self._home.remotes, self._environ)
        servers = TeamServers(connect, self._hosts)
        soon = end.within(end.remaining_ms() / _LIST_SHARE)
        whole = await servers.with_members(replace(workspace, remotes=remotes), soon)
        return whole, replace(request, deadline=end), MixedSearchers(searchers, servers)

    def _searchers(self, forbidden: frozenset[RepoId]) -> Searchers:
        daemons = DaemonSearchers(
            self._channels, lambda repo: self._address(repo.root_canonical), self._hosts
        )
        return Guarded(self._through(daemons), forbidden)

    def _address(self, root: Path) -> DaemonAddress:
        return replace(self._addresses.of(root), caller=self._caller)

    def _soon(self) -> Deadline:
        return Deadline.after(self._clock, _OPERATOR_MS)


def _document(body: Mapping[str, object], key: str) -> dict[str, Json]:
    document = body.get(key)
    if not isinstance(document, dict):
        raise GgrepError(f"the daemon's reply lacks the key {key}")
    return document
