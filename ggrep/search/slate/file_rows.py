"""Selects the best rows of chosen files, by a priority that is comparable between files."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, starmap
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.model.corpus import CORPORA
from ggrep.model.slate import Section
from ggrep.model.slate_material import FileCandidate
from ggrep.search.query.best_rows import CODE
from ggrep.search.query.eligible import inner_test_rows
from ggrep.search.query.pipeline import Ranked
from ggrep.search.query.score import DECIMALS, Places
from ggrep.search.slate.file_candidates import CONFIGURING, Figures, RelatedFiles, option_rows

_FURTHER: Final = 0.4
"""Minimum score of a further row as evidence, relative to the file's best row."""

_MENTION: Final = 0.5
_USED: Final = 0.5
"""Gains of a row that mentions all that the best code defines, and of a row that defines what the
best code uses, as shares of its score."""

_COVERED: Final = 2.0
_OF_BEST: Final = 0.6
_LENGTH: Final = 0.3
_FILE_ROWS: Final = 0.2
"""Exponents in a row's priority of: the query's words in the row, the best row of its file, its
number of lines, and the number of matching rows in its file.

Fitted on the questions of fixtures/places that nothing is held out of.
"""

_OF_TESTS: Final = 0.5
"""Factor of the rows of tests, because sources answer a query better."""


class ScoredRow(Struct, frozen=True):
    """A row of a file that matches.

    Attributes:
        row: number of the row in its segment.
        priority: sort key over all files; lines of rows with a high priority are shown first.
    """

    row: int
    score: float
    priority: float
    start_line: int
    end_line: int


class FileRows(Struct, frozen=True):
    """The matching rows of a file.

    Attributes:
        best: the best rows, by priority, then by line.
        telling: number of all matching rows.
    """

    best: tuple[ScoredRow, ...]
    telling: int


def learned_factors(ranked: Ranked, candidates: Sequence[FileCandidate]) -> list[float]:
    """Return the candidates' factors from the learned correction; 1 except for matching code.

    The factors affect which lines are shown, but not which files are chosen, because they would
    rank tests after all sources.
    """
    factors = [1.0] * len(candidates)
    if ranked.correction is None:
        return factors
    for place, segment in enumerate(ranked.segments):
        at = [
            number
            for number, each in enumerate(candidates)
            if each.segment == place
            and each.score > 0.0
            and not each.is_test
            and CODE in each.corpora
        ]
        if at:
            files = np.array([candidates[number].file for number in at], dtype=np.int64)
            learned = ranked.correction.factors(segment, ranked.scores[place], files).tolist()
            for number, factor in zip(at, learned, strict=True):
                factors[number] = factor
    return factors


def rows_of(
    ranked: Ranked,
    candidates: Sequence[FileCandidate],
    most: int,
    beside: RelatedFiles | None = None,
    factors: Sequence[float] = (),
) -> list[FileRows]:
    """Return the best rows of each candidate, and its number of matching rows.

    A row's priority is based on its score, and lower for long rows. The priority is higher if the
    row mentions names that the best code defines, defines names that the best code uses, contains
    more words of the query, or is in a better file. For code that is shown because it defines
    options, only the rows with options count.

    Args:
        ranked: the scored snapshot.
        candidates: the files.
        most: maximum number of rows per file.
        beside: relations to the best code; None if they are unknown.
        factors: see `learned_factors`; empty for none.
    """
    if not candidates:
        return []
    weights = np.array([_OF_TESTS if each.section is Section.TESTS else 1.0 for each in candidates])
    if factors:
        weights *= factors
    best = max(each.score * weight for each, weight in zip(candidates, weights, strict=True))
    number, row, score, mention, used, covered, tests, begin, end = map(
        np.concatenate, zip(*_columns(ranked, candidates, beside), strict=True)
    )
    enough = (score > 0.0) & (score >= _FURTHER * _highest(score, number))
    at = np.flatnonzero(enough | (mention > 0.0) | (used > 0.0))
    share = score * (1.0 + _MENTION * mention + _USED * used) * weights[number]
    share[tests] *= _OF_TESTS
    power = _COVERED * covered + _OF_BEST * _highest(share, number) / (best or 1.0)
    of_file = np.maximum(np.bincount(number[at], minlength=len(candidates)), 1)[number]
    weight = (end - begin + 1) ** -_LENGTH * of_file**-_FILE_ROWS
    priority = np.round(share * np.exp(power) * weight, DECIMALS)
    at = at[np.lexsort((at, -priority[at], number[at]))]
    bounds = np.searchsorted(number[at], range(len(candidates) + 1)).tolist()
    files = []
    for first, last in pairwise(bounds):
        kept = at[first : min(last, first + most)]
        columns = (each[kept].tolist() for each in (row, score, priority, begin, end))
        rows = tuple(starmap(ScoredRow, zip(*columns, strict=True)))
        files.append(FileRows(rows, last - first))
    return files


