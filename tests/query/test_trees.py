"""The forest of the ranking gives what walking its trees gives."""

from importlib import resources

import numpy as np
import pytest

from ggrep.base import stable_json
from ggrep.search.query.file_features import FEATURES
from ggrep.search.query.trees import forest_of, ranking_forest
from training.ranking.forest import sums_by_walking

STUMPS = {
    "features": ["a", "b"],
    "usual": [0.0, 0.0],
    "trees": [
        # a <= 1: 10, else b <= 2: 20, else 30
        {"nodes": [[0, 1.0, 0xFFFE], [1, 2.0, 0xFFFD]], "leaves": [10, 20, 30]},
        {"nodes": [[1, 0.5, 0xFFFE]], "leaves": [-5, 5]},
    ],
}


@pytest.mark.parametrize(
    ("row", "wanted"), [((1.0, 9.0), 15), ((2.0, 2.0), 25), ((2.0, 3.0), 35), ((0.0, 0.0), 5)]
)
def test_a_row_gets_the_leaf_that_its_comparisons_leave(
    row: tuple[float, float], wanted: int
) -> None:
    assert forest_of(STUMPS).sums(np.array([row])).tolist() == [wanted]


def test_the_shipped_forest_agrees_with_walking_its_trees() -> None:
    """Also for values that are a bound: they pass."""
    shipped = resources.files("ggrep.search.query").joinpath("ranking_trees.json").read_bytes()
    output, forest = stable_json.loads(shipped), ranking_forest()
    drawn = np.random.default_rng(7).permutation(np.unique(np.concatenate(forest.bounds)))
    rows = np.resize(drawn, (40, len(FEATURES)))
    rows[20:] = [
        [ours[n % len(ours)] if len(ours) else 0.0 for ours in forest.bounds] for n in range(20)
    ]

    assert forest.sums(rows).tolist() == sums_by_walking(output, rows).tolist()
    assert len(set(forest.sums(rows).tolist())) > 10


def test_the_shipped_forest_reads_the_features_that_are_reckoned() -> None:
    assert ranking_forest().features == FEATURES
