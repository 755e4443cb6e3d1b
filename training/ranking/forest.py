"""Fits the trees of the learned correction, and writes them as the ranking reads them.

Boosted trees with LambdaMART's gradients (Burges: From RankNet to LambdaRank to LambdaMART, 2010)
by LightGBM, on top of the logarithm of the score that is to be corrected: they learn what it gets
wrong.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ggrep.base.errors import UsageError
from ggrep.search.query.file_features import FEATURES
from ggrep.search.query.trees import MOST_LEAVES, UNIT
from training.ranking.lists import Listed

RATE: Final = 0.06
TREES: Final = 300
STEEPNESS: Final = 4.0
"""How much of the logarithm of a score one unit of a tree is worth, inverted."""
_LEAST_SCORE: Final = 0.02
_FIRST: Final = 10
"""Files of a list, best first, whose median correction is to be none."""

_PARAMETERS: Final[Mapping[str, Any]] = {
    "objective": "lambdarank",
    "num_leaves": MOST_LEAVES,
    "max_depth": 6,
    "learning_rate": RATE,
    "lambda_l2": 10.0,
    "min_data_in_leaf": 100,
    "feature_fraction": 0.8,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambdarank_truncation_level": 15,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 2,
    "verbose": -1,
}


def require_lightgbm() -> None:
    """Raise UsageError where the package that fits is missing, before anything long begins."""
    try:
        import_module("lightgbm")
    except ModuleNotFoundError:
        raise UsageError("lightgbm is missing: python3 dev.py setup ranking") from None


def fit(
    lists: Sequence[Listed], *, trees: int = TREES, steepness: float = STEEPNESS
) -> dict[str, Any]:
    """Return the trees as the ranking's file holds them (see `forest_of`)."""
    lightgbm = import_module("lightgbm")
    features = np.concatenate([each.features for each in lists])
    scores = np.concatenate([each.scores for each in lists])
    material = lightgbm.Dataset(
        features,
        np.concatenate([each.answers for each in lists]).astype(np.int64),
        group=[len(each.scores) for each in lists],
        init_score=steepness * np.log(scores + _LEAST_SCORE),
        feature_name=list(FEATURES),
    )
    model = lightgbm.train(dict(_PARAMETERS), material, trees)
    grown = [_tree(each["tree_structure"], steepness) for each in model.dump_model()["tree_info"]]
    first = np.concatenate([each.features[:_FIRST] for each in lists])
    usual = float(np.median(model.predict(first, num_threads=1))) / steepness
    grown[0]["leaves"] = [leaf - round(usual * UNIT) for leaf in grown[0]["leaves"]]
    return {
        "features": FEATURES,
        "usual": [round(float(value), 6) for value in np.median(first, axis=0)],
        "trees": grown,
    }


def _tree(root: Mapping[str, Any], steepness: float) -> dict[str, Any]:
    """Return a tree with its leaves from left to right and its nodes by what they leave."""
    nodes: list[tuple[int, float, int]] = []
    leaves: list[int] = []

    def walk(node: Mapping[str, Any]) -> int:
        """Add what is below a node; return the bits of its leaves."""
        if "leaf_value" in node:
            leaves.append(round(node["leaf_value"] / steepness * UNIT))
            return 1 << (len(leaves) - 1)
        left = walk(node["left_child"])
        right = walk(node["right_child"])
        every = (1 << MOST_LEAVES) - 1
        nodes.append((node["split_feature"], node["threshold"], every & ~left))
        return left | right

    walk(root)
    return {"nodes": nodes, "leaves": leaves}


def sums_by_walking(
    said: Mapping[str, Any], rows: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """Return the sums of leaves one row and tree after the other: slow, to compare with."""
    found = np.zeros(len(rows), dtype=np.int64)
    for tree in said["trees"]:
        for number, row in enumerate(rows):
            left = (1 << MOST_LEAVES) - 1
            for column, bound, kept in tree["nodes"]:
                if row[column] > bound:
                    left &= kept
            found[number] += tree["leaves"][(left & -left).bit_length() - 1]
    return found
