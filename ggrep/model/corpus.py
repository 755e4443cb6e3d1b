"""Corpora, and the quotas for selecting hits of each corpus."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from enum import Enum
from typing import Generic, TypeVar

from msgspec import Struct


class Corpus(Enum):
    """The list of a workspace answer that a chunk belongs to; the value is the list's JSON key."""

    CODE = "code"
    PROSE = "prose"
    EXTRACTED_PROSE = "extractedProse"
    RECORDS = "records"


class Bucket(Enum):
    """A group of hits that share a quota."""

    CODE = "code"
    DOCS = "docs"
    GRAPH = "graph"


class Mode(Enum):
    """The intent of a query, which determines the quotas of buckets."""

    BALANCED = "balanced"
    DISCOVERY = "discovery"
    IMPLEMENTATION = "implementation"
    PLANNING = "planning"
    DEBUG = "debug"


CORPORA = tuple(Corpus)
"""All corpora, in the order used everywhere."""

CORPUS_WORDS = {
    "code": Corpus.CODE,
    "prose": Corpus.PROSE,
    "extracted-prose": Corpus.EXTRACTED_PROSE,
    "records": Corpus.RECORDS,
}
"""Words for `--corpus`, and for a request's `search.mode`."""


def bucket_of(corpus: Corpus) -> Bucket:
    """Return the bucket whose quota applies to chunks of `corpus`."""
    match corpus:
        case Corpus.CODE:
            return Bucket.CODE
        case Corpus.EXTRACTED_PROSE:
            return Bucket.GRAPH
        case Corpus.PROSE | Corpus.RECORDS:
            return Bucket.DOCS


T = TypeVar("T")

_WEIGHTS: dict[Mode, tuple[int, int, int]] = {
    Mode.DISCOVERY: (3, 4, 3),
    Mode.IMPLEMENTATION: (6, 2, 2),
    Mode.PLANNING: (2, 6, 2),
}
"""Shares of the buckets code, docs and graph."""

_ORDER = (Bucket.CODE, Bucket.DOCS, Bucket.GRAPH)


def quotas(mode: Mode, limit: int) -> dict[Bucket, int]:
    """Return how many of `limit` hits each bucket gets; empty in balanced and debug mode.

    With a limit of three or more, each bucket first gets one hit. The rest is split by largest
    remainder; ties are broken in the order code, docs, graph.
    """
    weights = _WEIGHTS.get(mode)
    if weights is None:
        return {}
    if limit < 3:
        first = (1, 1, 0) if limit == 2 else (limit, 0, 0)
        return dict(zip(_ORDER, first, strict=True))
    rest, total = limit - 3, sum(weights)
    shares = [rest * weight // total for weight in weights]
    by_remainder = sorted(range(3), key=lambda i: (-(rest * weights[i] % total), i))
    for index in by_remainder[: rest - sum(shares)]:
        shares[index] += 1
    return {bucket: 1 + shares[i] for i, bucket in enumerate(_ORDER)}


class Allocation(Struct, Generic[T], frozen=True):
    """The selected items of a list, and the rules that selected them.

    Attributes:
        items: the selected items in the order of the answer.
        rules: for each item `best` (by the list's order), `quota` (within the quota of its bucket)
            or `fill` (to use up the limit).
        over_file: number of items that were skipped because their file had `per_file` items.
    """

    items: list[T]
    rules: tuple[str, ...]
    over_file: int


def select(  # noqa: PLR0913 - the list and its limits
    ranked: Sequence[T],
    *,
    mode: Mode,
    limit: int,
    per_file: int,
    bucket: Callable[[T], Bucket],
    file: Callable[[T], Hashable],
    spread: Callable[[T], int] | None = None,
) -> list[T]:
    """Return the items of `allocate`, without the rules."""
    buckets, files = [bucket(item) for item in ranked], [file(item) for item in ranked]
    places = None if spread is None else [spread(item) for item in ranked]
    return allocate(
        ranked, buckets, files, mode=mode, limit=limit, per_file=per_file, spread=places
    ).items


def allocate(  # noqa: PLR0913 - likewise
    ranked: Sequence[T],
    buckets: Sequence[Bucket],
    files: Sequence[Hashable],
    *,
    mode: Mode,
    limit: int,
    per_file: int,
    spread: Sequence[int] | None = None,
) -> Allocation[T]:
    """Return at most `limit` items of `ranked`, with at most `per_file` of each file (0: no bound).

    In balanced mode the items keep their order. In other modes the items are grouped: first the
    quota of each bucket, one bucket after another, then the best of the rest.

    Args:
        ranked: the items, best first.
        buckets: bucket of each item.
        files: file of each item.
        mode: the mode, which determines the quotas.
        limit: maximum number of items.
        per_file: maximum number of items of a file.
        spread: sort key of each item. With sort keys, the first item of every file is selected
            before a second item of any file (rule `fill`). None to select items in their order.
    """
    allocator = _Allocator(files, per_file)
    if spread is not None:
        order = sorted(range(len(ranked)), key=lambda index: spread[index])
        for share in range(1, (per_file or len(ranked)) + 1):
            before, allocator.per_file = len(allocator.picked), share
            allocator.fill(iter(order), limit - before, "best" if share == 1 else "fill")
            if len(allocator.picked) == before:
                break
        return allocator.allocation(ranked)
    shares = quotas(mode, limit)
    for name, places in shares.items():
        members = (i for i, bucket in enumerate(buckets) if bucket is name)
        allocator.fill(members, places, "quota")
    allocator.fill(
        iter(range(len(ranked))), limit - len(allocator.picked), "fill" if shares else "best"
    )
    return allocator.allocation(ranked)


class _Allocator:
    """Selects indexes, and records the rule that selected each index."""

    def __init__(self, files: Sequence[Hashable], per_file: int) -> None:
        self._files = files
        self.per_file = per_file
        self._taken: Counter[Hashable] = Counter()
        self.picked: dict[int, str] = {}
        self.refused: set[int] = set()

    def fill(self, indexes: Iterator[int], places: int, rule: str) -> None:
        """Select at most `places` indexes; skip items of a file with `per_file` selected items."""
        while places > 0 and (index := next(indexes, None)) is not None:
            places -= self._take(index, rule)

    def allocation(self, ranked: Sequence[T]) -> Allocation[T]:
        """Return the selected items of `ranked`, each with the rule by which it was selected."""
        items = [ranked[index] for index in self.picked]
        return Allocation(items, tuple(self.picked.values()), len(self.refused))

    def _take(self, index: int, rule: str) -> bool:
        file = self._files[index]
        if index in self.picked:
            return False
        if self.per_file and self._taken[file] >= self.per_file:
            self.refused.add(index)
            return False
        self.refused.discard(index)
        self._taken[file] += 1
        self.picked[index] = rule
        return True
