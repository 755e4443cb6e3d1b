"""Which pairs are told apart together."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.intp]


def batches(
    packages: npt.NDArray[np.int64], size: int, block: int, random: np.random.Generator
) -> Iterator[Places]:
    """Yield places of pairs, each once but those of a last, smaller batch.

    Args:
        packages: int64 (n,), the package of each pair.
        size: pairs of a batch at least.
        block: pairs of one package that stay together. They are the hard ones to tell apart:
            texts of one project that share its words.
        random: decides which.
    """
    order = random.permutation(len(packages))
    order = order[np.argsort(packages[order], kind="stable")]
    owners = packages[order]
    bounds = np.flatnonzero(np.concatenate(([True], owners[1:] != owners[:-1], [True])))
    blocks = [
        order[start : min(start + block, end)]
        for first, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
        for start in range(first, end, block)
    ]
    waiting: list[Places] = []
    held = 0
    for place in random.permutation(len(blocks)):
        waiting.append(blocks[place])
        held += len(blocks[place])
        if held >= size:
            yield np.concatenate(waiting)
            waiting, held = [], 0


def kept_back(
    packages: npt.NDArray[np.int64], number: int, share: float, random: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Return the packages whose pairs are not learnt from but judge what was learnt.

    Args:
        packages: of each pair.
        number: how many packages there are.
        share: of them that is kept back; 12 at least, but half of those with pairs at most.
        random: decides which.
    """
    present = np.unique(packages)
    most = min(max(12, round(number * share)), len(present) // 2)
    chosen: npt.NDArray[np.int64] = np.sort(random.permutation(present)[:most])
    return chosen
