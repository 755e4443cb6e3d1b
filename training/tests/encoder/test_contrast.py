"""Contrastive steps: gradients that are right, and change what they should."""

from math import log

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from training.encoder.contrast import (
    Adam,
    Learner,
    Objective,
    Parameters,
    Slopes,
    lexical_scores,
    loss_and_slopes,
    unit,
    without_some,
)

Doubles = npt.NDArray[np.float64]

FEATURES, DIMENSION, PAIRS = 9, 5, 4
NAMES = ("rows", "documents", "queries")


def counts_of(dense: list[list[int]]) -> sparse.csr_matrix:
    return sparse.csr_matrix(np.array(dense, dtype=np.float64))


QUERIES = counts_of(
    [
        [1, 0, 2, 0, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0, 1, 0, 0],
        [1, 0, 0, 0, 0, 0, 0, 1, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0],  # knows no word
    ]
)
TEXTS = counts_of(
    [
        [3, 0, 0, 1, 0, 2, 0, 0, 0],
        [0, 1, 0, 1, 0, 0, 0, 0, 0],
        [0, 4, 2, 0, 0, 1, 1, 1, 0],
        [1, 0, 0, 0, 0, 1, 0, 0, 0],
    ]
)
IDF: Doubles = np.array([0.8, 1.2, 2.0, 0.5, 1.0, 3.0, 2.5, 0.7, 1.0])
UNSEEN = (4, 8)


def random_parameters(seed: int = 5) -> Parameters:
    """Return parameters in float64, which differences are exact enough in."""
    chance = np.random.default_rng(seed)
    rows = chance.standard_normal((FEATURES, DIMENSION))
    return Parameters(rows, chance.normal(size=FEATURES), chance.normal(size=FEATURES))  # type: ignore[arg-type]


def plain_loss(learnt: Parameters, objective: Objective) -> float:
    """Return the loss as the formula says it, pair by pair."""
    queries = (np.log1p(QUERIES.toarray()) * np.exp(learnt.queries)) @ learnt.rows
    texts = (np.log1p(TEXTS.toarray()) * np.exp(learnt.documents)) @ learnt.rows
    lexical = lexical_scores(QUERIES, TEXTS, IDF)  # type: ignore[arg-type]
    scores = np.zeros((PAIRS, PAIRS))
    for row, query in enumerate(queries):
        for column, text in enumerate(texts):
            lengths = float(np.linalg.norm(query) * np.linalg.norm(text))
            cosine = float(query @ text) / lengths if lengths else 0.0
            scores[row, column] = cosine / objective.temperature
            scores[row, column] += objective.lexical * float(lexical[row, column])
    total = 0.0
    for own in range(PAIRS):
        for rivals in (scores[own], scores[:, own]):
            total += log(np.exp(rivals).sum()) - scores[own, own]
    return total / (2 * PAIRS)


@pytest.mark.parametrize("lexical", [0.0, 3.0])
def test_the_loss_is_the_mean_of_both_directions(lexical: float) -> None:
    """A plain loop agrees."""
    learnt, objective = random_parameters(), Objective(0.3, lexical, 0.0)
    loss, _ = loss_and_slopes(learnt, objective, IDF, QUERIES, TEXTS)  # type: ignore[arg-type]

    assert loss == pytest.approx(plain_loss(learnt, objective), rel=1e-7)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lexical", [0.0, 3.0])
def test_slopes_agree_with_differences_of_the_loss(name: str, lexical: float) -> None:
    """They were written out by hand."""
    learnt, objective, step = random_parameters(), Objective(0.3, lexical, 0.0), 1e-6
    _, slopes = loss_and_slopes(learnt, objective, IDF, QUERIES, TEXTS)  # type: ignore[arg-type]
    values = getattr(learnt, name)
    found, measured = np.zeros_like(values), np.zeros_like(values)
    found[slopes.places] = getattr(slopes, name)
    for place in np.ndindex(values.shape):
        was, losses = values[place], []
        for moved in (was + step, was - step):
            values[place] = moved
            losses.append(loss_and_slopes(learnt, objective, IDF, QUERIES, TEXTS)[0])  # type: ignore[arg-type]
        values[place] = was
        measured[place] = (losses[0] - losses[1]) / (2 * step)

    assert np.abs(found).max() > 0.01
    np.testing.assert_allclose(found, measured, atol=2e-8)


