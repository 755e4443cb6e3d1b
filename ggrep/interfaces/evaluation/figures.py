"""Metrics over many cases, of hits and of slates: means, pass rates and 95 % intervals."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import fsum
from statistics import median
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct

from ggrep.interfaces.evaluation.measures import Score
from ggrep.interfaces.evaluation.questions import Answer
from ggrep.interfaces.evaluation.suite import Case
from ggrep.interfaces.evaluation.visible_lines import Seen
from ggrep.model.evaluation import (
    MEASURES,
    SHARES,
    FigureBlock,
    Figures,
    Interval,
    Mean,
    SlateBlock,
    SlateFigures,
    SlateScore,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


T = TypeVar("T")

DRAWS = 2000
SEED = 20_260_420
LEAST_GROUPS = 3
"""Minimum number of repositories for an interval."""

_BOUND_DECIMALS = 6


def interval(values: Sequence[float], groups: Sequence[str]) -> Interval | None:
    """Return the interval of the mean of `values`; `groups` has the group of each value.

    The bootstrap samples all groups with replacement, `DRAWS` times; 2.5 % of the means are beyond
    each bound. Returns None for fewer than `LEAST_GROUPS` groups.
    """
    import numpy as np

    names = sorted(set(groups))
    if len(names) < LEAST_GROUPS:
        return None
    place = {name: index for index, name in enumerate(names)}
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    for value, group in sorted(zip(values, groups, strict=True)):
        sums[place[group]] += value
        counts[place[group]] += 1
    drawn = draws(len(names))
    means = np.sort(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    low, high = means[int(DRAWS * 0.025)], means[int(DRAWS * 0.975) - 1]
    return round(float(low), _BOUND_DECIMALS), round(float(high), _BOUND_DECIMALS)


@cache
def draws(groups: int) -> "NDArray[Any]":
    """Return the indexes of the groups in each sample of the bootstrap: int64 (DRAWS, groups).

    The indexes come from SplitMix64 of the position in the table, so they are equal on every
    machine and with every library version.
    """
    import numpy as np

    place = np.arange(1, DRAWS * groups + 1, dtype=np.uint64)
    mixed = np.uint64(SEED) + place * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    chosen = ((mixed >> np.uint64(32)) * np.uint64(groups)) >> np.uint64(32)
    return chosen.astype(np.int64).reshape(DRAWS, groups)


_DECIMALS = 12


class Scored(Struct, frozen=True):
    """A case with its answer and its scores.

    Attributes:
        slates: scores of the case's slates, in the order of the requests.
    """

    case: Case
    answer: Answer
    score: Score
    slates: tuple[SlateScore, ...] = ()


def figures_of(rows: Sequence[Scored]) -> Figures:
    """Return the metrics of a run."""
    return Figures(block_of(rows), **_by_group(rows, block_of))


def block_of(rows: Sequence[Scored]) -> FigureBlock:
    """Return the metrics of some cases."""
    ndcg10, mrr10, recall10, passed = (_mean_of(rows, name) for name in MEASURES)
    return FigureBlock(
        cases=len(rows),
        errors=sum(bool(row.answer.error) for row in rows),
        ndcg10=ndcg10.value,
        ndcg10_interval=ndcg10.interval,
        mrr10=mrr10.value,
        mrr10_interval=mrr10.interval,
        recall10=recall10.value,
        recall10_interval=recall10.interval,
        pass_rate=passed.value,
        pass_rate_interval=passed.interval,
    )


def mean(values: Sequence[float]) -> float:
    """Return the mean; the order of the values has no effect, not even by rounding."""
    return round(fsum(values) / len(values), _DECIMALS)


def mean_of(values: Sequence[float], repos: Sequence[str]) -> Mean:
    """Return the mean and its interval; `repos` has the repository of each value."""
    return Mean(mean(values), interval(values, repos)) if values else Mean(None, None)


def percentile(values: Iterable[float], share: float) -> float:
    """Return a percentile: the element at `share` (0 to 1) of the sorted values."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


_GROUPS: Final = {
    "by_category": "category",
    "by_language": "language",
    "by_repo": "repo",
    "by_workspace": "workspace",
}
"""Fields of a case that group figures; a case without a value is in no group."""


def _by_group(
    rows: Sequence[Scored], block: Callable[[Sequence[Scored]], T]
) -> dict[str, dict[str, T]]:
    """Return metrics by field in `_GROUPS` and by the field's value, sorted."""
    parts = {}
    for name, field in _GROUPS.items():
        groups: dict[str, list[Scored]] = {}
        for row in rows:
            if value := getattr(row.case, field):
                groups.setdefault(value, []).append(row)
        parts[name] = {value: block(groups[value]) for value in sorted(groups)}
    return parts


def _mean_of(rows: Sequence[Scored], name: str) -> Mean:
    scores = [(getattr(row.score, name), row.case.repo) for row in rows]
    present = [(float(value), repo) for value, repo in scores if value is not None]
    return mean_of([value for value, _ in present], [repo for _, repo in present])


def slate_score(max_bytes: int, seen: Seen | None) -> SlateScore:
    """Return the score of a slate of at most `max_bytes`; `seen` is None without an answer."""
    shares = {name: round(float(getattr(seen, name, 0.0)), _DECIMALS) for name in SHARES}
    size, calls = (seen.size, seen.calls) if seen else (None, 0)
    return SlateScore(max_bytes, **shares, bytes=size, calls=calls)


def slate_figures(rows: Sequence[Scored]) -> tuple[SlateFigures, ...]:
    """Return the metrics of slates for each size, in the order of the requests."""
    sizes = dict.fromkeys(score.max_bytes for row in rows for score in row.slates)
    return tuple(_of_size(size, rows) for size in sizes)


def _of_size(size: int, rows: Sequence[Scored]) -> SlateFigures:
    def block(rows: Sequence[Scored]) -> SlateBlock:
        scores = [
            (score, row.case.repo)
            for row in rows
            for score in row.slates
            if score.max_bytes == size
        ]
        return slate_block([score for score, _ in scores], [repo for _, repo in scores])

    asked = [row for row in rows if any(score.max_bytes == size for score in row.slates)]
    return SlateFigures(size, block(asked), **_by_group(asked, block))


def slate_block(scores: Sequence[SlateScore], repos: Sequence[str]) -> SlateBlock:
    """Return the metrics of some slates; `repos` has the repository of each slate."""
    sizes = [float(score.bytes) for score in scores if score.bytes is not None]
    calls = [float(score.calls) for score in scores if score.bytes is not None]
    return SlateBlock(
        cases=len(scores),
        errors=len(scores) - len(sizes),
        **{name: mean_of([getattr(score, name) for score in scores], repos) for name in SHARES},
        bytes=median(sizes) if sizes else None,
        calls=mean(calls) if calls else None,
    )
