"""Searches repositories on nodes: one by one, or all repositories of all nodes as one collection.

In a search of several nodes, each node scores its repositories with the sum of all statistics. Its
lists contain the first hits of its repositories, so merging the lists of all nodes gives the first
hits of all repositories. If copies of a text are shown once, the nodes are queried again with the
texts of the others, until no list changes.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import anyio
from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, GgrepError, Incompatible, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.federation.daemon_searcher import KnownHosts
from ggrep.federation.searcher import JointSearcher, RepoSearcher
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.batched_query import (
    BatchedDescription,
    BatchedFigures,
    BatchedPoolRequest,
    BatchedPoolResponse,
    BatchedQuery,
    members_key,
)
from ggrep.model.confidence import merge_top_files
from ggrep.model.limits import sorted_limits
from ggrep.model.operations import operation_of
from ggrep.model.request import Request, sum_statistics
from ggrep.model.response import RepoDescription
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.messages import (
    Ask,
    Describe,
    Fetch,
    JointDescribe,
    JointPool,
    Message,
    QueryMessage,
    for_daemon,
    message_json,
    timed,
    whole_ms,
    within,
)
from ggrep.protocol.wire.replies import Reply
from ggrep.server.epoch import ServedRepo
from ggrep.server.node import NodeMessage, member_of
from ggrep.server.nodes import Nodes, is_elsewhere

R = TypeVar("R")

_MOST_ROUNDS: Final = 6
"""Maximum number of searches of a node for copies of texts."""


class NodeSearcher(Struct, frozen=True):
    """A repository on the nodes that hold it."""

    nodes: Nodes
    repo: ServedRepo

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the description of the repository's tree."""
        reply = await self._ask(lambda left_ms: Describe(whole_ms(left_ms)), deadline)
        return value_of(RepoDescription, reply, "description")

    async def ask(self, request: Request[R], deadline: Deadline) -> R:
        """Return the answer to a request."""
        operation = operation_of(request)
        message: Ask[Any] | Fetch[Any]
        message = Ask(request, values=True) if operation.is_public else Fetch(request)
        reply = await self._ask(lambda left_ms: within(message, left_ms), deadline)
        return value_of(operation.response, reply, operation.reply_key)

    async def reply(self, message: QueryMessage, deadline: Deadline) -> Reply:
        """Return the reply to a query, with the answer as a document."""
        return await self._ask(lambda left_ms: within(message, left_ms), deadline)

    async def _ask(self, message_of: Callable[[float], Message], deadline: Deadline) -> Reply:
        failure: GgrepError = Unreachable("no node that holds this repository answers")
        for name in self.nodes.holders(self.repo.key):
            message = message_json("", message_of(for_daemon(deadline.remaining_ms())))
            try:
                return await self.nodes.ask(name, NodeMessage(message, self.repo), deadline)
            except GgrepError as error:
                if not is_elsewhere(error):
                    raise
                if isinstance(error, Busy):
                    failure = error
        raise failure


class NodeSearchers(Struct, frozen=True):
    """Opens searchers of repositories on nodes.

    Attributes:
        fingerprint: the configuration's.
        repos: the repositories that the caller may see, by id.
    """

    nodes: Nodes
    fingerprint: str
    repos: Mapping[RepoId, ServedRepo]
    known: KnownHosts

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Do nothing."""

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
    """Repositories that a node has described together.

    Attributes:
        repos: in the order of the description.
    """

    node: str
    repos: tuple[RepoId, ...]
    epoch: str


class _Part(Struct):
    """A node's share of a search.

    Attributes:
        indexes: for each of the node's members, its index in the whole search.
        places: for each of them, its index in the group.
    """

    group: _Group
    indexes: tuple[int, ...]
    places: tuple[int, ...]
    texts: frozenset[str] = frozenset()

    def question(self, question: BatchedQuery) -> BatchedQuery:
        """Return the question with the indexes of the node's members."""
        numbers = {index: number for number, index in enumerate(self.indexes)}
        return replace(
            question,
            silent=tuple(numbers[index] for index in question.silent if index in numbers),
            by_rank=tuple(numbers[index] for index in question.by_rank if index in numbers),
            texts=tuple(sorted(self.texts)),
        )


