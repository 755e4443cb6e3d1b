"""Metrics over many cases: means, pass rates and 95 % intervals, of hits and of slates."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import fsum
from statistics import median
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct

from ggrep.interfaces.evaluation.measures import Score, SlateScore
from ggrep.interfaces.evaluation.questions import Answer
from ggrep.interfaces.evaluation.suite import Case
from ggrep.interfaces.evaluation.visible_lines import SHARES, Seen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ggrep.model.schemas.evaluation import (
        FigureBlockJson,
        FiguresJson,
        MeanJson,
        SlateBlockJson,
        SlateFiguresJson,
        SlateScoreJson,
    )

T = TypeVar("T")

DRAWS = 2000
SEED = 20_260_420
LEAST_GROUPS = 3
"""With fewer repositories there is nothing to draw from."""

_BOUND_DECIMALS = 6


def interval(values: Sequence[float], groups: Sequence[str]) -> tuple[float, float] | None:
    """Return the interval of the mean of `values`, each of the group that stands beside it.

    As many groups as there are, are drawn with replacement `DRAWS` times; the bounds are the
    means with 2.5 % of the draws beyond them. None with fewer than `LEAST_GROUPS` groups.
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
    """Return which groups each draw takes: int64 (DRAWS, groups).

    SplitMix64 over the place in the table: the same on every machine and for every version of
    any library.
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
    """A case, what came, and how good it is.

    Attributes:
        slates: of a case with places, in the order in which they were asked for.
    """

    case: Case
    answer: Answer
    score: Score
    slates: tuple[SlateScore, ...] = ()


class Mean(Struct, frozen=True):
    """A mean over the cases that have the figure.

    Attributes:
        value: None when no case has it.
        interval: 95 %, drawn by repository; None with too few of them.
    """

    value: float | None
    interval: tuple[float, float] | None


class Block(Struct, frozen=True):
    """The figures of some cases.

    Attributes:
        errors: cases that nobody answered; they count as 0.
    """

    cases: int
    errors: int
    ndcg10: Mean
    mrr10: Mean
    recall10: Mean
    pass_rate: Mean


class Figures(Struct, frozen=True):
    """All blocks of a run; names in order."""

    overall: Block
    by_category: tuple[tuple[str, Block], ...]
    by_language: tuple[tuple[str, Block], ...]
    by_repo: tuple[tuple[str, Block], ...]
    by_workspace: tuple[tuple[str, Block], ...]


def figures_of(rows: Sequence[Scored]) -> Figures:
    """Return the figures of a run."""
    parts = {name: grouped(rows, read, block_of) for name, read in GROUPS.items()}
    return Figures(overall=block_of(rows), **parts)


def block_of(rows: Sequence[Scored]) -> Block:
    """Return the figures of some cases."""
    return Block(
        cases=len(rows),
        errors=sum(bool(row.answer.error) for row in rows),
        ndcg10=_mean(rows, lambda score: score.ndcg10),
        mrr10=_mean(rows, lambda score: score.mrr10),
        recall10=_mean(rows, lambda score: score.recall10),
        pass_rate=_mean(rows, lambda score: float(score.passed)),
    )


def mean(values: Sequence[float]) -> float:
    """Return the mean, whatever the order of the values."""
    return round(fsum(values) / len(values), _DECIMALS)


def percentile(values: Iterable[float], share: float) -> float:
    """Return the value that `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def figures_json(figures: Figures) -> "FiguresJson":
    """Return the figures as reports hold them."""
    return {
        "overall": block_json(figures.overall),
        "by_category": {name: block_json(block) for name, block in figures.by_category},
        "by_language": {name: block_json(block) for name, block in figures.by_language},
        "by_repo": {name: block_json(block) for name, block in figures.by_repo},
        "by_workspace": {name: block_json(block) for name, block in figures.by_workspace},
    }


def block_json(block: Block) -> "FigureBlockJson":
    """Return one block as reports hold it."""
    return {
        "cases": block.cases,
        "errors": block.errors,
        "ndcg10": block.ndcg10.value,
        "ndcg10_interval": block.ndcg10.interval,
        "mrr10": block.mrr10.value,
        "mrr10_interval": block.mrr10.interval,
        "recall10": block.recall10.value,
        "recall10_interval": block.recall10.interval,
        "pass_rate": block.pass_rate.value,
        "pass_rate_interval": block.pass_rate.interval,
    }


GROUPS: Final[Mapping[str, Callable[[Scored], str]]] = {
    "by_category": lambda row: row.case.category,
    "by_language": lambda row: row.case.language,
    "by_repo": lambda row: row.case.repo,
    "by_workspace": lambda row: row.case.workspace,
}
"""What figures are drawn by; rows of which it is empty are in no group."""


def grouped(
    rows: Sequence[Scored],
    name: Callable[[Scored], str],
    block: Callable[[Sequence[Scored]], T],
) -> tuple[tuple[str, T], ...]:
    """Return a block for each group of rows, by the group's name."""
    groups: dict[str, list[Scored]] = {}
    for row in rows:
        if name(row):
            groups.setdefault(name(row), []).append(row)
    return tuple((key, block(groups[key])) for key in sorted(groups))


def mean_json(found: Mean) -> "MeanJson":
    """Return a mean as reports of slates hold it."""
    return {"value": found.value, "interval": found.interval}


def _mean(rows: Sequence[Scored], read: Callable[[Score], float | None]) -> Mean:
    found = [(value, row.case.repo) for row in rows if (value := read(row.score)) is not None]
    if not found:
        return Mean(None, None)
    values, repos = [value for value, _ in found], [repo for _, repo in found]
    return Mean(mean(values), interval(values, repos))


_SLATE_DECIMALS: Final = 12


class SlateBlock(Struct, frozen=True):
    """The figures of some cases with slates of one size.

    Attributes:
        errors: cases that nobody answered; they count as 0, and have no bytes.
        shares: by the names of `SHARES`.
        size: median bytes of an answer; None when there is none.
        calls: mean number of calls of the program a case; None when nothing was answered.
    """

    cases: int
    errors: int
    shares: Mapping[str, Mean]
    size: float | None
    calls: float | None


class SlateFigures(Struct, frozen=True):
    """All blocks of a size.

    Attributes:
        max_bytes: that slates may take; 0 for their level's own.
        parts: by the name of what cases have in common, as `by_repo`, then by its value.
    """

    max_bytes: int
    overall: SlateBlock
    parts: Mapping[str, tuple[tuple[str, SlateBlock], ...]]


def slate_figures(rows: Sequence[Scored]) -> tuple[SlateFigures, ...]:
    """Return the figures of each size, in the order in which cases were asked for them."""
    sizes = dict.fromkeys(score.max_bytes for row in rows for score in row.slates)
    return tuple(_of_size(size, rows) for size in sizes)


def slate_block(scores: Sequence[SlateScore], repos: Sequence[str]) -> SlateBlock:
    """Return the figures of some cases, each of the repository that stands beside it."""
    answered = [score.seen for score in scores if score.answered]
    return SlateBlock(
        cases=len(scores),
        errors=len(scores) - len(answered),
        shares={
            name: _slate_mean([share_of(each.seen, name) for each in scores], repos)
            for name in SHARES
        },
        size=float(median(seen.size for seen in answered)) if answered else None,
        calls=mean([float(seen.calls) for seen in answered]) if answered else None,
    )


def share_of(seen: Seen, name: str) -> float:
    """Return the share of that name."""
    return round(float(getattr(seen, name)), _SLATE_DECIMALS)


def slate_figures_json(found: Sequence[SlateFigures]) -> "list[SlateFiguresJson]":
    """Return the figures as reports hold them."""
    return [
        {
            "max_bytes": each.max_bytes,
            "overall": _block_json(each.overall),
            "by_category": _blocks_json(each, "by_category"),
            "by_language": _blocks_json(each, "by_language"),
            "by_repo": _blocks_json(each, "by_repo"),
            "by_workspace": _blocks_json(each, "by_workspace"),
        }
        for each in found
    ]


def slate_score_json(score: SlateScore) -> "SlateScoreJson":
    """Return what one slate showed, as reports hold it."""
    seen = score.seen
    return {
        "max_bytes": score.max_bytes,
        "places": share_of(seen, "places"),
        "told": share_of(seen, "told"),
        "files": share_of(seen, "files"),
        "line_precision": share_of(seen, "line_precision"),
        "file_precision": share_of(seen, "file_precision"),
        "bytes": seen.size if score.answered else None,
        "calls": seen.calls,
    }


def _of_size(size: int, rows: Sequence[Scored]) -> SlateFigures:
    asked = [row for row in rows if any(score.max_bytes == size for score in row.slates)]
    parts = {name: grouped(asked, read, _block(size)) for name, read in GROUPS.items()}
    return SlateFigures(size, _block(size)(asked), parts)


def _block(size: int) -> Callable[[Sequence[Scored]], SlateBlock]:
    def block(rows: Sequence[Scored]) -> SlateBlock:
        held = [
            (score, row.case.repo)
            for row in rows
            for score in row.slates
            if score.max_bytes == size
        ]
        return slate_block([score for score, _ in held], [repo for _, repo in held])

    return block


def _slate_mean(values: Sequence[float], repos: Sequence[str]) -> Mean:
    return Mean(mean(values), interval(values, repos)) if values else Mean(None, None)


def _block_json(block: SlateBlock) -> "SlateBlockJson":
    shares = block.shares
    return {
        "cases": block.cases,
        "errors": block.errors,
        "places": mean_json(shares["places"]),
        "told": mean_json(shares["told"]),
        "files": mean_json(shares["files"]),
        "line_precision": mean_json(shares["line_precision"]),
        "file_precision": mean_json(shares["file_precision"]),
        "bytes": block.size,
        "calls": block.calls,
    }


def _blocks_json(figures: SlateFigures, name: str) -> "dict[str, SlateBlockJson]":
    return {value: _block_json(block) for value, block in figures.parts[name]}
