"""Repositories of team servers as members of a workspace, and their searchers.

Servers and host processes return lists in the same form, so that they can be searched together as
parts of one collection (`joint_search`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError, RemoteError, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.config.fingerprints import repo_id
from ggrep.federation.daemon_searcher import KnownHosts
from ggrep.federation.included import aliases_of
from ggrep.federation.joint_search import Together, gather
from ggrep.federation.searcher import (
    JointSearcher,
    MessageSearcher,
    RepoSearcher,
    Searchers,
)
from ggrep.federation.server_connection import ServerConnection
from ggrep.federation.workspace import RemoteMember, Workspace, WorkspaceRepo
from ggrep.federation.workspace_draft import EVERY, MAX_REPOS, RemoteEntry
from ggrep.model.batched_query import (
    BatchedDescription,
    BatchedPoolRequest,
    BatchedPoolResponse,
    BatchedQuery,
    Member,
    members_key,
)
from ggrep.model.confidence import MOST_TOP_FILES, TopFiles
from ggrep.model.field_meta import MOST_COUNT
from ggrep.model.request import CollectionStatistics, RepoStatistics
from ggrep.model.response import RepoDescription
from ggrep.model.sanitise import sanitise_line
from ggrep.model.workspace_state import TeamServer
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.messages import JointDescribe, JointPool, Message, timed, whole_ms
from ggrep.protocol.wire.replies import Reply

T = TypeVar("T")

_TREES: Final = "trees"
"""Sent in place of a list of members or an epoch, because messages to a server name trees."""

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_MOST: Final = 1e9
"""Maximum value of a confidence signal in a reply."""


class TeamServers(Struct):
    """Connections to the team servers of a query, created on first use."""

    connect: Callable[[str], ServerConnection]
    known: KnownHosts
    _connections: dict[str, ServerConnection] = field(default_factory=dict)

    def at(self, url: str) -> ServerConnection:
        """Return the connection to a server; the same object for each call."""
        if url not in self._connections:
            self._connections[url] = self.connect(url)
        return self._connections[url]

    async def with_members(self, workspace: Workspace, deadline: Deadline) -> Workspace:
        """Return the workspace with the repositories of its servers.

        If a name in an entry matches no repository, the result contains a member with this name,
        and queries to the member fail. If several entries select a repository, the first entry
        applies.
        """
        urls = sorted({entry.remote for entry in workspace.remotes if not entry.refused})
        listings = await gather([self._listed(url, deadline) for url in urls])
        by_url = dict(zip(urls, listings, strict=True))
        members: dict[RepoId, WorkspaceRepo] = {}
        for entry in workspace.remotes:
            listed = RemoteError(entry.refused) if entry.refused else by_url[entry.remote]
            most = MAX_REPOS - len(workspace.repos) - len(members)
            for member in (_member(entry, each) for each in _selected(entry, listed, most)):
                members.setdefault(member.repo_id, member)
        names = [each.root_canonical.name for each in members.values()]
        aliases = aliases_of((repo.alias for repo in workspace.repos), names)
        repos = (
            replace(each, alias=alias)
            for each, alias in zip(members.values(), aliases, strict=True)
        )
        return replace(workspace, repos=(*workspace.repos, *repos))

    async def states(self, workspace: Workspace, deadline: Deadline) -> tuple[TeamServer, ...]:
        """Return the state of each server of a workspace."""
        whole = await self.with_members(replace(workspace, repos=()), deadline)
        members: dict[str, list[RemoteMember]] = {}
        for repo in whole.repos:
            if repo.remote is not None:
                members.setdefault(repo.remote.server, []).append(repo.remote)
        return tuple(
            TeamServer(
                remote=url,
                repos=tuple(sorted(each.key for each in listed if each.problem is None)),
                problems=tuple(
                    dict.fromkeys(
                        sanitise_line(str(each.problem)) for each in listed if each.problem
                    )
                ),
            )
            for url, listed in sorted(members.items())
        )

    async def _listed(self, url: str, deadline: Deadline) -> Mapping[str, str] | GgrepError:
        try:
            return await self.at(url).listed(deadline)
        except GgrepError as error:
            return error


def _selected(
    entry: RemoteEntry, listed: Mapping[str, str] | GgrepError, most: int
) -> list[RemoteMember]:
    """Return the repositories that an entry selects, and errors for names without a match."""
    url = entry.remote
    if isinstance(listed, GgrepError):
        return [RemoteMember(url, name, problem=listed) for name in entry.repos]
    members = []
    for name in entry.repos:
        keys = [
            key
            for key in listed
            if name in {key, EVERY} or (name.endswith("/") and key.startswith(name))
        ]
        if not keys or len(keys) > most:
            listing = f"more than {most} repositories" if keys else f"no repository {name!r}"
            problem = RemoteError(f"the team server {url} lists {listing} that you may see")
            members.append(RemoteMember(url, name, problem=problem))
        else:
            members += [RemoteMember(url, key, listed[key]) for key in keys]
    return members


def _member(entry: RemoteEntry, remote: RemoteMember) -> WorkspaceRepo:
    root = Path(f"{remote.server}/{remote.key}")
    # `#` separates the server's path from the key; `*` distinguishes a prefix of keys from a key.
    named = Path(f"{remote.server}#{remote.key}{EVERY if remote.key.endswith('/') else ''}")
    return WorkspaceRepo(
        repo_id=repo_id(named),
        root_resolved=root,
        root_canonical=root,
        alias=None,
        tags=entry.tags,
        enabled=entry.enabled,
        priority=entry.priority,
        root_input=remote.key,
        root_abs=root,
        index=entry.index,
        remote=remote,
    )


class RemoteSearcher(MessageSearcher, frozen=True):
    """Searches a repository of a team server."""

    server: ServerConnection
    repo: RemoteMember

    async def value(
        self,
        message_of: Callable[[float], Message],
        read: Callable[[Reply], T],
        deadline: Deadline,
    ) -> T:
        """Return the value of the server's reply."""

        def checked(reply: Reply) -> T:
            answer = read(reply)
            if isinstance(answer, RepoStatistics):
                _check_statistics(answer.statistics)
            if isinstance(leading := getattr(answer, "leading", None), TopFiles):
                _check_leading(leading)
            return answer

        trees = [(self.repo.key, self.repo.tree)]
        return await self.server.ask(trees, message_of, checked, deadline)


