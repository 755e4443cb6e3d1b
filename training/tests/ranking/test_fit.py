"""A fit of the weights ranks as searches do, takes no step for little, holds out repositories."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pytest
from msgspec.structs import fields, replace

from ggrep.interfaces.evaluation.measures import Expectation, score
from ggrep.search.query.blend import Signals, blend
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.segments import FileRuns
from ggrep.search.query.weights import DEFAULT_WEIGHTS, FUSION, Fusion, weights_for
from training.ranking.__main__ import check
from training.ranking.descent import (
    FOLDS,
    LEAST_GAIN,
    Judge,
    Questions,
    Scores,
    descend,
    fit,
    folds,
    held_out,
    is_worth_it,
)
from training.ranking.flat import Flat, Known, joined, thinned
from training.ranking.points import OF_ALL, Point, extremes, in_force
from training.ranking.tables import Fitted, Gain, table

RANDOM_POINTS = 12
REPOS = np.array([f"r{n}" for n in range(12) for _ in range(3)])
NOT_NAMES = np.zeros(len(REPOS), dtype=np.bool_)
EVERYTHING = np.ones(len(REPOS), dtype=np.bool_)


def some_signals(rng: np.random.Generator, files: int, *, bare: bool = False) -> Signals:
    """Return signals of a few rows a file, as they are gathered with a floor of 0."""
    of_rows = np.repeat(np.arange(files), rng.integers(1, 5, files))
    size = len(of_rows)
    anchors = (rng.random(size) < 0.2).astype(np.uint8)
    cosine = np.maximum(rng.normal(0.2, 0.3, size), 0.0)
    nearest = np.zeros(files)
    np.maximum.at(nearest, of_rows, np.where(anchors == 0, cosine, 0.0))

    def by_file() -> Scores:
        found: Scores = rng.random(files)[of_rows]
        return found

    return Signals(
        rows=np.arange(size),
        files=of_rows * 2,  # files without evidence lie between them
        anchors=anchors,
        lexical=rng.random(size),
        evidence=by_file(),
        path=by_file(),
        stem=by_file(),
        symbol=rng.random(size),
        location=None if bare else by_file(),
        verbatim=None if bare else np.round(rng.random(size)),
        cosine=cosine,
        near=None if bare else cosine,
        near_file=None if bare else nearest[of_rows],
        prior=by_file(),
    )


def some_known(rng: np.random.Generator, kind: QueryKind, files: int = 30) -> Known:
    """Return a question over signals of that many files, of which few answer it."""
    signals = some_signals(rng, files)
    answering = rng.choice(files, 3, replace=False) * 2
    return Known(
        repo="r",
        kind=kind,
        signals=signals,
        eligible=(signals.anchors == 0) & (rng.random(len(signals.rows)) < 0.9),
        relevant=np.isin(signals.files, answering),
        answers=4,
        usual=0.0,
    )


def some_points(rng: np.random.Generator) -> list[Point]:
    """Return points anywhere within the grid's bounds."""
    names = [each.name for each in fields(Point)]
    return [Point(**{n: float(rng.uniform(0.0, 0.9)) for n in names}) for _ in range(RANDOM_POINTS)]


def by_hand(known: Known, point: Point) -> float:
    """Return what the metrics say of one question that `blend` alone ranks."""
    near = [
        np.maximum(value - point.floor, 0.0) / (1.0 - point.floor)
        for value in (known.signals.near, known.signals.near_file)
        if value is not None
    ]
    signals = replace(known.signals, near=near[0], near_file=near[1])
    total, _ = blend(signals, FileRuns.of(signals.files), point.weights(known.kind), point.fusion)
    order = np.argsort(-total, kind="stable")
    shown = [row for row in order if known.eligible[row] and total[row] > 0.0]
    ranked = dict.fromkeys(str(known.signals.files[row]) for row in shown)
    wanted = {str(file) for file in known.signals.files[known.relevant]} | {"absent"}
    return score(Expectation(tuple(wanted)), list(ranked)).ndcg10 or 0.0


