"""Fits one figure after the other, and judges a fit by repositories that it did not see.

A free search over the same figures finds more on the questions it sees and less on others. Few
values to choose from, and a step only where it is worth something to most, is what keeps it honest.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from training.ranking.points import OF_ALL, OF_NAMES, Grid, Point, grid_for, neutral

Scores = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Repos = npt.NDArray[np.str_]
Judge = Callable[[Point], Scores]
"""Returns float64 (questions,): how good each answer is."""

LEAST_GAIN: Final = 0.001
ROUNDS: Final = 3
FOLDS: Final = 5
SHUFFLINGS: Final = (1, 2, 3)
_NOISE: Final = 1e-9


class Questions(Struct, frozen=True):
    """What a fit is made on.

    Attributes:
        judge: of all questions; it is asked for the same point again and again.
        repos: of each question.
        names: bool (questions,): those that are one name.
    """

    judge: Judge
    repos: Repos
    names: Mask


class HeldOut(Struct, frozen=True):
    """Questions judged by fits that saw none of their repositories.

    Attributes:
        values: float64 (questions,), each from the fit on the other folds.
        points: what was fitted, by fold.
    """

    values: Scores
    points: tuple[Point, ...]


def fit(questions: Questions, encoder: str, seen: Mask) -> Point:
    """Return the weights that suit the questions that are seen, from the neutral ones on."""
    found = neutral(encoder)
    for grid, members in ((OF_ALL, seen), (OF_NAMES, seen & questions.names)):
        if members.any():
            found = descend(found, grid_for(encoder, grid), questions, members)
    return found


def descend(start: Point, grid: Grid, questions: Questions, members: Mask) -> Point:
    """Return the point that is reached by changing one figure at a time, at most `ROUNDS` times.

    Of the values that are worth it the best is taken, the first of several.
    """
    repos = questions.repos[members]
    held = start
    for _ in range(ROUNDS):
        before = held
        for name, values in grid.items():
            others = [replace(held, **{name: value}) for value in values]
            held = _step(held, others, lambda point: questions.judge(point)[members], repos)
        if held == before:
            break
    return held


def is_worth_it(before: Scores, after: Scores, repos: Repos) -> bool:
    """Return whether the mean rises enough, and no more repositories lose than gain."""
    change = after - before
    if change.mean() < LEAST_GAIN - _NOISE:
        return False
    names, places = np.unique(repos, return_inverse=True)
    sums = np.bincount(places, weights=change, minlength=len(names))
    return bool((sums < -_NOISE).sum() <= (sums > _NOISE).sum())


def folds(repos: Sequence[str], seed: int) -> Iterator[frozenset[str]]:
    """Yield the repositories in `FOLDS` parts of about the same number, drawn by the seed."""
    names = sorted(set(repos))
    drawn = np.random.default_rng(seed).permutation(len(names))
    for fold in range(FOLDS):
        yield frozenset(names[place] for place in drawn[fold::FOLDS])


def held_out(questions: Questions, encoder: str, seed: int) -> HeldOut:
    """Return every question judged by the fit on the folds that its repository is not in."""
    values = np.zeros(len(questions.repos))
    points = []
    for fold in folds(questions.repos.tolist(), seed):
        unseen = np.isin(questions.repos, sorted(fold))
        points.append(fit(questions, encoder, ~unseen))
        values[unseen] = questions.judge(points[-1])[unseen]
    return HeldOut(values, tuple(points))


def _step(held: Point, others: Sequence[Point], judge: Judge, repos: Repos) -> Point:
    before = judge(held)
    worth = [point for point in others if is_worth_it(before, judge(point), repos)]
    return max(worth, key=lambda point: round(float(judge(point).mean()), 9), default=held)
