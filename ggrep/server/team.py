"""The coordinator of a team server: reads pushed snapshots and access rules, answers queries.

An epoch (the tree of each repository) becomes current once nodes hold its trees, so queries never
wait for a fetch. A view contains only the repositories that a user may see; answers are computed
from the view.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import anyio
from anyio import to_thread
from msgspec import Struct

from ggrep.base.clock import Clock, Deadline, rfc3339
from ggrep.base.errors import Busy, Forbidden, GgrepError, InvalidRequest, RemoteError
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Json, decode
from ggrep.config.settings import Settings
from ggrep.federation.coordinator import federated_search
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.daemon_searcher import KnownHosts
from ggrep.federation.envelope import Envelope
from ggrep.federation.fanout_session import Arrived
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.model.operations import bounds_of, loaded, operation_of
from ggrep.model.request import Request
from ggrep.model.slate import SlateRequest
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.messages import message_of, within
from ggrep.server.access import Access, Identity, read_access
from ggrep.server.audit import AuditEntry
from ggrep.server.epoch import Epoch, Refs, ServedRepo, workspace_of
from ggrep.server.node import MOST_EPOCHS, NodeMessage
from ggrep.server.node_searchers import NodeSearcher, NodeSearchers
from ggrep.server.nodes import RETRY_AFTER_MS, Nodes
from ggrep.server.placement import placed

E = TypeVar("E", bound=Envelope)

_CHECK_S: Final = 1.0
"""Time between two checks of the nodes."""
_ACCESS: Final = "access rules"
_REMOTE: Final = "remote"
_MOST_IDENTITIES: Final = 4_096
"""Maximum number of users with a cached list of allowed repositories."""
_MEND_S: Final = 5.0
"""Time between two searches for nodes that have lost trees."""
_HOLD_MS: Final = 3_600_000.0
_MEMORY_BYTES: Final = 4 * 1024 * 1024


class View(Struct, frozen=True):
    """The part of an epoch that a user may see.

    Attributes:
        repos: visible repositories by id.
        memory: cache of replies, shared by all users who may see the same repositories.
    """

    workspace: Workspace
    repos: Mapping[RepoId, ServedRepo]
    memory: CoordinatorCache


class TeamState(Struct, frozen=True):
    """The state of a server, for its operators.

    Attributes:
        read_at: time of the last successful read of the refs; empty for none.
        problems: errors of trees, refs, access rules, nodes and background tasks, one a line.
    """

    epoch: str
    repos: int
    read_at: str
    nodes: Mapping[str, Mapping[str, int]]
    problems: tuple[str, ...]


class Team:
    """The coordinator of a server. All calls must come from one event loop."""

    def __init__(
        self,
        name: str,
        nodes: Nodes,
        refs: Refs,
        access: Path,
        settings: Settings,
        clock: Clock,
    ) -> None:
        """Create the coordinator without repositories; the first `sweep` reads them.

        Args:
            name: name of the workspace in answers.
            nodes: links to all nodes.
            refs: the refs of the remote.
            access: file of the access rules.
            settings: settings under which the repositories were indexed.
            clock: the clock.
        """
        self.name, self.settings, self.clock = name, settings, clock
        self.nodes, self._refs, self._access_file = nodes, refs, access
        self.fingerprint = refs.fingerprint
        self.epoch = self.previous = Epoch()  # the same object until the first sweep has ended
        self.read_at: datetime | None = None
        self.figures: dict[str, Mapping[str, int]] = {}
        self.known = KnownHosts(most=MOST_EPOCHS * len(nodes.names))
        self._access: Access | None = None
        self._problems: dict[str, str] = {}
        self._tree_problems: dict[str, Mapping[str, str]] = {}
        self._unavailable: frozenset[ServedRepo] = frozenset()
        self._views: dict[tuple[str, ...], View] = {}
        self._allowed: dict[Identity, tuple[str, ...]] = {}
        self._sweeping, self._reading = anyio.Lock(), anyio.Lock()

    async def sweep(self) -> None:
        """Read access rules and refs; make new trees current once nodes hold them.

        If the remote fails, the current epoch remains. While the access rules are invalid, all
        queries are rejected.
        """
        await self.read_access()
        async with self._sweeping:
            try:
                new = await to_thread.run_sync(self._refs.read, abandon_on_cancel=True)
            except RemoteError as error:
                self._problems[_REMOTE] = str(error)
                return
            self._problems.pop(_REMOTE, None)
            self._tree_problems["refs"] = new.problems
            self.read_at = self.clock.now()
            if new.name != self.epoch.name or self._unavailable:
                await self._swap(new)
            elif self.epoch is self.previous:
                self.epoch = new

    async def check(self) -> None:
        """Check which nodes answer, and read their counters."""
        self.figures = await self.nodes.check()

    async def mend(self) -> None:
        """Let nodes that have lost trees fetch them again."""
        epochs = [self.previous, self.epoch]
        behind = [
            name
            for name, figures in self.figures.items()
            if figures.get("trees", 0)
            < len({repo for epoch in epochs for repo in self._placed(name, epoch)})
        ]
        if behind:
            async with self._sweeping:
                await self._hold(behind, epochs)

    async def watch(self, sweep_s: float, upkeep: Callable[[TeamState], None]) -> None:
        """Run checks, reads of the access rules, sweeps and repairs periodically, until cancelled.

        Checks and reads of the rules do not wait for fetches. After each check, `upkeep` is called
        with the state, in a worker thread.
        """

        async def check() -> None:
            await self.check()
            await to_thread.run_sync(upkeep, self.state(), abandon_on_cancel=True)

        async with anyio.create_task_group() as group:
            group.start_soon(self._repeat, check, _CHECK_S)
            group.start_soon(self._repeat, self.read_access, sweep_s)
            group.start_soon(self._repeat, self.sweep, sweep_s)
            group.start_soon(self._repeat, self.mend, _MEND_S)

    def view(self, identity: Identity) -> View:
        """Return the part of the current epoch that a user may see.

        Raises:
            Forbidden: the access rules are invalid.
            Busy: the first sweep has not ended; an answer would lack all repositories.
        """
        if self.epoch is self.previous:
            raise Busy("the server is starting", retry_after_ms=RETRY_AFTER_MS)
        if self._access is None:
            raise Forbidden("the access rules of this server are not valid; ask its operator")
        if (keys := self._allowed.get(identity)) is None:
            keys = self._access.allowed(identity, self.epoch.keys)
            if len(self._allowed) >= _MOST_IDENTITIES:
                self._allowed.clear()
            self._allowed[identity] = keys
        view = self._views.pop(keys, None)
        memory = view.memory if view else CoordinatorCache(_MEMORY_BYTES)
        repos = {repo.repo_id: repo for repo in map(self.epoch.repos.__getitem__, keys)}
        if view is None or view.repos != repos:
            view = View(workspace_of(self.name, keys), repos, memory)
        self._views[keys] = view
        while len(self._views) > MOST_EPOCHS:
            del self._views[next(iter(self._views))]
        return view

    def service(self, identity: Identity, entry: AuditEntry | None = None) -> "UserService":
        """Return the service for a user's queries; `entry` records them for the audit log."""
        seen = self.view(identity)
        entry = entry or AuditEntry()
        entry.allowed = len(seen.repos)
        return UserService(self, seen, entry)

    def state(self) -> TeamState:
        """Return the server's state for its operators."""
        answering = self.nodes.answering()
        parts = [self._problems, *self._tree_problems.values()]
        problems = {f"{place}: {why}" for part in parts for place, why in part.items()}
        return TeamState(
            epoch=self.epoch.name,
            repos=len(self.epoch.repos),
            read_at=rfc3339(self.read_at) if self.read_at else "",
            nodes={
                name: {**self.figures.get(name, {}), "answering": int(is_answering)}
                for name, is_answering in answering.items()
            },
            problems=tuple(sorted(problems)),
        )

    async def read_access(self) -> None:
        """Read the access rules; while they are invalid, all queries are rejected.

        Only one read runs at a time, so that a slow read cannot overwrite newer rules.
        """
        async with self._reading:
            await self._read_access()

    async def _read_access(self) -> None:
        try:
            access = await to_thread.run_sync(read_access, self._access_file)
            self._problems.pop(_ACCESS, None)
        except Exception as error:  # noqa: BLE001 - old rules could contain withdrawn rights
            access = None
            self._problems[_ACCESS] = str(error)
        if access != self._access:
            self._access = access
            self._allowed.clear()

    async def _swap(self, new: Epoch) -> None:
        """Make an epoch current; if no node holds a repository's new tree, its old tree stays."""
        names = [name for name, answers in self.nodes.answering().items() if answers]
        available, failed = await self._hold(names, [self.epoch, new])
        repos: dict[str, ServedRepo] = {}
        unavailable = set()
        for key, repo in new.repos.items():
            before = self.epoch.repos.get(key)
            if repo not in available:
                unavailable.add(repo)
            repos[key] = repo if repo in available or before is None else before
        self._unavailable = frozenset(unavailable)
        self.previous, self.epoch = self.epoch, Epoch(repos, new.problems)
        self._allowed.clear()
        self._tree_problems["nodes"] = failed

    async def _hold(
        self, names: Sequence[str], epochs: Sequence[Epoch]
    ) -> tuple[set[ServedRepo], dict[str, str]]:
        """Let nodes fetch trees; return the fetched trees, and errors by node name or by key."""
        available: set[ServedRepo] = set()
        failed: dict[str, str] = {}

        async def hold(name: str) -> None:
            wanted = {repo for epoch in epochs for repo in self._placed(name, epoch)}
            trees = tuple(sorted(wanted, key=lambda repo: (repo.key, repo.tree.sha256)))
            try:
                reply = await self.nodes.ask(
                    name, NodeMessage(hold=trees), Deadline.after(self.clock, _HOLD_MS)
                )
            except GgrepError as error:
                failed[name] = str(error)
                return
            reasons = decode(tuple[tuple[ServedRepo, str], ...], reply.body.get("failed"))
            failed.update({repo.key: why for repo, why in reasons})
            available.update(wanted - {repo for repo, _ in reasons})

        async with anyio.create_task_group() as group:
            for name in names:
                group.start_soon(hold, name)
        return available, failed

    async def _repeat(self, work: Callable[[], Awaitable[None]], pause_s: float) -> None:
        """Call `work` forever, with pauses; record its errors for operators and continue."""
        while True:
            try:
                await work()
                self._problems.pop(work.__name__, None)
            except Exception as error:  # noqa: BLE001 - without sweeps withdrawn rights would remain
                self._problems[work.__name__] = f"{type(error).__name__}: {error}"
            await anyio.sleep(pause_s)

    def _placed(self, name: str, epoch: Epoch) -> list[ServedRepo]:
        names = self.nodes.names
        return [repo for key, repo in epoch.repos.items() if name in placed(key, names)]