def planted(gains: Mapping[str, Mapping[float, float]], weighs: Scores | None = None) -> Judge:
    """Return a judge whose figures are sums of what single values are worth."""
    shares = np.ones(len(REPOS)) if weighs is None else weighs

    def judge(point: Point) -> Scores:
        worth = sum(gain.get(getattr(point, name), 0.0) for name, gain in gains.items())
        found: Scores = 0.5 + worth * shares
        return found

    return judge


def questions(judge: Judge) -> Questions:
    """Return questions to twelve repositories."""
    return Questions(judge, REPOS, NOT_NAMES)


def test_flat_ranking_is_that_of_the_blend() -> None:
    """What is fitted is the ranking itself, for every kind of query and every floor."""
    rng = np.random.default_rng(1)
    kinds = [QueryKind.SYMBOL, QueryKind.WORDS, QueryKind.PATH, QueryKind.WORDS, QueryKind.SYMBOL]
    known = [some_known(rng, kind) for kind in kinds]
    flat = Flat(known)

    for point in some_points(rng):
        wanted = [by_hand(each, point) for each in known]
        np.testing.assert_allclose(flat.ndcg(point), wanted, atol=1e-9)


def test_signals_are_joined_with_files_of_their_own() -> None:
    """The best row of one question's file must not stand in for another's."""
    rng = np.random.default_rng(2)
    full, bare = some_signals(rng, 4), some_signals(rng, 3, bare=True)

    both = joined([full, bare])

    assert sorted(set(both.files.tolist())) == list(range(7))
    assert both.near is not None
    assert not both.near[len(full.rows) :].any()
    assert joined([bare, bare]).near is None
    weights, fusion = DEFAULT_WEIGHTS, Fusion(0.2, 0.5, 0.0)
    apart = [blend(each, FileRuns.of(each.files), weights, fusion)[0] for each in (full, bare)]
    np.testing.assert_allclose(
        blend(both, FileRuns.of(both.files), weights, fusion)[0], np.concatenate(apart)
    )


def test_files_that_are_left_out_change_nothing() -> None:
    """Thinning is for speed alone."""
    rng = np.random.default_rng(3)
    known = [some_known(rng, kind, files=300) for kind in (QueryKind.WORDS, QueryKind.SYMBOL)]
    few = [thinned(each, extremes("static")) for each in known]

    assert all(len(a.eligible) < len(b.eligible) for a, b in zip(few, known, strict=True))
    for start in extremes("static"):
        point = replace(start, text=0.35, path=0.75)
        np.testing.assert_array_equal(Flat(few).ndcg(point), Flat(known).ndcg(point))


@pytest.mark.parametrize("encoder", sorted(FUSION))
@pytest.mark.parametrize("kind", [QueryKind.SYMBOL, QueryKind.WORDS, QueryKind.ERROR])
def test_the_point_in_force_is_what_searches_use(encoder: str, kind: QueryKind) -> None:
    """A figure that a fit forgot would be compared with something that nobody runs."""
    point = in_force(encoder)

    assert point.weights(kind) == weights_for(kind, DEFAULT_WEIGHTS)
    assert point.fusion == FUSION[encoder]


def test_a_descent_finds_what_was_planted() -> None:
    """From the neutral point, over several weights."""
    judge = planted({"text": {0.35: 0.01}, "near": {0.75: 0.02, 1.0: 0.05}, "path": {1.0: 0.01}})

    found = descend(Point(), OF_ALL, questions(judge), EVERYTHING)

    assert found == replace(Point(), text=0.35, near=1.0)


def test_a_descent_takes_no_step_for_little() -> None:
    """Small gains on few hundred questions are chance."""
    little = planted({"near": {1.0: 0.9 * LEAST_GAIN}})
    enough = planted({"near": {1.0: LEAST_GAIN}})

    assert descend(Point(), OF_ALL, questions(little), EVERYTHING) == Point()
    assert descend(Point(), OF_ALL, questions(enough), EVERYTHING).near == 1.0


