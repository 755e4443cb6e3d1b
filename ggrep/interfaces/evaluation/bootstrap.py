"""95 % confidence intervals of means: a seeded bootstrap over whole repositories."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWS = 2000
SEED = 20_260_420
LEAST_GROUPS = 3
"""With fewer repositories there is nothing to draw from."""

_DECIMALS = 6


def interval(values: Sequence[float], groups: Sequence[str]) -> tuple[float, float] | None:
    """Return the interval of the mean of `values`, each of the group that stands beside it.

    As many groups as there are, are drawn with replacement `DRAWS` times; the bounds are the
    means with 2.5 % of the draws beyond them. None with fewer than `LEAST_GROUPS` groups.
    """
    import numpy as np

    names = sorted(set(groups))
    if len(names) < LEAST_GROUPS:
        return None
    place = {name: index for index, name in enumerate(names)}
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    for value, group in sorted(zip(values, groups, strict=True)):
        sums[place[group]] += value
        counts[place[group]] += 1
    drawn = draws(len(names))
    means = np.sort(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    low, high = means[int(DRAWS * 0.025)], means[int(DRAWS * 0.975) - 1]
    return round(float(low), _DECIMALS), round(float(high), _DECIMALS)


@cache
def draws(groups: int) -> "NDArray[Any]":
    """Return which groups each draw takes: int64 (DRAWS, groups).

    SplitMix64 over the place in the table: the same on every machine and for every version of
    any library.
    """
    import numpy as np

    place = np.arange(1, DRAWS * groups + 1, dtype=np.uint64)
    mixed = np.uint64(SEED) + place * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    chosen = ((mixed >> np.uint64(32)) * np.uint64(groups)) >> np.uint64(32)
    return chosen.astype(np.int64).reshape(DRAWS, groups)
