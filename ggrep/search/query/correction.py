"""The learned correction: a bounded factor on the score of every row of code.

The factor of a file is a function of the query, the file and the collection. The factor is bounded,
so a file whose score is far enough below the score of the last shown file cannot overtake it; no
factor is computed for such a file. Prose and records have no factor, because the trees were fitted
on changes of sources.
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
"""Name of the factor among the parts of a score."""

CORRECTED: Final = frozenset({QueryKind.QUESTION, QueryKind.WORDS})
"""Kinds of queries that are corrected.

Names, paths, messages and quoted text mean one place in the code, which rules find.
"""

_LOWEST: Final = -1.5
_HIGHEST: Final = 0.75
"""Bounds of the forest's sum, which is a natural logarithm."""

_NAMED_FEATURES: Final = 3
"""Number of features that an explanation names."""

_FIRST: Final = 4
"""The first round corrects this many times as many files as the answer shows.

Its last score to show then bounds which further files need correction. A larger first round saves
nothing.
"""


def factor_of(sums: npt.NDArray[np.int64]) -> Figures:
    """Return the factors, from 1/7 to 2.2, for sums of a forest.

    The factors approximate `exp` within the bounds by its Pade approximant of degree one, because a
    division yields the same bits on every processor.
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
        """Return the rows, after computing the factors that can change the best `files` files.

        Args:
            segments: the segments of the snapshot.
            scores: the scores of each segment's rows.
            best: the rows of each segment that may be shown.
            files: maximum number of files in the answer.
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
        """Return the factors of the code in some files of a segment."""
        return factor_of(self._forest.sums(self._features.of(segment, scored, files)))

    def effects(
        self, segment: SearchableSegment, scored: SegmentScores, file: int
    ) -> tuple[tuple[str, float], ...]:
        """Return the features with the largest effects on a file's factor, with their effects.

        The effect of a feature is the forest's sum, a logarithm, minus the sum with the usual value
        of the feature.
        """
        forest = self._forest
        row = self._features.of(segment, scored, np.array([file], dtype=np.int64))
        others = np.repeat(row, len(forest.features), axis=0)
        np.fill_diagonal(others, forest.usual)
        moved = (forest.sums(row) - forest.sums(others)) / UNIT
        most = sorted(zip(forest.features, moved.tolist(), strict=True), key=_by_size)[
            :_NAMED_FEATURES
        ]
        return tuple((f"{LEARNED}.{name}", round(value, 3)) for name, value in most if value)

    def _learn(
        self,
        segments: Sequence[SearchableSegment],
        scores: Sequence[SegmentScores],
        best: Sequence[BestRows],
        known: Sequence[Figures],
        least: float,
    ) -> None:
        """Compute the missing factors of the files with a score of at least `least`."""
        self._deadline.check("correction")
        for segment, scored, each, factors in zip(segments, scores, best, known, strict=True):
            code = each.best[CODE]
            wanted = (code >= least) & (code > 0.0) & (factors == 0.0)
            if wanted.any():
                factors[wanted] = self.factors(segment, scored, each.runs.files[wanted])


def _by_size(effect: tuple[str, float]) -> tuple[float, str]:
    return -abs(effect[1]), effect[0]


def _least(scores: Sequence[Figures], number: int) -> float:
    """Return the lowest of the best `number` positive scores; 0 if at most `number` exist."""
    return last_of_best([each[each > 0.0] for each in scores], number)