def test_slopes_name_the_features_that_a_batch_holds() -> None:
    """The rest of the vocabulary costs nothing."""
    _, slopes = loss_and_slopes(
        random_parameters(),
        Objective(0.3, 3.0, 0.9),
        IDF,  # type: ignore[arg-type]
        QUERIES,
        TEXTS,
    )

    assert slopes.places.tolist() == [place for place in range(FEATURES) if place not in UNSEEN]


def test_large_scores_overflow_nothing() -> None:
    """A low temperature makes a score of hundreds; its exponential is no number."""
    loss, slopes = loss_and_slopes(
        random_parameters(),
        Objective(0.001, 0.0, 0.0),
        IDF,  # type: ignore[arg-type]
        QUERIES,
        TEXTS,
    )

    assert 27.7 < loss < 2000.0
    assert all(np.isfinite(getattr(slopes, name)).all() for name in NAMES)


def test_lexical_scores_equal_a_plain_loop() -> None:
    """BM25 of each question and each text, by the most it could be."""
    wanted = np.zeros((PAIRS, PAIRS))
    asked, held = QUERIES.toarray(), TEXTS.toarray()
    for row, column in np.ndindex(PAIRS, PAIRS):
        terms = [place for place in range(FEATURES) if asked[row, place]]
        for term in terms:
            count = held[column, term]
            wanted[row, column] += IDF[term] * count * 2.2 / (count + 1.2)
        wanted[row, column] /= 2.2 * sum(IDF[term] for term in terms) or 1.0

    np.testing.assert_allclose(lexical_scores(QUERIES, TEXTS, IDF), wanted, atol=1e-5)  # type: ignore[arg-type]


def test_a_lexical_score_is_at_most_1() -> None:
    """Its share in the loss is known then."""
    often = QUERIES * 1_000_000.0
    scores = lexical_scores(QUERIES, often, IDF)  # type: ignore[arg-type]

    assert np.diagonal(scores)[:3] == pytest.approx(np.ones(3), abs=1e-4)
    assert scores.max() <= 1.0
    assert scores.min() >= 0.0


def test_a_step_leaves_out_about_its_share() -> None:
    """What stays is as it was."""
    texts = sparse.csr_matrix(np.random.default_rng(1).integers(0, 4, (200, 80)).astype(float))
    left = without_some(texts, 0.3, np.random.default_rng(2))
    kept = left.toarray() != 0

    assert left.shape == texts.shape
    assert 0.65 < left.nnz / texts.nnz < 0.75
    assert np.array_equal(left.toarray()[kept], texts.toarray()[kept])


def test_what_a_step_leaves_out_is_decided_by_the_seed() -> None:
    """A model can be made again."""
    first, again, other = (
        without_some(TEXTS, 0.5, np.random.default_rng(seed)).toarray() for seed in (1, 1, 2)
    )

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert without_some(TEXTS, 0.0, np.random.default_rng(1)) is TEXTS


def test_a_text_may_lose_all_of_its_features() -> None:
    """Short ones do, and a step goes on."""
    learnt = random_parameters()
    gone = without_some(TEXTS, 1.0, np.random.default_rng(1))
    loss, slopes = loss_and_slopes(learnt, Objective(0.3, 3.0, 1.0), IDF, QUERIES, gone)  # type: ignore[arg-type]

    assert gone.nnz == 0
    assert loss == pytest.approx(log(PAIRS))
    assert all(np.isfinite(getattr(slopes, name)).all() for name in NAMES)


