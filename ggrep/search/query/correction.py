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
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.search.query.eligible import Mask
from ggrep.search.query.file_features import Figures, FileFeatures, Places, spread
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.score import DECIMALS, RowScores, SegmentScores
from ggrep.search.query.segments import SearchableSegment, run_starts
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

_CODE: Final = CORPORA.index(Corpus.CODE)
_ROOM: Final = 2.6
"""How far below the last wanted file is looked at first: nearly always far enough."""


def factor_of(sums: npt.NDArray[np.int64]) -> Figures:
    """Return the factors of some sums of a forest, from 1/7 to 2.2.

    exp within the bounds, near enough, by its Pade approximant of degree one: a division has the
    same bits on every processor.
    """
    half = np.clip(sums / UNIT, _LOWEST, _HIGHEST) / 2.0
    factors: Figures = (1.0 + half) / (1.0 - half)
    return factors


MOST: Final = float(factor_of(np.array([1 << 30]))[0])


class Best(Struct, frozen=True):
    """Files with rows of code that may be shown, ascending, and the best score among those rows."""

    files: Places
    scores: Figures


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
        eligible: Sequence[Mask],
        files: int,
    ) -> tuple[SegmentScores, ...]:
        """Return scores by which the best `files` files are the best of all.

        Args:
            segments: of the snapshot.
            scores: of each segment's rows.
            eligible: per segment, the rows that may be shown.
            files: how deep the answer goes.
        """
        best = [best_code(*part) for part in zip(segments, scores, eligible, strict=True)]
        known = [np.zeros(len(each.files)) for each in best]
        first = _least([each.scores for each in best], files)
        self._learn(segments, scores, best, known, first / _ROOM)
        so_far = [each.scores * factors for each, factors in zip(best, known, strict=True)]
        self._learn(segments, scores, best, known, _least(so_far, files) / MOST)
        return tuple(
            scored if scored.is_empty else _with_factors(segment, scored, each.files, factors)
            for segment, scored, each, factors in zip(segments, scores, best, known, strict=True)
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
        best: Sequence[Best],
        known: Sequence[Figures],
        least: float,
    ) -> None:
        """Reckon the factors of the files that score at least so much, and have none yet."""
        self._deadline.check("correction")
        for segment, scored, each, factors in zip(segments, scores, best, known, strict=True):
            wanted = (each.scores >= least) & (factors == 0.0)
            if wanted.any():
                factors[wanted] = self.factors(segment, scored, each.files[wanted])


def _by_size(effect: tuple[str, float]) -> tuple[float, str]:
    return -abs(effect[1]), effect[0]


def best_code(segment: SearchableSegment, scored: SegmentScores, mask: Mask) -> Best:
    """Return the files of a segment with rows of code that may be shown."""
    if scored.is_empty:
        return Best(np.zeros(0, np.int64), np.zeros(0))
    image = segment.image
    rows = np.flatnonzero(mask & (scored.total > 0.0) & (image.row_corpora == _CODE))
    if not len(rows):
        return Best(rows, np.zeros(0))
    files = image.row_files[rows]
    begins = np.flatnonzero(run_starts(files))
    return Best(files[begins].astype(np.int64), np.maximum.reduceat(scored.total[rows], begins))


def _least(scores: Sequence[Figures], number: int) -> float:
    """Return the score of the last of the best `number`; 0 where there are no more."""
    every = np.concatenate([*scores, np.zeros(0)])
    if len(every) <= number:
        return 0.0
    return float(-np.partition(-every, number - 1)[number - 1])


def _with_factors(
    segment: SearchableSegment, scored: SegmentScores, files: Places, factors: Figures
) -> SegmentScores:
    """Return the scores with the factors of some files; 0 stands for a file without one."""
    image = segment.image
    known = factors > 0.0
    bounds, chosen = image.file_rows.astype(np.int64), files[known]
    lengths = bounds[chosen + 1] - bounds[chosen]
    rows = spread(bounds[chosen], lengths)
    code = image.row_corpora[rows] == _CODE
    rows, of_rows = rows[code], np.repeat(factors[known], lengths)[code]
    total = scored.total.copy()
    total[rows] = np.round(total[rows] * of_rows, DECIMALS)
    learned = RowScores(rows, of_rows, otherwise=1.0)
    return replace(scored, total=total, parts={**scored.parts, LEARNED: learned})