class ServerTogether(Struct):
    """Searches several repositories of a team server as one collection.

    Attributes:
        repos: in ascending order of their ids.
    """

    server: ServerConnection
    repos: Mapping[RepoId, RemoteMember]
    known: KnownHosts

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        """Return the descriptions of repositories that the server can search together."""
        members = tuple(Member(each.tree, _TREES, each.key) for each in self.repos.values())
        key = f"{self.server.url}/{members_key(members)}"
        known = self.known.get(key)

        def message_of(left_ms: float) -> Message:
            epoch = known.epoch if known else ""
            return JointDescribe(_TREES, known=epoch, timeout_ms=whole_ms(left_ms))

        def read(reply: Reply) -> BatchedDescription:
            batch = value_of(BatchedDescription, reply, "described")
            if known is not None and batch.epoch == known.epoch:
                return known
            if len(batch.descriptions or ()) != len(self.repos):
                raise Unreachable("it described other repositories")
            return batch

        batch = await self._ask([*self.repos], message_of, read, deadline)
        self.known.keep(key, batch)
        pairs = zip(self.repos, batch.descriptions or (), strict=True)
        return {repo: description for repo, description in pairs if description is not None}

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return the first hits of each repository's lists."""

        def message_of(left_ms: float) -> Message:
            in_time = replace(question, search=timed(question.search, left_ms))
            return JointPool(BatchedPoolRequest(in_time, _TREES, tuple(range(len(repos)))))

        def read(reply: Reply) -> BatchedPoolResponse:
            pools = value_of(BatchedPoolResponse, reply, "pools")
            _check(pools, question, len(repos))
            return pools

        try:
            return await self._ask(repos, message_of, read, deadline)
        except RemoteError as error:
            # The coordinator then requests new descriptions, and searches the other repositories.
            raise SnapshotGone(str(error)) from error

    async def _ask(
        self,
        repos: Sequence[RepoId],
        message_of: Callable[[float], Message],
        read: Callable[[Reply], T],
        deadline: Deadline,
    ) -> T:
        trees = [(self.repos[repo].key, self.repos[repo].tree) for repo in repos]
        return await self.server.ask(trees, message_of, read, deadline)


