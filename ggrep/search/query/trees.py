"""A forest of small decision trees, evaluated for many rows at once.

Each inner node that a row fails takes the leaves of its left side away; of what is left of a tree
the first leaf is the row's. No tree is walked: all nodes are compared in one step (QuickScorer:
Lucchese and others, SIGIR 2015). Leaves are whole numbers, so a sum has the same bits everywhere.
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ggrep.base import stable_json

MOST_LEAVES: Final = 16
UNIT: Final = 1024
"""Leaves count in shares of this."""

_MODEL: Final = "ranking_trees.json"


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees of the same shape; those with fewer nodes are filled up with nodes that all pass.

    Attributes:
        features: names of the columns.
        usual: float64 (features,), their medians over what the trees were fitted on.
        columns: intp (trees x nodes,), the feature each node compares.
        bounds: float64 (trees x nodes,): a row with more than that fails the node.
        kept: uint16 (trees x nodes,), the leaves that are left to a row that fails.
        leaves: int32 (trees, MOST_LEAVES).
    """

    features: tuple[str, ...]
    usual: npt.NDArray[np.float64]
    columns: npt.NDArray[np.intp]
    bounds: npt.NDArray[np.float64]
    kept: npt.NDArray[np.uint16]
    leaves: npt.NDArray[np.int32]

    def sums(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the sum of each row's leaves, int64 (rows,), in 1 / UNIT.

        Args:
            rows: float64 (rows, features).
        """
        shape = len(self.leaves), MOST_LEAVES - 1, len(rows)
        fails = np.ascontiguousarray(rows.T)[self.columns] > self.bounds[:, None]
        left = np.where(fails, self.kept[:, None], np.uint16(0xFFFF)).reshape(shape)
        first = _FIRST_BIT[np.bitwise_and.reduce(left, axis=1)]
        picked = self.leaves[np.arange(len(self.leaves))[:, None], first]
        found: npt.NDArray[np.int64] = picked.sum(axis=0, dtype=np.int64)
        return found


@cache
def ranking_forest() -> Forest:
    """Return the forest that ships with the package."""
    held = resources.files("ggrep.search.query").joinpath(_MODEL).read_bytes()
    return forest_of(stable_json.loads(held))


def forest_of(said: dict[str, Any]) -> Forest:
    """Return the forest that a file's content describes.

    Args:
        said: `features`, their names; `usual`, their medians; `trees`: of each the inner nodes as
            [feature, bound, leaves that are left to a row with more], and `leaves` in 1 / UNIT,
            the leftmost first.
    """
    trees = said["trees"]
    shape = len(trees), MOST_LEAVES - 1
    columns = np.zeros(shape, dtype=np.intp)
    bounds = np.full(shape, np.inf)
    kept = np.zeros(shape, dtype=np.uint16)
    leaves = np.zeros((len(trees), MOST_LEAVES), dtype=np.int32)
    for number, tree in enumerate(trees):
        for place, (column, bound, left) in enumerate(tree["nodes"]):
            columns[number, place], bounds[number, place] = column, bound
            kept[number, place] = left
        leaves[number, : len(tree["leaves"])] = tree["leaves"]
    return Forest(
        features=tuple(said["features"]),
        usual=np.array(said["usual"], dtype=np.float64),
        columns=columns.ravel(),
        bounds=bounds.ravel(),
        kept=kept.ravel(),
        leaves=leaves,
    )


_FIRST_BIT: Final = np.array(
    [0, *((number & -number).bit_length() - 1 for number in range(1, 1 << MOST_LEAVES))],
    dtype=np.uint8,
)
"""Place of the lowest set bit of each number of 16 bits."""
