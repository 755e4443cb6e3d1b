"""The scored rows that may be shown, by file, with the best score of each file and corpus.

Ordering, the learned factor, confidence and slates all use the best row of each file, which is
computed once.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.corpus import CORPORA, Corpus
from ggrep.search.query.eligible import Mask
from ggrep.search.query.score import DECIMALS, Places, Scores, SegmentScores
from ggrep.search.query.segments import FileRuns, spread

CODE = CORPORA.index(Corpus.CODE)


class BestRows(Struct, frozen=True):
    """The rows of a segment that have a score and may be shown, in the order of their files.

    Attributes:
        places: int64 (n,): their positions among all rows with a score.
        corpora: uint8 (n,): the position of each row's corpus in CORPORA.
        numbers: int64 (corpora,): the number of rows of each corpus.
        runs: the consecutive rows of each file.
        best: float64 (corpora, files): the best score among a file's rows of a corpus, for code
            multiplied by `factors`; 0 if the file has no such row.
        factors: float64 (files,): the factor of each file, by which the scores of its code are
            multiplied.
    """

    places: Places
    corpora: npt.NDArray[np.uint8]
    numbers: npt.NDArray[np.int64]
    runs: FileRuns
    best: Scores
    factors: Scores

    def weighed(self, factors: Scores) -> "BestRows":
        """Return the same rows; scores of code are multiplied by the file's factor.

        Requires: all factors are still 1.
        """
        best = self.best.copy()
        best[CODE] = np.round(best[CODE] * factors, DECIMALS)
        return replace(self, best=best, factors=factors)

    def rows_of(self, files: Mask) -> tuple[Places, Places]:
        """Return the positions of some files' rows, and the position of each row's file."""
        chosen = np.flatnonzero(files)
        lengths = self.runs.lengths[chosen]
        return spread(self.runs.begins[chosen], lengths), np.repeat(chosen, lengths)

    def scores(self, scored: SegmentScores, numbers: Places, files: Places) -> Scores:
        """Return the scores of the rows that `rows_of` returned as `numbers` and `files`."""
        total = scored.total.take(self.places.take(numbers))
        code = self.corpora[numbers] == CODE
        total[code] = np.round(total[code] * self.factors[files[code]], DECIMALS)
        return total

    def factor(self, file: int, corpus: int) -> float:
        """Return the factor by which the scores of a file's rows of a corpus are multiplied."""
        if corpus != CODE:
            return 1.0
        return float(self.factors[np.searchsorted(self.runs.files, file)])


def best_rows(scored: SegmentScores, eligible: Mask) -> BestRows:
    """Return the rows that have a score and may be shown; all factors are 1."""
    places = np.flatnonzero(eligible.take(scored.rows) & (scored.total > 0.0))
    runs, total = FileRuns.of(scored.files.take(places)), scored.total.take(places)
    corpora = scored.corpora.take(places)
    numbers = np.array([np.count_nonzero(corpora == corpus) for corpus in range(len(CORPORA))])
    best = np.zeros((len(CORPORA), len(runs.files)))
    for corpus in np.flatnonzero(numbers).tolist():
        whole = numbers[corpus] == len(places)
        best[corpus] = runs.highest(total if whole else total * (corpora == corpus))
    factors = np.ones(len(runs.files))
    return BestRows(places, corpora, numbers, runs, best, factors)


def last_of_best(scores: Sequence[Scores], number: int) -> float:
    """Return the lowest of the best `number` scores; 0 if there are no more than `number`."""
    every = np.concatenate([*scores, np.zeros(0)])
    if len(every) <= number:
        return 0.0
    return float(np.partition(every, len(every) - number)[len(every) - number])
