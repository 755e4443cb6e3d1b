"""Figures of slates over many cases: what they show of the places that answer, by their bytes."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from ggrep.interfaces.evaluation.figures import (
    GROUPS,
    Mean,
    Scored,
    grouped,
    interval,
    mean,
    mean_json,
)
from ggrep.interfaces.evaluation.measures import SlateScore
from ggrep.interfaces.evaluation.visible_places import SHARES, Seen

if TYPE_CHECKING:
    from ggrep.model.schemas.evaluation import SlateBlockJson, SlateFiguresJson, SlateScoreJson

_DECIMALS: Final = 12


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
            name: _mean([share_of(each.seen, name) for each in scores], repos) for name in SHARES
        },
        size=float(median(seen.size for seen in answered)) if answered else None,
        calls=mean([float(seen.calls) for seen in answered]) if answered else None,
    )


def share_of(seen: Seen, name: str) -> float:
    """Return the share of that name."""
    return round(float(getattr(seen, name)), _DECIMALS)


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


def _mean(values: Sequence[float], repos: Sequence[str]) -> Mean:
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
