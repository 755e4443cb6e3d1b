"""What is learnt from pairs."""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from training.encoder.bags import (
    BaggedPair,
    PackageBags,
    Pairs,
    Vocabulary,
    matrix_of,
    pairs_of,
    vocabulary_of,
)
from training.encoder.batches import kept_back
from training.encoder.contrast import Parameters
from training.encoder.training import (
    Point,
    Recipe,
    Trained,
    first_weights,
    random_rows,
    reciprocal_rank,
    share_of_rate,
    train,
)

ASKED = ("remove", "get", "begin", "error", "save", "close", "count", "sort", "copy", "list")
WRITTEN = ("delete", "fetch", "start", "fault", "store", "shut", "total", "order", "clone", "each")
NOISE = ("self", "return", "item", "data")
RECIPE = Recipe(dimension=32, batch=100, block=20, lexical=2.0, epochs=8, kept_back=0.2)


def corpus(packages: int = 24, size: int = 60) -> list[PackageBags]:
    """Return packages whose queries and texts share no word: each word has a synonym."""
    chance = np.random.default_rng(9)
    found = []
    for number in range(packages):
        pairs = []
        for _ in range(size):
            meant = chance.permutation(len(ASKED))[:3]
            noise = chance.permutation(len(NOISE))[:2]
            query = {ASKED[place]: 1 for place in meant}
            text = {WRITTEN[place]: 1 for place in meant} | {NOISE[place]: 2 for place in noise}
            pairs.append(BaggedPair(query, text, "doc", "c"))
        found.append(PackageBags(f"package{number}", tuple(pairs)))
    return found


@cache
def vocabulary_and_pairs() -> tuple[Vocabulary, Pairs]:
    packages = corpus()
    vocabulary = vocabulary_of(packages, 100)
    return vocabulary, pairs_of(packages, vocabulary)


