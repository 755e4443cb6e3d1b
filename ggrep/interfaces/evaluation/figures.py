"""Metrics over many cases: means, pass rate and intervals, in total and by kind."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

from ggrep.interfaces.evaluation.bootstrap import interval
from ggrep.interfaces.evaluation.measures import Score
from ggrep.interfaces.evaluation.questions import Answer
from ggrep.interfaces.evaluation.suite import Case

if TYPE_CHECKING:
    from ggrep.model.schemas.evaluation import FigureBlockJson, FiguresJson

_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Scored:
    """A case, what came, and how good it is."""

    case: Case
    answer: Answer
    score: Score


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over the cases that have the figure.

    Attributes:
        value: None when no case has it.
        interval: 95 %, drawn by repository; None with too few of them.
    """

    value: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Block:
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


@dataclass(frozen=True, slots=True)
class Figures:
    """All blocks of a run; names in order."""

    overall: Block
    by_category: tuple[tuple[str, Block], ...]
    by_language: tuple[tuple[str, Block], ...]
    by_repo: tuple[tuple[str, Block], ...]
    by_workspace: tuple[tuple[str, Block], ...]


def figures_of(rows: Sequence[Scored]) -> Figures:
    """Return the figures of a run."""
    return Figures(
        overall=block_of(rows),
        by_category=_blocks(rows, lambda row: row.case.category),
        by_language=_blocks(rows, lambda row: row.case.language),
        by_repo=_blocks(rows, lambda row: row.case.repo),
        by_workspace=_blocks(
            [row for row in rows if row.case.workspace], lambda row: row.case.workspace
        ),
    )


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


def _blocks(rows: Sequence[Scored], name: Callable[[Scored], str]) -> tuple[tuple[str, Block], ...]:
    groups: dict[str, list[Scored]] = {}
    for row in rows:
        groups.setdefault(name(row), []).append(row)
    return tuple((key, block_of(groups[key])) for key in sorted(groups))


def _mean(rows: Sequence[Scored], read: Callable[[Score], float | None]) -> Mean:
    found = [(value, row.case.repo) for row in rows if (value := read(row.score)) is not None]
    if not found:
        return Mean(None, None)
    values, repos = [value for value, _ in found], [repo for _, repo in found]
    return Mean(mean(values), interval(values, repos))
