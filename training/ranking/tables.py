"""Fits as the Markdown tables of docs/quality.md."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from textwrap import wrap

from msgspec import Struct

from training.ranking.descent import FOLDS, LEAST_GAIN
from training.ranking.points import OF_ALL, OF_NAMES, Point, grid_for

_REPETITIONS = "held out, each time"
_FOLD_VALUES = "values of the fits to folds (number of fits)"
_CALLED = {
    "near": "encoder's cosine of the file",
    "floor": "encoder's greatest ignored cosine",
    "row": "encoder's cosine of the chunk",
    "text": "words of the chunk",
    "path": "words of the path",
    "stem": "words of the file name",
    "symbol": "definitions of names",
    "name_symbol": "for single names: definitions",
    "name_stem": "for single names: file name",
    "name_dense": "for single names: encoder",
}


class Gain(Struct, frozen=True):
    """What some weights are worth more than the neutral ones.

    Attributes:
        interval: 95 %, drawn by repository; None with too few of them.
    """

    mean: float
    interval: tuple[float, float] | None


class Fitted(Struct, frozen=True):
    """What a fit with one encoder found.

    Attributes:
        points: the neutral one, the one in force and the fitted one.
        means: NDCG@10 over all questions, of each of these.
        held_out: NDCG@10 over all questions, each judged by a fit that did not see its
            repository; one for each shuffling.
        gains: of the point in force, the fitted one, and held out.
        of_folds: what those fits found.
    """

    encoder: str
    questions: int
    repos: int
    points: tuple[Point, Point, Point]
    means: tuple[float, float, float]
    held_out: tuple[float, ...]
    gains: tuple[Gain, Gain, Gain]
    of_folds: tuple[Point, ...]

    @property
    def gap(self) -> float:
        """Return by how much the fit does better on what it saw than on what it did not."""
        return self.means[2] - fmean(self.held_out)


def table(found: Sequence[Fitted]) -> str:
    """Return what the fits are worth, then the weights they found."""
    first = found[0]
    worth = (
        f"The table has NDCG@10 over {first.questions} questions about {first.repos} repositories "
        "with four sets of weights: neutral (round numbers), current, fitted to all questions, and "
        f"held out. For *held out*, the repositories are divided at random into {FOLDS} folds, and "
        f"each fold is evaluated with weights fitted to the other folds; this is repeated "
        f"{len(first.held_out)} times. The gap is *fitted* minus *held out*."
    )
    how = (
        "A fit begins with the neutral weights and tries the values of a coarse grid, one weight "
        f"at a time. A value is accepted only if the mean rises by at least {LEAST_GAIN} and at "
        "least as many repositories gain as lose. Grid, order and neutral weights were chosen with "
        "knowledge of all these questions, so even *held out* is slightly too high."
    )
    beside = (
        "The next table has the differences from the neutral weights, with 95 % bootstrap "
        "intervals over repositories. Only *held out* estimates the gain on other repositories."
    )
    chosen = (
        "The last tables list the fitted weights, and how many of the fits to folds chose each "
        "value. If the fits disagree about a weight, the questions do not determine it."
    )
    heads = [
        "NDCG@10",
        "neutral weights",
        "current weights",
        "fitted weights",
        "held out",
        "gap",
        _REPETITIONS,
    ]
    differences = [
        "gain of NDCG@10",
        "current weights",
        "interval",
        "fitted weights",
        "interval",
        "held out",
        "interval",
    ]
    lines = ["## How far the weights are trusted", ""]
    lines += [*_wrapped(worth), "", *_wrapped(how), ""]
    lines += _table(heads, [_worth(each) for each in found])
    lines += ["", *_wrapped(beside), "", *_table(differences, [_gains(each) for each in found])]
    lines += ["", *_wrapped(chosen)]
    return "\n".join([*lines, *(line for each in found for line in _weights(each)), ""])


def _worth(found: Fitted) -> list[str]:
    repetitions = ", ".join(f"{value:.3f}" for value in found.held_out)
    means = [f"{value:.3f}" for value in (*found.means, fmean(found.held_out))]
    return [f"encoder `{found.encoder}`", *means, f"{found.gap:.3f}", repetitions]


def _gains(found: Fitted) -> list[str]:
    cells = [f"encoder `{found.encoder}`"]
    for gain in found.gains:
        bounds = [f"{bound:+.3f}" for bound in gain.interval or ()]
        cells += [f"{gain.mean:+.3f}", " to ".join(bounds)]
    return cells


def _weights(found: Fitted) -> list[str]:
    names = [*grid_for(found.encoder, OF_ALL), *grid_for(found.encoder, OF_NAMES)]
    rows = []
    for name in names:
        values = [f"{getattr(point, name):g}" for point in found.points]
        counts = Counter(getattr(point, name) for point in found.of_folds).most_common()
        rows.append([_CALLED[name], *values, ", ".join(f"{v:g} ({n})" for v, n in counts)])
    head = [f"weight, encoder `{found.encoder}`", "neutral", "current", "fitted", _FOLD_VALUES]
    return ["", *_table(head, rows)]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lists = {_REPETITIONS, _FOLD_VALUES}
    rule = ["---", *("---" if cell in lists else "---:" for cell in head[1:])]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]


def _wrapped(text: str) -> list[str]:
    return wrap(text, 105, break_on_hyphens=False)
