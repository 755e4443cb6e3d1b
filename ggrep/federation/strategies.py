"""The merge strategies, by the names that requests use."""

from typing import Final

RRF: Final = "rrf"
"""The contract's own, by rank alone; the default."""

GLOBAL: Final = "global"
"""By scores against the statistics of all repositories: the list of one store over all files.

Copies of one text in several repositories are folded unless the request says otherwise.
"""

STRATEGIES: Final = (RRF, GLOBAL)

REMOVED: Final = frozenset({"evidence", "global-rrf", "weighted-rrf"})
"""Refused in requests; a workspace file that names one is read as `global`, with a warning."""