def test_adam_is_the_textbook_formula_on_the_given_rows() -> None:
    """The moments of the others neither fade nor move them."""
    chance = np.random.default_rng(3)
    learnt, adam = random_parameters(), Adam()
    wanted = {name: getattr(learnt, name).copy() for name in NAMES}
    first = {name: np.zeros_like(wanted[name]) for name in NAMES}
    second = {name: np.zeros_like(wanted[name]) for name in NAMES}
    for step, touched in enumerate(([0, 2, 5], [2, 3], [0, 2, 7]), 1):
        places = np.array(touched, dtype=np.int32)
        slopes = {name: chance.normal(size=wanted[name][places].shape) for name in NAMES}
        adam.change(learnt, Slopes(places, **slopes), 0.1)
        for name in NAMES:
            for at, place in enumerate(touched):
                slope = slopes[name][at]
                first[name][place] = 0.9 * first[name][place] + 0.1 * slope
                second[name][place] = 0.98 * second[name][place] + 0.02 * slope**2
                mean = first[name][place] / (1 - 0.9**step)
                spread = second[name][place] / (1 - 0.98**step)
                wanted[name][place] -= 0.1 * mean / (np.sqrt(spread) + 1e-8)

    assert adam.steps == 3
    for name in NAMES:
        np.testing.assert_allclose(getattr(learnt, name), wanted[name], rtol=1e-12)
        untouched = [1, 4, 6, 8]
        assert np.array_equal(
            getattr(learnt, name)[untouched], getattr(random_parameters(), name)[untouched]
        )


def narrow(learnt: Parameters) -> Parameters:
    """Return them in float32, as they are learnt."""
    return Parameters(*(getattr(learnt, name).astype(np.float32) for name in NAMES))


def test_the_loss_falls_from_step_to_step() -> None:
    """Learning is worth the trouble, and stays in float32."""
    learnt = narrow(random_parameters())
    objective = Objective(0.2, 1.0, 0.1)
    learner = Learner(learnt, IDF.astype(np.float32), objective, np.random.default_rng(1))
    queries, texts = QUERIES[:3].astype(np.float32), TEXTS[:3].astype(np.float32)
    losses = [learner.step(queries, texts, 0.02) for _ in range(60)]

    assert learner.steps == 60
    assert np.mean(losses[-20:]) < 0.5 * np.mean(losses[:5])
    assert {getattr(learnt, name).dtype for name in NAMES} == {np.dtype(np.float32)}


def test_a_step_without_dropout_is_loss_slopes_and_adam() -> None:
    """Nothing else changes the parameters."""
    learnt, by_hand = random_parameters(), random_parameters()
    objective = Objective(0.3, 3.0, 0.0)
    learner = Learner(learnt, IDF, objective, np.random.default_rng(1))  # type: ignore[arg-type]
    loss = learner.step(QUERIES, TEXTS, 0.05)
    wanted, slopes = loss_and_slopes(by_hand, objective, IDF, QUERIES, TEXTS)  # type: ignore[arg-type]
    Adam().change(by_hand, slopes, 0.05)

    assert loss == wanted
    assert all(np.array_equal(getattr(learnt, name), getattr(by_hand, name)) for name in NAMES)


def test_questions_and_texts_have_weights_of_their_own() -> None:
    """What a question says twice is not what a text says twice."""
    learnt = random_parameters()
    logs = np.log1p(TEXTS.toarray())
    for vectors, weights in (
        (learnt.query_vectors(TEXTS), learnt.queries),
        (learnt.document_vectors(TEXTS), learnt.documents),
    ):
        sums = (logs * np.exp(weights)) @ learnt.rows
        wanted = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        np.testing.assert_allclose(vectors, wanted, rtol=1e-6)


def test_vectors_are_of_unit_length_but_those_of_nothing() -> None:
    """A question of unknown words is near no text."""
    learnt = random_parameters()
    lengths = np.linalg.norm(learnt.query_vectors(QUERIES), axis=1)

    assert lengths == pytest.approx([1.0, 1.0, 1.0, 0.0])
    assert np.linalg.norm(learnt.document_vectors(TEXTS), axis=1) == pytest.approx(np.ones(4))
    assert unit(np.array([[3.0, 4.0]], dtype=np.float32))[1].tolist() == [[5.0]]
