"""The learned correction: a bounded factor on the score of every row of code.

What it is for a file is a function of the query, the file and the collection. It is reckoned only
where it can matter: as it is bounded, a file far enough behind the last one that is asked for
cannot reach it. Prose and records are left as they are: what the trees were fitted on, changes of
sources, says nothing of them.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.base.clock import Deadline
from ggrep.search.query.best_rows import CODE, BestRows, last_of_best
from ggrep.search.query.file_features import Figures, FileFeatures, Places
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.score import SegmentScores
from ggrep.search.query.segments import SearchableSegment
from ggrep.search.query.trees import UNIT, Forest

LEARNED: Final = "learned"
"""What the factor is called among the parts of a score."""

CORRECTED: Final = frozenset({QueryKind.QUESTION, QueryKind.WORDS})
"""Queries in words. A name, a path, a message and quoted text mean one place, which rules find."""

_LOWEST: Final = -1.5
_HIGHEST: Final = 0.75
"""Bounds of the forest's sum, a natural logarithm."""

_TOLD: Final = 3
"""Features that an explanation names."""

_FIRST: Final = 4
"""Times as many files as are wanted are looked at first. The last wanted one of these bounds how
far the others can reach; looking at more at first saves nothing."""


def factor_of(sums: npt.NDArray[np.int64]) -> Figures:
    """Return the factors of some sums of a forest, from 1/7 to 2.2.

    exp within the bounds, near enough, by its Pade approximant of degree one: a division has the
    same bits on every processor.
    """
    half = np.clip(sums / UNIT, _LOWEST, _HIGHEST) / 2.0
    factors: Figures = (1.0 + half) / (1.0 - half)
    return factors


MOST: Final = float(factor_of(np.array([1 << 30]))[0])


class Correction:
    """Corrects the scores of one query."""

    def __init__(self, forest: Forest, features: FileFeatures, deadline: Deadline) -> None:
        self._forest = forest
        self._features = features
        self._deadline = deadline

    def corrected(
        self,
        segments: Sequence[SearchableSegment],
        scores: Sequence[SegmentScores],
        best: Sequence[BestRows],
        files: int,
    ) -> tuple[BestRows, ...]:
        """Return the rows with factors by which the best `files` files are the best of all.

        Args:
            segments: of the snapshot.
            scores: of each segment's rows.
            best: per segment, the rows that may be shown.
            files: how deep the answer goes.
        """
        code = [each.best[CODE] for each in best]
        known = [np.zeros(len(each)) for each in code]
        self._learn(segments, scores, best, known, _least(code, _FIRST * files))
        so_far = [each * factors for each, factors in zip(code, known, strict=True)]
        self._learn(segments, scores, best, known, _least(so_far, files) / MOST)
        return tuple(
            each.weighed(np.where(factors > 0.0, factors, 1.0))
            for each, factors in zip(best, known, strict=True)
        )

    def factors(self, segment: SearchableSegment, scored: SegmentScores, files: Places) -> Figures:
        """Return the factor of each of some files of a segment, for its rows of code."""
        return factor_of(self._forest.sums(self._features.of(segment, scored, files)))

    def effects(
        self, segment: SearchableSegment, scored: SegmentScores, file: int
    ) -> tuple[tuple[str, float], ...]:
        """Return what moved a file's factor most: the feature, and by how much as a logarithm.

        That is what the forest's sum would be less if the feature had its usual value.
        """
        forest = self._forest
        row = self._features.of(segment, scored, np.array([file], dtype=np.int64))
        others = np.repeat(row, len(forest.features), axis=0)
        np.fill_diagonal(others, forest.usual)
        moved = (forest.sums(row) - forest.sums(others)) / UNIT
        most = sorted(zip(forest.features, moved.tolist(), strict=True), key=_by_size)[:_TOLD]
        return tuple((f"{LEARNED}.{name}", round(value, 3)) for name, value in most if value)

    def _learn(
        self,
        segments: Sequence[SearchableSegment],
        scores: Sequence[SegmentScores],
        best: Sequence[BestRows],
        known: Sequence[Figures],
        least: float,
    ) -> None:
        """Reckon the factors of the files that score at least so much, and have none yet."""
        self._deadline.check("correction")
        for segment, scored, each, factors in zip(segments, scores, best, known, strict=True):
            code = each.best[CODE]
            wanted = (code >= least) & (code > 0.0) & (factors == 0.0)
            if wanted.any():
                factors[wanted] = self.factors(segment, scored, each.runs.files[wanted])


def _by_size(effect: tuple[str, float]) -> tuple[float, str]:
    return -abs(effect[1]), effect[0]


def _least(scores: Sequence[Figures], number: int) -> float:
    """Return the score of the last of the best `number` that score; 0 where there are no more."""
    return last_of_best([each[each > 0.0] for each in scores], number)