class UserService(Struct, frozen=True):
    """Answers the queries of one user; has the methods of `Federator`.

    The methods only access the user's repositories, so they ignore `forbidden`.
    """

    team: Team
    seen: View
    entry: AuditEntry

    def on_behalf_of(self, caller: str) -> Self:
        """Return this service, because nodes do not distinguish callers."""
        del caller
        return self

    async def search(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        arrived: Arrived | None = None,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedResponse:
        """Return the answer to a search; see `Federator.search`."""
        del forbidden
        self.entry.ask(request)
        answer = await federated_search(
            workspace,
            request,
            self._searchers(),
            self.team.clock,
            memory=self.seen.memory,
            arrived=arrived,
        )
        return self._noted(answer)

    async def slate(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        shape: SlateShape,
        arrived: Arrived | None = None,
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> FederatedSlate:
        """Return a slate; see `Federator.slate`.

        Raises:
            InvalidRequest: the request has a session; a team server supports none.
        """
        del forbidden
        if shape.session is not None:
            raise no_sessions()
        self.entry.ask(request)
        answer = await federated_slate(
            workspace,
            request,
            shape,
            self._searchers(),
            self.team.clock,
            memory=self.seen.memory,
            arrived=arrived,
        )
        return self._noted(answer)

    async def follow(
        self,
        workspace: Workspace,
        request: FederatedRequest,
        asked: Request[Any],
        *,
        forbidden: frozenset[RepoId] = frozenset(),
    ) -> Any:  # noqa: ANN401 - the answer type of the operation
        """Return the answer to a request about a name or a location."""
        del forbidden
        self.entry.ask(asked)
        answer = loaded(operation_of(asked).workspace)
        return self._noted(
            await answer(workspace, request, asked, self._searchers(), self.team.clock)
        )

    async def ask_repo(self, root: Path, request: Request[Any]) -> dict[str, Json]:
        """Return the answer of one repository as its JSON document.

        Raises:
            Forbidden: the user may not see a repository with this root, or it does not exist.
            Busy: no node that holds the repository answers; nodes restart within seconds.
        """
        self.entry.ask(request)
        repo = next((repo for repo in self.seen.repos.values() if repo.root == root), None)
        if repo is None:
            raise Forbidden("there is no repository with this root that you may see")
        if isinstance(request, SlateRequest) and request.session is not None:
            raise no_sessions()
        timeout_ms = bounds_of(request).timeout_ms or self.team.settings.query_timeout_ms
        deadline = Deadline.after(self.team.clock, timeout_ms)
        message = message_of(request)
        searcher = NodeSearcher(self.team.nodes, repo)
        try:
            answer: dict[str, Json] = await searcher.value(
                partial(within, message),
                partial(value_of, dict[str, Any], key="response"),
                deadline,
            )
        except Unreachable as error:
            raise Busy(str(error), retry_after_ms=RETRY_AFTER_MS) from error
        self.entry.searched.add(repo.repo_id)
        return answer

    def _noted(self, answer: E) -> E:
        """Record the repositories that answered in the audit entry; return the answer."""
        answered = (report for report in answer.reports if report.status in {"ok", "partial"})
        self.entry.searched.update(report.repo.repo_id for report in answered)
        return answer

    def _searchers(self) -> NodeSearchers:
        team = self.team
        return NodeSearchers(team.nodes, team.fingerprint, self.seen.repos, team.known)


def no_sessions() -> InvalidRequest:
    """Return the error for a request with a session."""
    return InvalidRequest("session: a team server has no sessions; omit the argument")