class Seconds:
    """A clock that a second passes on whenever it is asked."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def learnt_by(recipe: Recipe) -> Trained:
    vocabulary, pairs = vocabulary_and_pairs()
    told: list[Point] = []
    found = train(pairs, vocabulary, recipe, Seconds(), told.append)
    assert told == found.curve
    return found


@pytest.fixture(scope="module")
def found() -> Trained:
    return learnt_by(RECIPE)


def cosines(learnt: Parameters, asked: str, written: Sequence[str]) -> npt.NDArray[np.float32]:
    vocabulary, _ = vocabulary_and_pairs()
    places = {word: place for place, word in enumerate(vocabulary.words)}
    query = learnt.query_vectors(matrix_of([{asked: 1}], places))
    texts = learnt.document_vectors(matrix_of([{word: 1} for word in written], places))
    nearness: npt.NDArray[np.float32] = (texts @ query.T).ravel()
    return nearness


def test_a_synonym_is_learnt(found: Trained) -> None:
    """`delete` answers `remove`, which no text holds."""
    before = learnt_by(Recipe(dimension=32, batch=100, epochs=0)).learnt
    written = (*WRITTEN, *NOISE)
    at_first = [cosines(before, asked, written) for asked in ASKED]
    at_last = [cosines(found.learnt, asked, written) for asked in ASKED]

    assert [int(np.argmax(each)) for each in at_last] == list(range(len(ASKED)))
    assert at_last[0][0] > np.sort(at_last[0])[-2] + 0.2
    assert at_first[0][0] < np.max(at_first[0])
    assert sum(int(np.argmax(each)) == own for own, each in enumerate(at_first)) <= 3


def test_words_that_tell_nothing_apart_count_less(found: Trained) -> None:
    """They stand in every text, whatever is asked."""
    words = vocabulary_and_pairs()[0].words
    weights = dict(zip(words, found.learnt.documents.tolist(), strict=True))

    assert max(weights[word] for word in NOISE) < min(weights[word] for word in WRITTEN)


def test_the_curve_has_a_point_for_each_epoch_and_the_beginning(found: Trained) -> None:
    """It says when more training would gain nothing."""
    curve = found.curve

    assert [point.epoch for point in curve] == list(range(RECIPE.epochs + 1))
    assert [point.seconds for point in curve] == [1.0 + epoch for epoch in range(len(curve))]
    assert curve[0].loss == 0.0
    assert curve[-1].loss < curve[1].loss
    assert curve[0].reciprocal_rank < 0.5
    assert 0.8 < curve[-1].reciprocal_rank <= 1.0


def test_a_seed_gives_one_model_and_another_seed_another(found: Trained) -> None:
    """A model can be made again."""
    again = learnt_by(RECIPE)
    other = learnt_by(Recipe(**{**RECIPE.to_json(), "seed": 2}))  # type: ignore[arg-type]

    for name in ("rows", "documents", "queries"):
        assert getattr(found.learnt, name).tobytes() == getattr(again.learnt, name).tobytes()
        assert getattr(found.learnt, name).tobytes() != getattr(other.learnt, name).tobytes()
        assert getattr(found.learnt, name).dtype == np.float32
    assert (found.curve, found.judges) == (again.curve, again.judges)
    assert found.judges != other.judges


def test_packages_that_judge_are_not_learnt_from() -> None:
    """A word of theirs alone stays as it was."""
    packages, random = corpus(), np.random.default_rng(RECIPE.seed)
    own = {"judged": 1, **dict.fromkeys(ASKED[:2], 1)}
    rows = random_rows(len((*ASKED, *WRITTEN, *NOISE, "judged")), RECIPE.dimension, random)
    aside = kept_back(np.arange(len(packages)), len(packages), RECIPE.kept_back, random)
    judges = tuple(packages[place].name for place in aside)
    every = [
        PackageBags(
            each.name,
            (BaggedPair(own, own, "name", "c"), *each.pairs[1:])
            if each.name in judges
            else each.pairs,
        )
        for each in packages
    ]
    vocabulary = vocabulary_of(every, 100)
    found = train(pairs_of(every, vocabulary), vocabulary, RECIPE, Seconds(), lambda _: None)
    place = vocabulary.words.index("judged")

    assert found.judges == judges
    assert len(judges) == 12
    assert np.array_equal(found.learnt.rows[place], rows[place])
    assert not np.array_equal(found.learnt.rows[place - 1], rows[place - 1])


def test_only_pairs_in_which_somebody_speaks_judge() -> None:
    """A name is hardly a question."""
    vocabulary, pairs = vocabulary_and_pairs()
    named = replace(pairs, kinds=np.full(len(pairs), "name"))
    recipe = Recipe(dimension=32, batch=100, epochs=0)
    spoken, mute = (
        train(each, vocabulary, recipe, Seconds(), lambda _: None) for each in (pairs, named)
    )

    assert spoken.curve[0].reciprocal_rank > 0.0
    assert mute.curve[0].reciprocal_rank == 0.0


def test_fewer_pairs_than_a_batch_are_refused() -> None:
    """A model that learnt nothing must not be taken for one that did."""
    with pytest.raises(UsageError, match="720 pairs to learn from, a batch holds 721"):
        learnt_by(Recipe(batch=721))


def test_the_rate_rises_then_falls_as_a_cosine_does() -> None:
    """Moments are poor at first, and the end is for what is fine."""
    shares = [share_of_rate(step, 1000) for step in range(1001)]

    assert shares[0] == share_of_rate(0, 1) == 0.02
    assert shares[24] == pytest.approx(0.5, rel=0.01)
    assert np.argmax(shares) == 49
    assert (np.diff(shares[:50]) >= 0).all()
    assert (np.diff(shares[49:]) <= 0).all()
    assert shares[500] == pytest.approx(0.5)
    assert shares[250] == pytest.approx(0.5 + math.sqrt(0.125))
    assert shares[1000] == share_of_rate(2000, 1000) == 0.02


def test_first_weights_fall_with_how_common_a_word_is() -> None:
    """At a thousandth of all words it is half."""
    vocabulary = Vocabulary(("a", "b", "c"), np.array([9, 90, 8901]), 9000)
    weights = np.exp(first_weights(vocabulary))

    assert weights == pytest.approx([0.5, 1 / 11, 1e-3 / (1e-3 + 0.989)], rel=1e-3)
    assert weights.dtype == np.float32


def test_random_rows_are_of_about_unit_length() -> None:
    """In the order of what is learnt by the rate of a step."""
    rows = random_rows(500, 64, np.random.default_rng(1))

    assert rows.dtype == np.float32
    assert rows.shape == (500, 64)
    assert 0.95 < np.linalg.norm(rows, axis=1).mean() < 1.05


def ranked_pairs(queries: list[list[float]], texts: list[list[float]]) -> Pairs:
    from scipy import sparse

    return Pairs(
        sparse.csr_matrix(np.array(queries, np.float32)),
        sparse.csr_matrix(np.array(texts, np.float32)),
        np.zeros(len(queries), np.int64),
        np.full(len(queries), "doc"),
        ("a",),
    )


def test_a_reciprocal_rank_is_the_mean_over_packages() -> None:
    """A large package counts no more than a small one."""
    size = 12
    learnt = Parameters(np.eye(size, dtype=np.float32), *np.zeros((2, size), np.float32))
    asked = np.eye(size).tolist()
    texts = np.eye(size).tolist()
    texts[0], texts[1] = texts[1], texts[0]  # the first two are swapped: all others tie before own
    pairs = ranked_pairs(asked, texts)
    first, rest = np.arange(2), np.arange(2, size)

    assert reciprocal_rank(learnt, pairs, [rest]) == 1.0
    assert reciprocal_rank(learnt, pairs, [first]) == 0.5
    assert reciprocal_rank(learnt, pairs, [first, rest]) == 0.75
    assert reciprocal_rank(learnt, pairs, []) == 0.0


def test_a_query_of_unknown_words_finds_nothing() -> None:
    """All texts score alike then, which is no find."""
    learnt = Parameters(np.eye(12, dtype=np.float32), *np.zeros((2, 12), np.float32))
    pairs = ranked_pairs(np.zeros((12, 12)).tolist(), np.eye(12).tolist())

    assert reciprocal_rank(learnt, pairs, [np.arange(12)]) == 0.0