class NodesTogether(Struct):
    """All repositories of a question on all nodes, searched as one collection."""

    nodes: Nodes
    fingerprint: str
    repos: Mapping[RepoId, ServedRepo]
    known: KnownHosts
    _groups: list[_Group] = field(default_factory=list)

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        """Return the descriptions of repositories that a node holds.

        A repository that the preferred node does not describe is described by the next one.
        """
        self._groups = []
        descriptions: dict[RepoId, RepoDescription] = {}
        tried: dict[RepoId, set[str]] = {repo: set() for repo in self.repos}
        while by_node := self._by_node(tried):
            asked = [self._described(name, repos, deadline) for name, repos in by_node.items()]
            for name, described in zip(by_node, await _gather(asked), strict=True):
                for repo in by_node[name]:
                    tried[repo].add(name)
                if described is None:
                    continue
                group, listed = described
                self._groups.append(group)
                for repo, description in zip(group.repos, listed, strict=True):
                    if description is not None:
                        descriptions[repo] = description
                        del tried[repo]
        return dict(sorted(descriptions.items()))

    def _by_node(self, tried: Mapping[RepoId, set[str]]) -> dict[str, tuple[RepoId, ...]]:
        """Return the repositories that are not described yet, by the next node to ask."""
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
        """Return a node's descriptions; None if it does not answer."""
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
        return _Group(name, repos, batch.epoch), listed

    async def _batch(
        self, name: str, message: JointDescribe, deadline: Deadline
    ) -> BatchedDescription:
        timeout_ms = whole_ms(for_daemon(deadline.remaining_ms()))
        reply = await self._ask(name, replace(message, timeout_ms=timeout_ms), deadline)
        return value_of(BatchedDescription, reply, "described")

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return the first hits of the lists of repositories, from the trees described last.

        Raises:
            SnapshotGone: a node does not answer, or no longer has the description.
            Incompatible: too many hits are copies of few texts.
            GgrepError: as for one repository.
        """
        parts = self._parts(repos)
        for part in parts:
            part.texts = frozenset(question.texts)
        if len(parts) == 1:
            return await self._pools(parts[0], question, question.others, deadline)
        if question.by_rank:
            lists = await _gather([self._pools(part, question, (), deadline) for part in parts])
            return _merged(parts, lists, len(repos))
        counting = replace(question, counting=True, silent=())
        counts = await _gather([self._pools(part, counting, (), deadline) for part in parts])
        if question.counting:
            return _merged(parts, counts, len(repos))
        totals = [count.figures.total() for count in counts]
        lists = await self._searched(parts, question, totals, deadline)
        return _merged(parts, lists, len(repos))

    async def _searched(
        self,
        parts: Sequence[_Part],
        question: BatchedQuery,
        totals: Sequence[Any],
        deadline: Deadline,
    ) -> list[BatchedPoolResponse]:
        """Return the lists of the nodes; with copies of the texts in the lists of other nodes."""
        others = [
            (sum_statistics([*totals[:place], *totals[place + 1 :], *question.others]),)
            for place in range(len(parts))
        ]
        lists: dict[int, BatchedPoolResponse] = {}
        changed = list(range(len(parts)))
        for _ in range(_MOST_ROUNDS):
            asked = [self._pools(parts[at], question, others[at], deadline) for at in changed]
            lists |= dict(zip(changed, await _gather(asked), strict=True))
            if not question.folds:
                break
            texts = [_texts(lists[at]) for at in range(len(parts))]
            changed = []
            for at, part in enumerate(parts):
                beside = frozenset().union(question.texts, *texts[:at], *texts[at + 1 :])
                if beside != part.texts:
                    part.texts = beside
                    changed.append(at)
            if not changed:
                break
        else:
            raise Incompatible("too many of the best hits have the same text")
        return [lists[at] for at in range(len(parts))]

    def _parts(self, repos: Sequence[RepoId]) -> list[_Part]:
        indexes = {repo: index for index, repo in enumerate(repos)}
        parts = []
        left = set(indexes)
        # A repository that is described twice is in the group that described it last.
        for group in reversed(self._groups):
            places = [place for place, repo in enumerate(group.repos) if repo in left]
            if places:
                left -= {group.repos[place] for place in places}
                chosen = tuple(indexes[group.repos[place]] for place in places)
                parts.append(_Part(group, chosen, tuple(places)))
        if left:
            raise SnapshotGone("the nodes returned no description of a repository")
        return sorted(parts, key=lambda part: part.indexes)

    async def _pools(
        self, part: _Part, question: BatchedQuery, others: tuple[Any, ...], deadline: Deadline
    ) -> BatchedPoolResponse:
        search = timed(question.search, for_daemon(deadline.remaining_ms()))
        asked = part.question(replace(question, search=search, others=others))
        message = JointPool(BatchedPoolRequest(asked, part.group.epoch, part.places))
        try:
            reply = await self._ask(part.group.node, message, deadline)
        except GgrepError as error:
            if not is_elsewhere(error):
                raise
            # The coordinator has the repositories described again, by the other nodes.
            raise SnapshotGone(str(error)) from error
        return value_of(BatchedPoolResponse, reply, "pools")

    async def _ask(self, name: str, message: Message, deadline: Deadline) -> Reply:
        return await self.nodes.ask(name, NodeMessage(message_json("", message)), deadline)


def _texts(response: BatchedPoolResponse) -> frozenset[str]:
    return frozenset(
        hit.chunk_id for listed in response.lists for _, hits in listed.corpora for hit in hits
    )


def _merged(
    parts: Sequence[_Part], responses: Sequence[BatchedPoolResponse], members: int
) -> BatchedPoolResponse:
    """Return the replies of several nodes as one reply about all members."""
    pairs = list(zip(parts, responses, strict=True))

    def every(name: str) -> tuple[Any, ...]:
        """Return a field's entries with the members' indexes in the whole search, in order."""
        entries = [
            replace(entry, member=part.indexes[entry.member])
            for part, response in pairs
            for entry in getattr(response, name)
        ]
        return tuple(sorted(entries, key=lambda entry: entry.member))

    def indexes(name: str) -> tuple[int, ...]:
        return tuple(
            sorted(
                part.indexes[number]
                for part, response in pairs
                for number in getattr(response, name)
            )
        )

    return BatchedPoolResponse(
        figures=_merged_figures(parts, [response.figures for response in responses], members),
        lists=every("lists"),
        leading=merge_top_files(response.leading for response in responses),
        limits_hit=sorted_limits({cut for response in responses for cut in response.limits_hit}),
        notices=every("notices"),
        partial=indexes("partial"),
        reaching=indexes("reaching"),
        limits=every("limits"),
    )


def _merged_figures(
    parts: Sequence[_Part], figures: Sequence[BatchedFigures], members: int
) -> BatchedFigures:
    """Return the statistics of all members.

    Raises:
        Incompatible: the nodes count other terms, or in another layout.
    """
    first = figures[0]
    if any((each.layout, each.terms) != (first.layout, first.terms) for each in figures):
        raise Incompatible("the term statistics of the nodes have different layouts")
    if not first.chunks:
        return first  # lists merged by rank have no statistics

    def column(columns: Sequence[Sequence[int]]) -> tuple[int, ...]:
        values = [0] * members
        for part, counts in zip(parts, columns, strict=True):
            for index, count in zip(part.indexes, counts, strict=True):
                values[index] = count
        return tuple(values)

    def columns(name: str) -> tuple[tuple[int, ...], ...]:
        tables = [getattr(each, name) for each in figures]
        return tuple(map(column, zip(*tables, strict=True)))

    return BatchedFigures(
        first.layout,
        column([each.chunks for each in figures]),
        column([each.files for each in figures]),
        columns("lengths"),
        first.terms,
        columns("held"),
        columns("named"),
    )


async def _gather(calls: Sequence[Awaitable[R]]) -> list[R]:
    """Return the results of calls that run at once; the first error cancels the others."""
    results: dict[int, R] = {}
    failures: list[GgrepError] = []

    async def run(number: int, call: Awaitable[R]) -> None:
        try:
            results[number] = await call
        except GgrepError as error:
            failures.append(error)
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for number, call in enumerate(calls):
            group.start_soon(run, number, call)
    if failures:
        raise failures[0]
    return [results[number] for number in range(len(calls))]