def _check(pools: BatchedPoolResponse, question: BatchedQuery, number: int) -> None:
    """Raise Unreachable if a reply does not match the query or has values out of bounds."""
    entries: tuple[Any, ...] = (*pools.lists, *pools.notices, *pools.limits)
    members = [*(each.member for each in entries), *pools.partial, *pools.reaching]
    figures = pools.figures
    columns = [figures.chunks, figures.files, *figures.lengths, *figures.held, *figures.named]
    lengths = {0, number} if question.by_rank else {number}
    if (
        not all(0 <= member < number for member in members)
        or not {len(column) for column in columns} <= lengths
        or not len(figures.terms) == len(figures.held) == len(figures.named)
    ):
        raise Unreachable("it answered another question")
    if not all(0 <= count <= MOST_COUNT for column in columns for count in column):
        raise Unreachable("its term statistics are out of bounds")
    if not all(
        _DIGEST.fullmatch(hit.chunk_id)
        for listed in pools.lists
        for _, hits in listed.corpora
        for hit in hits
    ):
        raise Unreachable("it names a chunk without a digest")
    _check_leading(pools.leading)
    if not question.by_rank:
        _check_statistics(figures.total())


def _check_leading(leading: TopFiles) -> None:
    """Raise Unreachable if confidence signals are out of bounds."""
    numbers = [leading.weight, leading.unknown, leading.most_evidence or 0.0]
    for file in leading.leaders:
        numbers += [file.score, file.evidence, file.row, file.topic, file.found]
    if len(leading.leaders) > MOST_TOP_FILES or not all(0 <= each <= _MOST for each in numbers):
        raise Unreachable("its signals of confidence are out of bounds")


def _check_statistics(statistics: CollectionStatistics) -> None:
    """Raise Unreachable if term statistics are out of bounds."""
    counts = [(length, MOST_COUNT) for length in statistics.lengths]
    counts += [(statistics.chunks, MOST_COUNT), (statistics.files, MOST_COUNT)]
    counts += [(term.chunks, statistics.chunks) for term in statistics.terms]
    counts += [(term.files, statistics.files) for term in statistics.terms]
    if not all(0 <= count <= most for count, most in counts):
        raise Unreachable("its term statistics are out of bounds")


class MixedSearchers(Struct):
    """Opens searchers of a workspace's repositories on this machine and on team servers."""

    local: Searchers
    servers: TeamServers

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Prepare the repositories of this machine."""
        await self.local.prepare([repo for repo in repos if repo.remote is None], deadline)

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return the searcher of a repository."""
        if repo.remote is None:
            return self.local.open(repo)
        return RemoteSearcher(self.servers.at(repo.remote.server), repo.remote)

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        """Return the joint searcher of a host process and all servers; None if there is none."""
        by_server: dict[str, dict[RepoId, RemoteMember]] = {}
        for repo in sorted(repos, key=lambda repo: repo.repo_id):
            if repo.remote is not None:
                by_server.setdefault(repo.remote.server, {})[repo.repo_id] = repo.remote
        local = self.local.joint([repo for repo in repos if repo.remote is None])
        parts = [local] if local is not None else []
        parts += [
            ServerTogether(self.servers.at(url), members, self.servers.known)
            for url, members in sorted(by_server.items())
        ]
        return Together(parts) if len(parts) > 1 else next(iter(parts), None)
