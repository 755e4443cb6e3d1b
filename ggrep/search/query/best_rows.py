"""The scored rows that may be shown, by file, with the best score of each file and corpus.

Ordering, the learned factor, confidence and slates all start from the best rows of files, which are
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
    """The rows of a segment that score and may be shown, in the order of their files.

    Attributes:
        places: int64 (n,): their places among all rows that score.
        corpora: uint8 (n,): their corpora's places in CORPORA; `numbers` int64 (corpora,): how
            many rows each has.
        runs: their files.
        best: float64 (corpora, files): the best score of a file's rows of a corpus, after the
            factor; 0 without such rows.
        factors: float64 (files,): the factors of the scores of each file's code.
    """

    places: Places
    corpora: npt.NDArray[np.uint8]
    numbers: npt.NDArray[np.int64]
    runs: FileRuns
    best: Scores
    factors: Scores

    def weighed(self, factors: Scores) -> "BestRows":
        """Return the same rows with factors of their files' code.

        Requires: all factors are still 1.
        """
        best = self.best.copy()
        best[CODE] = np.round(best[CODE] * factors, DECIMALS)
        return replace(self, best=best, factors=factors)

    def rows_of(self, files: Mask) -> tuple[Places, Places]:
        """Return the numbers of the rows of some files, and each row's place in `files`."""
        chosen = np.flatnonzero(files)
        lengths = self.runs.lengths[chosen]
        return spread(self.runs.begins[chosen], lengths), np.repeat(chosen, lengths)

    def scores(self, scored: SegmentScores, numbers: Places, files: Places) -> Scores:
        """Return the scores of rows by their numbers and files, as `rows_of` gives them."""
        total = scored.total.take(self.places.take(numbers))
        code = self.corpora[numbers] == CODE
        total[code] = np.round(total[code] * self.factors[files[code]], DECIMALS)
        return total

    def factor(self, file: int, corpus: int) -> float:
        """Return the factor of the scores of a file's rows of a corpus."""
        if corpus != CODE:
            return 1.0
        return float(self.factors[np.searchsorted(self.runs.files, file)])


def best_rows(scored: SegmentScores, eligible: Mask) -> BestRows:
    """Return the rows that score and may be shown, without factors."""
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