def test_a_step_that_serves_few_repositories_is_refused() -> None:
    """A large gain on one project is no reason to lose on the others."""
    shares = np.where(REPOS == "r0", 50.0, -1.0)
    judge = planted({"near": {1.0: 0.01}}, shares)

    assert judge(replace(Point(), near=1.0)).mean() > judge(Point()).mean() + LEAST_GAIN
    assert not is_worth_it(judge(Point()), judge(replace(Point(), near=1.0)), REPOS)
    assert descend(Point(), OF_ALL, questions(judge), EVERYTHING) == Point()


def test_weights_of_names_are_fitted_to_names() -> None:
    """Other questions say nothing about them, and without an encoder its figures stay."""
    names = np.arange(len(REPOS)) % 3 == 0
    judge = planted({"name_symbol": {3.0: 0.01}, "name_dense": {0.0: 0.1}, "near": {1.0: 0.1}})

    held = fit(Questions(judge, REPOS, names), "none", EVERYTHING)

    assert (held.name_symbol, held.name_dense, held.near) == (3.0, 1.0, 0.0)
    assert fit(questions(judge), "none", EVERYTHING).name_symbol == Point().name_symbol


def test_folds_are_disjoint_and_complete() -> None:
    """Every repository is judged once, by a fit that saw none of it."""
    parts = list(folds(REPOS.tolist(), 1))

    assert len(parts) == FOLDS
    assert frozenset().union(*parts) == set(REPOS.tolist())
    assert all(not one & other for one, other in combinations(parts, 2))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_folds_are_decided_by_the_seed() -> None:
    """The order of the questions does not matter."""
    drawn = list(folds(REPOS.tolist(), 1))

    assert drawn == list(folds(REPOS.tolist()[::-1], 1))
    assert drawn != list(folds(REPOS.tolist(), 2))


def test_what_is_held_out_was_not_fitted_to() -> None:
    """What pays on one repository alone is chosen by fits that see it, never by its own."""
    shares = np.where(REPOS == "r0", 1.0, 0.0)
    judge = planted({"near": {1.0: 0.2}}, shares)

    found = held_out(questions(judge), "static", seed=1)

    assert found.values.tolist() == [0.5] * len(REPOS)
    assert sorted(point.near for point in found.points) == [0.5, 1.0, 1.0, 1.0, 1.0]
    assert judge(fit(questions(judge), "static", EVERYTHING)).max() == pytest.approx(0.7)


def test_another_ranking_than_that_of_searches_is_not_fitted() -> None:
    """It would say nothing about them."""
    check(0.8, 0.8019)
    with pytest.raises(SystemExit, match=r"0\.8000 here and 0\.8030 by searches"):
        check(0.8, 0.803)


def test_the_tables_say_what_was_found_and_what_it_is_worth() -> None:
    """The gap, and which weights the folds agree about."""
    gain = Gain(0.01, (-0.002, 0.03))
    found = Fitted(
        encoder="static",
        questions=36,
        repos=12,
        points=(Point(), Point(), replace(Point(), near=1.0)),
        means=(0.8, 0.81, 0.82),
        held_out=(0.79, 0.81),
        gains=(gain, gain, Gain(-0.01, None)),
        of_folds=(Point(), replace(Point(), near=1.0), Point()),
    )

    lines = table([found]).splitlines()

    assert "| encoder `static` | 0.800 | 0.810 | 0.820 | 0.800 | 0.020 | 0.790, 0.810 |" in lines
    bounds = "+0.010 | -0.002 to +0.030"
    assert f"| encoder `static` | {bounds} | {bounds} | -0.010 |  |" in lines
    assert "| encoder's cosine of the file | 0.5 | 0.5 | 1 | 0.5 (2), 1 (1) |" in lines
    assert max(map(len, lines)) <= 105