def _highest(values: Figures, number: Places) -> Figures:
    """Return for each row the highest value of its file's rows; `number` is each row's file."""
    highest = np.zeros(int(number.max(initial=0)) + 1)
    np.maximum.at(highest, number, values)
    return highest[number]


def _columns(
    ranked: Ranked, candidates: Sequence[FileCandidate], beside: RelatedFiles | None
) -> Iterator[tuple[npt.NDArray[Any], ...]]:
    """Yield, for each segment with candidates, data of all rows of its candidates.

    The columns are: the index of the row's candidate; the row; its score and its two relations to
    the best code (see `RelatedFiles`), 0 for hidden rows; the share of the query's words in it;
    whether it is a test inside a source; its first and last line.
    """
    covered = _covered(ranked, candidates)
    for place, segment in enumerate(ranked.segments):
        here = [(i, each) for i, each in enumerate(candidates) if each.segment == place]
        if not here:
            continue
        image, numbers = segment.image, np.array([number for number, _ in here])
        files = np.array([each.file for _, each in here], dtype=np.int64)
        rows = segment.rows_of_files(files)
        at = np.repeat(np.arange(len(here)), np.diff(image.file_rows)[files])
        corpora = image.row_corpora[rows]
        shown = [[corpus in each.corpora for corpus in range(len(CORPORA))] for _, each in here]
        for_options = [
            each.section is Section.CONFIG and not (each.is_list or each.roles & CONFIGURING)
            for _, each in here
        ]
        wanted = np.array(shown)[at, corpora] & ranked.eligible[place][rows]
        wanted &= option_rows(segment)[rows] | (corpora != CODE) | ~np.array(for_options)[at]
        tests = np.zeros(len(rows), dtype=np.bool_)
        for order, (_, each) in enumerate(here):
            if each.language == "rust" and not each.is_test:  # files of code also contain tests
                tests[at == order] = inner_test_rows(segment, each.file, each.language)
        begin, end = (column[rows].astype(np.int64) for column in image.row_lines(0, image.rows))
        score = np.where(wanted, ranked.scores[place].at(rows), 0.0)
        related = (beside.rows[place][rows], beside.used[place][rows]) if beside else (0.0, 0.0)
        mention, used = (np.where(wanted, each, 0.0) for each in related)
        yield numbers[at], rows, score, mention, used, covered[place][rows], tests, begin, end


def _covered(ranked: Ranked, candidates: Sequence[FileCandidate]) -> list[Figures]:
    """Return, per segment, the share of the query's words that each row of the candidates contains.

    The values are float64 (rows,), from 0 to 1; rare words count more.
    """
    masks = [np.zeros(segment.image.rows, dtype=np.bool_) for segment in ranked.segments]
    for each in candidates:
        rows = ranked.segments[each.segment].rows_of(each.file)
        masks[each.segment][rows.start : rows.stop] = True
    masks = [mask & eligible for mask, eligible in zip(masks, ranked.eligible, strict=True)]
    every = sum(int(mask.sum()) for mask in masks)
    covered, total = [np.zeros(len(mask)) for mask in masks], 0.0
    for term in ranked.query.terms:
        matching = [segment.rows_with(term) for segment in ranked.segments]
        holding = [hits[mask[hits]] for hits, mask in zip(matching, masks, strict=True)]
        weight = math.log(1.0 + every / (1 + sum(map(len, holding))))
        total += weight
        for figures, hits in zip(covered, holding, strict=True):
            figures[hits] += weight
    return [figures / (total or 1.0) for figures in covered]
