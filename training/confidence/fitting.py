"""A logistic regression whose coefficients keep the signs that make sense."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

SIGNS: Final = (1.0, 1.0, 1.0, -1.0, 0.0)
"""Of evidence, row, topic, unknown, offset: more evidence must never lower confidence."""
_REGULARISATION: Final = 0.3
"""The weight of a Gaussian prior around 0, but for the offset."""
_STEPS: Final = 60


def coefficients(signals: Vector, answerable: npt.NDArray[np.bool_], shares: Vector) -> Vector:
    """Return the coefficients, by Newton's method; one of the wrong sign is 0.

    Args:
        signals: (questions, features), a one last.
        answerable: (questions,).
        shares: what each question weighs.
    """
    kept = list(range(signals.shape[1]))
    while True:
        found = _newton(signals[:, kept], answerable, shares / shares.mean())
        wrong = [
            place for place, value in zip(kept, found, strict=True) if SIGNS[place] * value < 0
        ]
        if not wrong:
            break
        kept = [place for place in kept if place not in wrong]
    all_of_them: Vector = np.zeros(signals.shape[1])
    all_of_them[kept] = found
    return all_of_them


def bound(logits: Vector, share: float) -> float:
    """Return the figure that `share` of the logits lie below, rounded down to a tenth."""
    return float(np.floor(np.quantile(logits, share) * 10.0) / 10.0)


def highest(logits: Vector, losses: Vector, cost: float) -> float:
    """Return the highest tenth below which the losses add up to at most `cost` of all questions."""
    order = np.argsort(logits, kind="stable")
    lost = np.cumsum(losses[order]) / len(losses)
    place = min(int(np.searchsorted(lost, cost, side="right")), len(logits) - 1)
    return float(np.floor(logits[order][place] * 10.0) / 10.0)


def balanced(kinds: Sequence[str], shares: dict[str, float]) -> Vector:
    """Return what each question weighs, so that each kind weighs its share however many it has."""
    numbers = {kind: kinds.count(kind) for kind in shares}
    return np.array([shares.get(kind, 0.0) / numbers.get(kind, 1) for kind in kinds])


def _newton(signals: Vector, answerable: npt.NDArray[np.bool_], shares: Vector) -> Vector:
    found: Vector = np.zeros(signals.shape[1])
    prior = np.full(signals.shape[1], _REGULARISATION)
    prior[-1] = 1e-6
    for _ in range(_STEPS):
        odds = 1.0 / (1.0 + np.exp(-signals @ found))
        gradient = signals.T @ (shares * (odds - answerable)) + prior * found
        spread = (signals * (shares * odds * (1.0 - odds))[:, None]).T @ signals
        found -= np.linalg.solve(spread + np.diag(prior), gradient)
    return found
