"""Which of an ordered list of candidates are shown: quotas by intent, a bound per file.

Pure and shared: one repository's answer and a federated answer are cut by the same function, so
that a workspace shows what one store over all its files would.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from ggrep.domain.corpus import Bucket, Mode

T = TypeVar("T")

_WEIGHTS: dict[Mode, tuple[int, int, int]] = {
    Mode.DISCOVERY: (3, 4, 3),
    Mode.IMPLEMENTATION: (6, 2, 2),
    Mode.PLANNING: (2, 6, 2),
    Mode.DEBUG: (7, 2, 1),
}
"""Shares of code : docs : graph."""

_ORDER = (Bucket.CODE, Bucket.DOCS, Bucket.GRAPH)


def quotas(mode: Mode, limit: int) -> dict[Bucket, int]:
    """Return how many of `limit` places each bucket is dealt; empty in balanced mode.

    Each bucket gets one place first (with three or more places; graph gets none in debug mode),
    the rest is split by largest remainder, ties in the order code, docs, graph.
    """
    weights = _WEIGHTS.get(mode)
    if weights is None:
        return {}
    if limit < 3:
        first = (1, 1, 0) if limit == 2 else (limit, 0, 0)
        return dict(zip(_ORDER, first, strict=True))
    base = (1, 1, 0) if mode is Mode.DEBUG else (1, 1, 1)
    rest, total = limit - sum(base), sum(weights)
    shares = [rest * weight // total for weight in weights]
    by_remainder = sorted(range(3), key=lambda i: (-(rest * weights[i] % total), i))
    for index in by_remainder[: rest - sum(shares)]:
        shares[index] += 1
    return {bucket: base[i] + shares[i] for i, bucket in enumerate(_ORDER)}


def select(
    ranked: Sequence[T],
    *,
    mode: Mode,
    limit: int,
    per_file: int,
    bucket: Callable[[T], Bucket],
    file: Callable[[T], Hashable],
) -> list[T]:
    """Return at most `limit` of `ranked`, no more than `per_file` of one file (0: unbounded).

    In balanced mode the list's own order stands. Otherwise hits come grouped: each bucket's
    quota in turn, then the best of what is left.
    """
    taken: Counter[Hashable] = Counter()
    picked: list[int] = []
    seen: set[int] = set()

    def take(index: int) -> bool:
        key = file(ranked[index])
        if index in seen or (per_file and taken[key] >= per_file):
            return False
        taken[key] += 1
        seen.add(index)
        picked.append(index)
        return True

    for name, places in quotas(mode, limit).items():
        members = (i for i, item in enumerate(ranked) if bucket(item) is name)
        _fill(members, places, take)
    _fill(iter(range(len(ranked))), limit - len(picked), take)
    return [ranked[index] for index in picked]


def _fill(indexes: Iterator[int], places: int, take: Callable[[int], bool]) -> None:
    while places > 0:
        index = next(indexes, None)
        if index is None:
            return
        places -= take(index)
