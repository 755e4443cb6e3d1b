"""Tells which members that show nothing could have changed an answer to many repositories.

Their rows are scored as all others. A row matters if it scores as much as the last text that its
corpus' merged list shows, or if its file would be among those that the answer's confidence goes by.
The learned correction is bounded: rows that could not matter even at its most are left out, and it
is reckoned for the files of the others, so that the verdict is exact. Of a kind of finding that
promises something of every hit, confidence goes by the best row alone. Scores that a member adds to
nobody else's need no look: its statistics are in the sum already.
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
"""By how much rounding may lift a score above its bound."""
_EVERY_FILE: Final = 1 << 40


def members_reaching(ranked: Ranked, least: Mapping[Corpus, float], leaders: TopFiles) -> set[int]:
    """Return the members of which a row matters.

    Args:
        ranked: all of a joint view before any correction; only rows of those in question eligible.
        least: of each list that is shown, what a row must score to have a place; 0 for any.
        leaders: of those who show something.
    """
    by_corpus = np.array([least.get(corpus, np.inf) for corpus in CORPORA])
    full = len(leaders.leaders) >= (MOST_TOP_FILES if ranked.found is None else 1)
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
    found: set[int] = set()
    for segment, mask in zip(ranked.segments, masks, strict=True):
        found.update(owners_of(segment)[segment.image.row_files[mask]].tolist())
    return found


def _mattering(
    segment: SearchableSegment,
    scored: SegmentScores,
    best: BestRows,
    least: Scores,
    leading: float,
    highest: float,
) -> npt.NDArray[np.bool_]:
    """Return bool (rows,): the rows that may matter if code scores up to `highest` times more."""
    numbers, files = best.rows_of(np.ones(len(best.runs.files), dtype=np.bool_))
    total = best.scores(scored, numbers, files)
    bound = total * np.where(best.corpora == CODE, highest, 1.0)
    near = (bound + _ROUNDED >= np.minimum(least[best.corpora], leading)) & (total > 0.0)
    mask = np.zeros(segment.image.rows, dtype=np.bool_)
    mask[scored.rows[best.places[near]]] = True
    return mask
