"""A forest of small decision trees, evaluated for many rows at once.

An inner node compares a feature with a bound. If a row's value exceeds the bound, the leaves on the
node's left side are removed; the row's leaf is the first remaining leaf of the tree. No tree is
walked (QuickScorer: Lucchese and others, SIGIR 2015). The position of a row's value among the
bounds of a feature determines which of the feature's nodes remove leaves. The remaining leaves were
computed for each position when the forest was read. Leaves are integers, so a sum has the same bits
on every machine.
"""

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base import stable_json

MOST_LEAVES: Final = 16
UNIT: Final = 1024
"""Number of units in 1; leaves are integers in this unit."""

_MODEL: Final = "ranking_trees.json"
_ALL: Final = (1 << MOST_LEAVES) - 1


class Forest(Struct, frozen=True):
    """Decision trees.

    Attributes:
        features: names of the columns.
        usual: float64 (features,), medians of the columns in the training data.
        bounds: per feature float64 (bounds,), ascending: the values with which nodes compare the
            feature.
        kept: per feature uint16 (bounds + 1, trees): the remaining leaves, as bits, by the number
            of bounds that a row's value exceeds.
        leaves: int32 (trees, MOST_LEAVES).
    """

    features: tuple[str, ...]
    usual: npt.NDArray[np.float64]
    bounds: tuple[npt.NDArray[np.float64], ...]
    kept: tuple[npt.NDArray[np.uint16], ...]
    leaves: npt.NDArray[np.int32]

    def sums(self, rows: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the sum of each row's leaves, int64 (rows,), in units of 1 / UNIT.

        Args:
            rows: float64 (rows, features).
        """
        trees = len(self.leaves)
        left = np.full((len(rows), trees), _ALL, dtype=np.uint16)
        room = np.empty_like(left)
        for values, bounds, kept in zip(rows.T, self.bounds, self.kept, strict=True):
            left &= kept.take(bounds.searchsorted(values), axis=0, out=room, mode="clip")
        first = _FIRST_BIT.take(left) + np.arange(trees) * MOST_LEAVES
        sums: npt.NDArray[np.int64] = self.leaves.take(first).sum(axis=1, dtype=np.int64)
        return sums


@cache
def ranking_forest() -> Forest:
    """Return the forest that is part of the package."""
    content = resources.files("ggrep.search.query").joinpath(_MODEL).read_bytes()
    return forest_of(stable_json.loads(content))


def forest_of(content: dict[str, Any]) -> Forest:
    """Return the forest in a file's content.

    Args:
        content: `features`: the names of the features; `usual`: their medians; `trees`: each with
            `nodes`, as [feature, bound, leaves kept for a larger value], and with `leaves` from the
            left.
    """
    trees, features = content["trees"], tuple(content["features"])
    leaves = np.zeros((len(trees), MOST_LEAVES), dtype=np.int32)
    nodes: list[list[tuple[float, int, int]]] = [[] for _ in features]
    for number, tree in enumerate(trees):
        leaves[number, : len(tree["leaves"])] = tree["leaves"]
        for column, bound, left in tree["nodes"]:
            nodes[column].append((bound, number, left))
    tables = [_of_feature(each, len(trees)) for each in nodes]
    return Forest(
        features=features,
        usual=np.array(content["usual"], dtype=np.float64),
        bounds=tuple(bounds for bounds, _ in tables),
        kept=tuple(kept for _, kept in tables),
        leaves=leaves,
    )


def _of_feature(
    nodes: Sequence[tuple[float, int, int]], trees: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint16]]:
    compared = np.array([bound for bound, _, _ in nodes], dtype=np.float64)
    bounds, places = np.unique(compared, return_inverse=True)
    kept = np.full((len(bounds) + 1, trees), _ALL, dtype=np.uint16)
    of_trees = np.array([tree for _, tree, _ in nodes], dtype=np.intp)
    left = np.array([left for _, _, left in nodes], dtype=np.uint16)
    np.bitwise_and.at(kept, (places + 1, of_trees), left)
    return bounds, np.bitwise_and.accumulate(kept, axis=0)


_FIRST_BIT: Final = np.array(
    [0, *((number & -number).bit_length() - 1 for number in range(1, 1 << MOST_LEAVES))],
    dtype=np.uint8,
)
"""Position of the lowest set bit of each 16-bit number."""
