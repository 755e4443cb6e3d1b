"""Searches repositories on the nodes of a server, separately or together as one collection.

`ggrep.federation.joint_search` merges the lists of hits from the nodes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, GgrepError, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.federation.daemon_searcher import KnownHosts
from ggrep.federation.joint_search import gather, search_together
from ggrep.federation.searcher import JointSearcher, MessageSearcher, RepoSearcher
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.batched_query import (
    BatchedDescription,
    BatchedPoolRequest,
    BatchedPoolResponse,
    BatchedQuery,
    members_key,
)
from ggrep.model.response import RepoDescription
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.messages import (
    JointDescribe,
    JointPool,
    Message,
    for_daemon,
    message_json,
    timed,
    whole_ms,
)
from ggrep.protocol.wire.replies import Reply
from ggrep.server.epoch import ServedRepo
from ggrep.server.node import NodeMessage, member_of
from ggrep.server.nodes import Nodes, is_elsewhere

T = TypeVar("T")


class NodeSearcher(MessageSearcher, frozen=True):
    """Searches a repository on one of the nodes that hold it."""

    nodes: Nodes
    repo: ServedRepo

    async def value(
        self,
        message_of: Callable[[float], Message],
        read: Callable[[Reply], T],
        deadline: Deadline,
    ) -> T:
        """Return the value of the first node that answers; the preferred node is tried first."""
        failure: GgrepError = Unreachable("no node that holds this repository answers")
        for name in self.nodes.holders(self.repo.key):
            message = message_json("", message_of(for_daemon(deadline.remaining_ms())))
            try:
                return read(await self.nodes.ask(name, NodeMessage(message, self.repo), deadline))
            except GgrepError as error:
                if not is_elsewhere(error):
                    raise
                if isinstance(error, Busy):
                    failure = error
        raise failure


class NodeSearchers(Struct, frozen=True):
    """Opens searchers of repositories on nodes.

    Attributes:
        fingerprint: fingerprint of the configuration of all snapshots.
        repos: the repositories that the caller may see, by id.
    """

    nodes: Nodes
    fingerprint: str
    repos: Mapping[RepoId, ServedRepo]
    known: KnownHosts

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Do nothing: nodes need no preparation."""

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return the searcher of a repository."""
        return NodeSearcher(self.nodes, self.repos[repo.repo_id])

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        """Return the searcher of all repositories together; None for a single repository."""
        if len(repos) < 2:
            return None
        ordered = sorted(repo.repo_id for repo in repos)
        served = {repo: self.repos[repo] for repo in ordered}
        return NodesTogether(self.nodes, self.fingerprint, served, self.known)


class _Group(Struct, frozen=True):
    """Repositories that one node has described in one reply.

    Attributes:
        places: index of each repository in the reply.
        epoch: the node's id of the described trees; a search sends it to search these trees.
    """

    nodes: Nodes
    node: str
    places: Mapping[RepoId, int]
    epoch: str

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return each requested repository's lists of first hits."""
        search = timed(question.search, for_daemon(deadline.remaining_ms()))
        places = tuple(self.places[repo] for repo in repos)
        request = BatchedPoolRequest(replace(question, search=search), self.epoch, places)
        message = NodeMessage(message_json("", JointPool(request)))
        try:
            reply = await self.nodes.ask(self.node, message, deadline)
        except GgrepError as error:
            if not is_elsewhere(error):
                raise
            # The coordinator then requests new descriptions, from other nodes.
            raise SnapshotGone(str(error)) from error
        return value_of(BatchedPoolResponse, reply, "pools")


class NodesTogether(Struct):
    """Searches all repositories of a query, on all nodes, as one collection."""

    nodes: Nodes
    fingerprint: str
    repos: Mapping[RepoId, ServedRepo]
    known: KnownHosts
    _groups: list[_Group] = field(default_factory=list)

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        """Return the descriptions of the repositories that any node holds.

        If a repository's preferred node does not describe it, the next node is queried.
        """
        self._groups = []
        descriptions: dict[RepoId, RepoDescription] = {}
        tried: dict[RepoId, set[str]] = {repo: set() for repo in self.repos}
        while by_node := self._by_node(tried):
            calls = [self._described(name, repos, deadline) for name, repos in by_node.items()]
            for name, described in zip(by_node, await gather(calls), strict=True):
                for repo in by_node[name]:
                    tried[repo].add(name)
                if described is None:
                    continue
                group, listed = described
                self._groups.append(group)
                for repo, description in zip(group.places, listed, strict=True):
                    if description is not None:
                        descriptions[repo] = description
                        del tried[repo]
        return dict(sorted(descriptions.items()))

    def _by_node(self, tried: Mapping[RepoId, set[str]]) -> dict[str, tuple[RepoId, ...]]:
        """Return the repositories without a description, grouped by the next node to query."""
        by_node: dict[str, list[RepoId]] = {}
        for repo, names in tried.items():
            holders = self.nodes.holders(self.repos[repo].key)
            name = next((name for name in holders if name not in names), None)
            if name is not None:
                by_node.setdefault(name, []).append(repo)
        return {name: tuple(sorted(repos)) for name, repos in sorted(by_node.items())}

    async def _described(
        self, name: str, repos: tuple[RepoId, ...], deadline: Deadline
    ) -> tuple[_Group, tuple[RepoDescription | None, ...]] | None:
        """Return a node's descriptions of repositories; None if the node does not answer."""
        members = tuple(member_of(self.repos[repo], self.fingerprint) for repo in repos)
        key = members_key(members)
        known = self.known.get(f"{name}/{key}")
        epoch = known.epoch if known else ""
        try:
            batch = await self._batch(name, JointDescribe(key, known=epoch), deadline)
            if not batch.epoch:
                batch = await self._batch(name, JointDescribe(key, members, epoch), deadline)
        except GgrepError as error:
            if not is_elsewhere(error):
                raise
            return None
        if known is not None and batch.epoch == known.epoch:
            batch = known
        listed = batch.descriptions or ()
        if len(listed) != len(repos):
            return None
        self.known.keep(f"{name}/{key}", batch)
        places = {repo: place for place, repo in enumerate(repos)}
        return _Group(self.nodes, name, places, batch.epoch), listed

    async def _batch(
        self, name: str, message: JointDescribe, deadline: Deadline
    ) -> BatchedDescription:
        timeout_ms = whole_ms(for_daemon(deadline.remaining_ms()))
        timed_message = replace(message, timeout_ms=timeout_ms)
        node_message = NodeMessage(message_json("", timed_message))
        reply = await self.nodes.ask(name, node_message, deadline)
        return value_of(BatchedDescription, reply, "described")

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return each repository's lists of first hits, from the trees that were described last.

        Raises:
            SnapshotGone: a node does not answer, or has discarded its description.
            Incompatible: too many of the best hits have the same text.
            GgrepError: the error in a node's reply.
        """
        # If several groups contain a repository, the last group has described it.
        parts = [(group, group.places) for group in reversed(self._groups)]
        return await search_together(parts, question, repos, deadline)
