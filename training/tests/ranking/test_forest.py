"""Trees become the shipped form: the same leaf for every row, in whole shares."""

import sys
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ggrep.search.query.file_features import FEATURES
from ggrep.search.query.trees import MOST_LEAVES, UNIT, forest_of
from training.ranking.forest import _tree, fit, sums_by_walking
from training.ranking.lists import Listed

STEEPNESS = 4.0
ROWS = np.random.default_rng(3).integers(0, 9, (200, len(FEATURES))) / 8.0


def leaf(value: float) -> dict[str, Any]:
    return {"leaf_index": 0, "leaf_value": value}


def split(feature: int, bound: float, left: object, right: object) -> dict[str, Any]:
    return {
        "split_feature": feature,
        "threshold": bound,
        "decision_type": "<=",
        "left_child": left,
        "right_child": right,
    }


def chain(leaves: int, *, leftward: bool) -> dict[str, Any]:
    """Return a tree that leans to one side, with a value of its own for each leaf."""
    tree = leaf(0.125)
    for number in range(1, leaves):
        rest, new = tree, leaf(0.125 + number)
        children = (rest, new) if leftward else (new, rest)
        tree = split(number % 3, (number % 8) / 8.0, *children)
    return tree


BALANCED = split(
    0,
    0.5,
    split(1, 0.25, leaf(-1.0), split(2, 0.75, leaf(0.5), leaf(0.25))),
    split(1, 0.625, leaf(2.0), leaf(-0.75)),
)
SHAPES = {
    "balanced": BALANCED,
    "leftward": chain(MOST_LEAVES, leftward=True),
    "rightward": chain(MOST_LEAVES, leftward=False),
    "no split": leaf(0.375),
}


def walked(node: Mapping[str, Any], row: npt.NDArray[np.float64]) -> float:
    """Return the value that a dumped tree gives a row, as LightGBM says it."""
    while "leaf_value" not in node:
        passes = row[node["split_feature"]] <= node["threshold"]
        node = node["left_child" if passes else "right_child"]
    return float(node["leaf_value"])


@pytest.mark.parametrize("shape", SHAPES)
def test_a_tree_gives_every_row_the_leaf_of_the_dump(shape: str) -> None:
    dumped = SHAPES[shape]
    said = {"features": FEATURES, "usual": [0.0] * len(FEATURES), "trees": [_tree(dumped, 1.0)]}
    expected = [round(walked(dumped, row) * UNIT) for row in ROWS]
    assert forest_of(said).sums(ROWS).tolist() == expected
    assert sums_by_walking(said, ROWS).tolist() == expected
    assert len(set(expected)) > 2 or shape == "no split"


def test_leaves_are_whole_shares_of_the_value_over_the_steepness() -> None:
    tree = _tree(split(0, 0.5, leaf(0.0101), leaf(-2.0)), STEEPNESS)
    assert tree["leaves"] == [3, -512]
    assert all(type(each) is int for each in tree["leaves"])


class Model:
    """Stands for what LightGBM fitted."""

    def __init__(self, trees: list[dict[str, Any]]) -> None:
        self.trees = trees

    def dump_model(self) -> dict[str, Any]:
        return {"tree_info": [{"tree_structure": each} for each in self.trees]}

    def predict(self, rows: npt.NDArray[np.float64], num_threads: int) -> npt.NDArray[np.float64]:
        return np.array([sum(walked(tree, row) for tree in self.trees) for row in rows])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Put something in LightGBM's place that keeps what it is asked."""
    kept: dict[str, Any] = {}

    def dataset(features: object, labels: object, **others: object) -> object:
        kept.update(others, features=features, labels=labels)
        return kept

    def train(parameters: dict[str, Any], material: object, trees: int) -> Model:
        kept.update(parameters=parameters, trees=trees)
        return Model([BALANCED, SHAPES["leftward"]])

    fake = SimpleNamespace(Dataset=dataset, train=train)
    monkeypatch.setitem(sys.modules, "lightgbm", fake)
    return kept


def some_lists() -> list[Listed]:
    sizes, at, found = (12, 5, 30), 0, []
    for size in sizes:
        rows = ROWS[at : at + size]
        answers = np.arange(size) == at % size
        found.append(Listed("r", rows, np.linspace(0.9, 0.0, size), answers))
        at += size
    return found


def test_a_fit_hands_over_lists_as_groups_with_their_labels(asked: dict[str, Any]) -> None:
    lists = some_lists()
    fit(lists, trees=2, steepness=STEEPNESS)
    assert asked["group"] == [12, 5, 30]
    assert asked["labels"].tolist() == [int(flag) for each in lists for flag in each.answers]
    assert asked["features"].tolist() == ROWS[:47].tolist()
    assert asked["feature_name"] == list(FEATURES)
    assert asked["trees"] == 2
    scores = np.concatenate([each.scores for each in lists])
    assert np.exp(asked["init_score"] / STEEPNESS) == pytest.approx(scores + 0.02)
    assert asked["parameters"]["num_leaves"] <= MOST_LEAVES


def test_the_median_first_file_is_not_corrected(asked: dict[str, Any]) -> None:
    lists = some_lists()
    said = fit(lists, trees=2, steepness=STEEPNESS)
    first = np.concatenate([each.features[:10] for each in lists])
    sums = forest_of(said).sums(first)
    assert abs(np.median(sums)) <= 1.0
    plain = Model([BALANCED, SHAPES["leftward"]]).predict(first, 1) / STEEPNESS * UNIT
    assert sums.tolist() == pytest.approx((plain - np.median(plain)).tolist(), abs=2.0)
    assert np.median(plain) > 10.0
    assert said["usual"] == np.median(first, axis=0).tolist()
