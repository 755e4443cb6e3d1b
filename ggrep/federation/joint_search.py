"""Searches hosts, team servers or nodes of a server (the parts) as one collection.

Each part scores its repositories with the sum of all statistics. Its lists contain the first hits
of its repositories, so merging the lists of all parts gives the first hits of all repositories. If
copies of a text are shown once, each part is queried again with the texts in the lists of the other
parts, until no list changes.
"""

import logging
from collections.abc import Awaitable, Collection, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import anyio
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError, Incompatible, SnapshotGone
from ggrep.base.ids import RepoId
from ggrep.federation.searcher import JointSearcher
from ggrep.model.batched_query import BatchedFigures, BatchedPoolResponse, BatchedQuery
from ggrep.model.confidence import merge_top_files
from ggrep.model.limits import sorted_limits
from ggrep.model.request import sum_statistics
from ggrep.model.response import RepoDescription

T = TypeVar("T")

_LOG = logging.getLogger(__name__)

_MOST_ROUNDS: Final = 6
"""Maximum number of searches of a part for copies of texts."""


class PartSearcher(Protocol):
    """A part of a collection; see `JointSearcher.search`."""

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return the first hits of each requested repository's lists."""
        ...


DescribedPart: TypeAlias = tuple[PartSearcher, Collection[RepoId]]
"""A part, and the repositories that it has described."""


class Together(Struct):
    """Combines several joint searchers into one."""

    searchers: Sequence[JointSearcher]
    _parts: Sequence[DescribedPart] = ()

    async def describe(self, deadline: Deadline) -> Mapping[RepoId, RepoDescription]:
        """Return the descriptions from all parts; a part that fails contributes none."""

        async def described(searcher: JointSearcher) -> Mapping[RepoId, RepoDescription]:
            try:
                return await searcher.describe(deadline)
            except GgrepError as error:
                _LOG.info("described one by one: %s", error)
                return {}

        each = await gather([described(searcher) for searcher in self.searchers])
        self._parts = [pair for pair in zip(self.searchers, each, strict=True) if pair[1]]
        return {repo: part[repo] for part in each for repo in part}

    async def search(
        self, question: BatchedQuery, repos: Sequence[RepoId], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return the first hits of each repository's lists; errors as `search_together`."""
        return await search_together(self._parts, question, repos, deadline)


async def search_together(
    described: Sequence[DescribedPart],
    question: BatchedQuery,
    repos: Sequence[RepoId],
    deadline: Deadline,
) -> BatchedPoolResponse:
    """Return the first hits of each repository's lists.

    Args:
        described: all parts; the first part that contains a repository searches it.
        question: the query.
        repos: the queried repositories; their order breaks ties.
        deadline: deadline of each call.

    Raises:
        SnapshotGone: no part has described a repository.
        Incompatible: too many hits are copies of few texts, or the statistics of the parts cannot
            be added.
        GgrepError: the first error of a part.
    """
    parts = _parts(described, repos, question)
    if len(parts) == 1:
        return await parts[0].pools(question, question.others, deadline)
    if question.by_rank:
        lists = await gather([part.pools(question, (), deadline) for part in parts])
        return _merged(parts, lists, len(repos))
    counting = replace(question, counting=True, silent=())
    counts = await gather([part.pools(counting, (), deadline) for part in parts])
    if question.counting:
        return _merged(parts, counts, len(repos))
    _require_one_shape([count.figures for count in counts])
    totals = [count.figures.total() for count in counts]
    lists = await _searched(parts, question, totals, deadline)
    return _merged(parts, lists, len(repos))


class _Part(Struct):
    """A part of the collection, with the repositories that it searches.

    Attributes:
        indexes: position of each of the part's repositories in the whole search.
        texts: chunk ids of hits in other parts.
    """

    searcher: PartSearcher
    repos: tuple[RepoId, ...]
    indexes: tuple[int, ...]
    texts: frozenset[str]

    async def pools(
        self, question: BatchedQuery, others: tuple[Any, ...], deadline: Deadline
    ) -> BatchedPoolResponse:
        """Return the part's lists; each list has the position of its repository in the part."""
        numbers = {index: number for number, index in enumerate(self.indexes)}
        share = replace(
            question,
            silent=tuple(numbers[index] for index in question.silent if index in numbers),
            by_rank=tuple(numbers[index] for index in question.by_rank if index in numbers),
            texts=tuple(sorted(self.texts)),
            others=others,
        )
        return await self.searcher.search(share, self.repos, deadline)


def _parts(
    described: Sequence[DescribedPart], repos: Sequence[RepoId], question: BatchedQuery
) -> list[_Part]:
    indexes = {repo: index for index, repo in enumerate(repos)}
    texts = frozenset(question.texts)
    parts = []
    for searcher, known in described:
        chosen = tuple(repo for repo in indexes if repo in known)
        if chosen:
            parts.append(_Part(searcher, chosen, tuple(map(indexes.pop, chosen)), texts))
    if indexes:
        raise SnapshotGone("a repository of the query has not sent its description")
    return sorted(parts, key=lambda part: part.indexes)


async def _searched(
    parts: Sequence[_Part],
    question: BatchedQuery,
    totals: Sequence[Any],
    deadline: Deadline,
) -> list[BatchedPoolResponse]:
    """Return the lists of the parts, after the parts know the texts in each other's lists."""
    others = [
        (sum_statistics([*totals[:place], *totals[place + 1 :], *question.others]),)
        for place in range(len(parts))
    ]
    lists: dict[int, BatchedPoolResponse] = {}
    changed = list(range(len(parts)))
    for _ in range(_MOST_ROUNDS):
        calls = [parts[at].pools(question, others[at], deadline) for at in changed]
        lists |= dict(zip(changed, await gather(calls), strict=True))
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


def _texts(response: BatchedPoolResponse) -> frozenset[str]:
    return frozenset(
        hit.chunk_id for listed in response.lists for _, hits in listed.corpora for hit in hits
    )


def _merged(
    parts: Sequence[_Part], responses: Sequence[BatchedPoolResponse], members: int
) -> BatchedPoolResponse:
    """Merge the replies of several parts into one reply about all members."""
    pairs = list(zip(parts, responses, strict=True))

    def entries_of(name: str) -> tuple[Any, ...]:
        """Return the entries of a field from all replies, with positions in the whole search."""
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
        lists=entries_of("lists"),
        leading=merge_top_files(response.leading for response in responses),
        limits_hit=sorted_limits({cut for response in responses for cut in response.limits_hit}),
        notices=entries_of("notices"),
        partial=indexes("partial"),
        reaching=indexes("reaching"),
        limits=entries_of("limits"),
    )


def _merged_figures(
    parts: Sequence[_Part], figures: Sequence[BatchedFigures], members: int
) -> BatchedFigures:
    """Return the statistics of all members.

    Raises:
        Incompatible: see `_require_one_shape`.
    """
    _require_one_shape(figures)
    first = figures[0]
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


def _require_one_shape(figures: Sequence[BatchedFigures]) -> None:
    """Require that statistics of parts can be merged.

    Raises:
        Incompatible: the parts counted different terms, or have different layouts.
    """
    shapes = {(each.layout, each.terms, len(each.lengths), bool(each.chunks)) for each in figures}
    if len(shapes) > 1:
        raise Incompatible("the term statistics of the parts have different layouts")


async def gather(calls: Sequence[Awaitable[T]]) -> list[T]:
    """Run calls concurrently; return their results. The first error cancels the other calls."""
    results: dict[int, T] = {}
    failures: list[GgrepError] = []

    async def run(number: int, call: Awaitable[T]) -> None:
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
