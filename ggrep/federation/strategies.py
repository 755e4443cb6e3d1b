"""The merge strategies, by the names that requests use."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way of merging.

    Attributes:
        counts: the statistics of all repositories are gathered before any of them is searched.
        compares: scores are measured against the sum of those statistics, and therefore compare;
            where the indexes do not, the contract's own strategy stands in.
        weighs: repositories count by how well their statistics fit the query.
        dealt: the blended list is dealt by mode from all hits, as one store would do it; otherwise
            each repository deals its own, and those lists are merged.
        folds: copies of one text in several repositories are folded unless the request says
            otherwise.
        exact: the merged list is the one that deeper lists of the repositories would give.
    """

    name: str
    counts: bool
    compares: bool = False
    weighs: bool = False
    dealt: bool = False
    folds: bool = False
    exact: bool = False


RRF: Final = "rrf"
"""The contract's own, in force where nothing is said."""

BY_NAME: Final = MappingProxyType(
    {
        each.name: each
        for each in (
            Strategy(RRF, counts=False),
            Strategy("global", counts=True, compares=True, dealt=True, folds=True, exact=True),
            Strategy(
                "evidence",
                counts=True,
                compares=True,
                weighs=True,
                dealt=True,
                folds=True,
                exact=True,
            ),
            Strategy("global-rrf", counts=True, compares=True, dealt=True, folds=True),
            Strategy("weighted-rrf", counts=True, weighs=True),
        )
    }
)

STRATEGIES: Final = tuple(BY_NAME)
"""Names of all of them, the contract's own first."""
