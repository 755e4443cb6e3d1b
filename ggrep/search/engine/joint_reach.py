"""Determines which repositories without shown hits could change an answer over many repositories.

Silent members are repositories whose hits are not shown; their rows are scored like all other rows.
A row matters if its score is at least the score of the last hit in its corpus' merged list, or if
its file would be among the files that determine the answer's confidence. The learned correction is
bounded, so rows that do not matter even at the bound are left out. The correction is computed for
the files of the remaining rows, so the result is exact. For exact matches, confidence depends on
the best row alone. Showing a silent member would not change other scores: the summed statistics
already include silent members.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from ggrep.model.confidence import MOST_TOP_FILES, TopFiles
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.search.query.best_rows import CODE, BestRows, best_rows
from ggrep.search.query.correction import MOST
from ggrep.search.query.joint_view import owners_of
from ggrep.search.query.pipeline import Ranked
from ggrep.search.query.score import DECIMALS, Scores, SegmentScores
from ggrep.search.query.segments import SearchableSegment

_ROUNDED: Final = 10.0**-DECIMALS
"""Maximum amount by which rounding can raise a score above its bound."""
_EVERY_FILE: Final = 1 << 40


def members_reaching(ranked: Ranked, least: Mapping[Corpus, float], leaders: TopFiles) -> set[int]:
    """Return the repositories with a row that could change the answer.

    Args:
        ranked: the ranking before the learned correction; only rows of silent members are eligible.
        least: for each list, the score that a row must reach; 0 if any score suffices.
        leaders: top files of the repositories that show hits.
    """
    by_corpus = np.array([least.get(corpus, np.inf) for corpus in CORPORA])
    full = len(leaders.leaders) >= (MOST_TOP_FILES if ranked.verified is None else 1)
    leading = leaders.leaders[-1].score if full else 0.0
    highest = MOST if ranked.correction is not None else 1.0
    best = [best_rows(*part) for part in zip(ranked.scores, ranked.eligible, strict=True)]
    masks = [
        _mattering(*part, by_corpus, leading, highest)
        for part in zip(ranked.segments, ranked.scores, best, strict=True)
    ]
    if ranked.correction is not None and any(mask.any() for mask in masks):
        best = [best_rows(*part) for part in zip(ranked.scores, masks, strict=True)]
        best = [*ranked.correction.corrected(ranked.segments, ranked.scores, best, _EVERY_FILE)]
        masks = [
            _mattering(*part, by_corpus, leading, 1.0)
            for part in zip(ranked.segments, ranked.scores, best, strict=True)
        ]
    members: set[int] = set()
    for segment, mask in zip(ranked.segments, masks, strict=True):
        members.update(owners_of(segment)[segment.image.row_files[mask]].tolist())
    return members


def _mattering(
    segment: SearchableSegment,
    scored: SegmentScores,
    best: BestRows,
    least: Scores,
    leading: float,
    highest: float,
) -> npt.NDArray[np.bool_]:
    """Return bool (rows,): the rows that matter if scores of code rise by the factor `highest`."""
    numbers, files = best.rows_of(np.ones(len(best.runs.files), dtype=np.bool_))
    total = best.scores(scored, numbers, files)
    bound = total * np.where(best.corpora == CODE, highest, 1.0)
    near = (bound + _ROUNDED >= np.minimum(least[best.corpora], leading)) & (total > 0.0)
    mask = np.zeros(segment.image.rows, dtype=np.bool_)
    mask[scored.rows[best.places[near]]] = True
    return mask
