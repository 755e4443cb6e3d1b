"""From pairs to the model: vocabulary, contrastive steps, a curve of what was learnt."""

import math
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import asdict

from ggrep.base.errors import UsageError
from ggrep.base.stable_json import Json
from training.encoder.bags import Pairs, Vocabulary
from training.encoder.batches import Places, batches, kept_back
from training.encoder.contrast import Learner, Matrix, Objective, Parameters

JUDGING_KINDS: Final = ("comment", "doc", "doc2", "module", "section")
"""Kinds of pairs that judge: in them somebody says something about the text."""
_MOST_JUDGING: Final = 1500
"""Pairs of a package that judge at most."""
_LEAST_JUDGING: Final = 50
_WARM_UP: Final = 50
"""Steps over which the rate rises."""
_LOWEST_RATE: Final = 0.02
_COMMON: Final = 1e-3
"""Share of all words at which a feature's first weight has fallen by half (Arora et al.: A Simple
but Tough-to-Beat Baseline for Sentence Embeddings, 2017)."""


class Recipe(Struct, frozen=True):
    """All that decides what is learnt from given pairs.

    Attributes:
        vocabulary: features known at most.
        batch: pairs told apart at once; `block` of one package stay together.
        temperature, lexical, dropout: see `contrast.Objective`.
        rate: of the first steps after the warm-up; it falls as a cosine does.
        kept_back: share of the packages that judge.
    """

    dimension: int = 256
    vocabulary: int = 24_000
    batch: int = 2048
    block: int = 64
    temperature: float = 0.05
    lexical: float = 12.0
    dropout: float = 0.2
    rate: float = 0.01
    epochs: int = 2
    kept_back: float = 0.04
    seed: int = 1

    def to_json(self) -> dict[str, Json]:
        """Return the recipe as the model's card holds it."""
        return dict(asdict(self))


class Point(Struct, frozen=True):
    """What was known after some of the training.

    Attributes:
        epoch: of the pairs, 0 before the first step.
        seconds: since the training began, with what judging took.
        loss: mean of the epoch; 0 before the first step.
        reciprocal_rank: MRR@10 of the texts of packages that were kept back, each package's pairs
            among each other, cosines alone; the mean over packages.
    """

    epoch: int
    seconds: float
    loss: float
    reciprocal_rank: float


class Trained(Struct):
    """What came of it.

    Attributes:
        judges: names of the packages that were kept back.
    """

    learnt: Parameters
    curve: list[Point] = field(default_factory=list)
    judges: tuple[str, ...] = ()


def train(
    pairs: Pairs,
    vocabulary: Vocabulary,
    recipe: Recipe,
    seconds: Callable[[], float],
    told: Callable[[Point], None],
) -> Trained:
    """Return what was learnt.

    Args:
        pairs: over the vocabulary.
        vocabulary: in the order of the pairs' columns.
        recipe: decides everything else.
        seconds: a clock.
        told: called with each point of the curve.

    Raises:
        UsageError: fewer pairs are left to learn from than a batch holds, so nothing would be.
    """
    random = np.random.default_rng(recipe.seed)
    rows = random_rows(len(vocabulary.words), recipe.dimension, random)
    learnt = Parameters(rows, first_weights(vocabulary), first_weights(vocabulary))
    aside = kept_back(pairs.packages, len(pairs.names), recipe.kept_back, random)
    learning = np.flatnonzero(~np.isin(pairs.packages, aside))
    if len(learning) < recipe.batch:
        raise UsageError(f"{len(learning)} pairs to learn from, a batch holds {recipe.batch}")
    judging = _judging(pairs, aside, random)
    found = Trained(learnt, judges=tuple(pairs.names[place] for place in aside))
    objective = Objective(recipe.temperature, recipe.lexical, recipe.dropout)
    learner, begun = Learner(learnt, vocabulary.idf, objective, random), seconds()
    steps = max(recipe.epochs * len(learning) // recipe.batch, 1)

    def note(epoch: int, loss: float) -> None:
        rank = reciprocal_rank(learnt, pairs, judging)
        point = Point(epoch, round(seconds() - begun, 1), round(loss, 4), round(rank, 4))
        found.curve.append(point)
        told(point)

    note(0, 0.0)
    for epoch in range(1, recipe.epochs + 1):
        losses = []
        for places in batches(pairs.packages[learning], recipe.batch, recipe.block, random):
            chosen = learning[places]
            rate = recipe.rate * share_of_rate(learner.steps, steps)
            losses.append(learner.step(pairs.queries[chosen], pairs.texts[chosen], rate))
        note(epoch, float(np.mean(losses)))
    return found


def first_weights(vocabulary: Vocabulary) -> Matrix:
    """Return float32 (V,): logarithms of weights that are smaller for common features."""
    shares = vocabulary.texts / vocabulary.texts.sum()
    weights: Matrix = np.log(_COMMON / (_COMMON + shares)).astype(np.float32)
    return weights


def random_rows(size: int, dimension: int, random: np.random.Generator) -> Matrix:
    """Return float32 (size, dimension), rows of about unit length in all directions.

    Rows that a transformer made of the same words are no better to start from.
    """
    rows: Matrix = (random.standard_normal((size, dimension)) / math.sqrt(dimension)).astype("f4")
    return rows


def share_of_rate(done: int, steps: int) -> float:
    """Return the share of the rate at a step: rising at first, then falling as a cosine does."""
    rising = min(1.0, (done + 1) / _WARM_UP)
    falling = 0.5 * (1.0 + math.cos(math.pi * min(done / steps, 1.0)))
    return max(rising * falling, _LOWEST_RATE)


def reciprocal_rank(learnt: Parameters, pairs: Pairs, judging: list[Places]) -> float:
    """Return the mean over packages of MRR@10; 0 without any.

    An equal score counts as a better one: a query of unknown words scores all texts alike, which
    is no find.
    """
    means = []
    for places in judging:
        near = learnt.query_vectors(pairs.queries[places])
        scores = near @ learnt.document_vectors(pairs.texts[places]).T
        ranks = np.sum(scores >= np.diagonal(scores)[:, None], axis=1)
        means.append(float(np.mean(np.where(ranks <= 10, 1.0 / ranks, 0.0))))
    return float(np.mean(means)) if means else 0.0


def _judging(
    pairs: Pairs, aside: npt.NDArray[np.int64], random: np.random.Generator
) -> list[Places]:
    speaks = np.isin(pairs.kinds, JUDGING_KINDS)
    every = [np.flatnonzero((pairs.packages == package) & speaks) for package in aside]
    shuffled = [random.permutation(places)[:_MOST_JUDGING] for places in every]
    return [places for places in shuffled if len(places) >= _LEAST_JUDGING]
