"""The rows of chosen files whose lines are worth most, by one priority over all files."""

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
"""Share of the best row's score that another row of the file must reach to be evidence as well."""

_MENTION: Final = 0.5
_USED: Final = 0.5
"""Gains of a row that mentions all that the best code defines, and of a row that defines what the
best code uses, as shares of its score."""

_COVERED: Final = 2.0
_OF_BEST: Final = 0.6
_LENGTH: Final = 0.3
_FILE_ROWS: Final = 0.2
"""Exponents of a row's priority: words of the question that it holds, the rank of its file, lines,
and matching rows of its file.

Fitted on the questions of fixtures/places that nothing is held out of.
"""

_OF_TESTS: Final = 0.5
"""Factor of the rows of tests: a question is answered by sources first."""


class ScoredRow(Struct, frozen=True):
    """A row of a file that matches.

    Attributes:
        row: place in its segment.
        priority: its place in the order in which lines of all files are shown; larger goes first.
    """

    row: int
    score: float
    priority: float
    start_line: int
    end_line: int


class FileRows(Struct, frozen=True):
    """The matching rows of a file.

    Attributes:
        best: by priority, then by line.
        telling: number of all matching rows.
    """

    best: tuple[ScoredRow, ...]
    telling: int


def learned_factors(ranked: Ranked, candidates: Sequence[FileCandidate]) -> list[float]:
    """Return the learned factors of the candidates' lines; 1 for all but matching code.

    They decide whose lines are shown and not which files, because a factor puts tests behind all
    sources.
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
    """Return the rows of each candidate whose lines are worth most, and how many match at all.

    A row's priority is its score, raised where it mentions what the best code defines, defines what
    the best code uses, holds more of the question's words or is in a better file, and lowered by
    its length. Code that is shown for the options it defines has only those rows.

    Args:
        ranked: the scores.
        candidates: the files.
        most: most rows of a file.
        beside: relations to the best code; None if they are not known.
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
    """Return for each row the highest value of its file's rows."""
    highest = np.zeros(int(number.max(initial=0)) + 1)
    np.maximum.at(highest, number, values)
    return highest[number]


def _columns(
    ranked: Ranked, candidates: Sequence[FileCandidate], beside: RelatedFiles | None
) -> Iterator[tuple[npt.NDArray[Any], ...]]:
    """Yield, for each segment with candidates, figures of all rows of its candidates.

    The number of each row's candidate; its place in the segment; its score, how much it mentions of
    what the best code defines and how much it defines of what the best code uses, 0 for a row that
    is not shown; how much it holds of the question's words; whether it is a test inside of a
    source; its first and last line.
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
            if each.language == "rust" and not each.is_test:  # tests are beside the code
                tests[at == order] = inner_test_rows(segment, each.file, each.language)
        begin, end = (column[rows].astype(np.int64) for column in image.row_lines(0, image.rows))
        score = np.where(wanted, ranked.scores[place].at(rows), 0.0)
        related = (beside.rows[place][rows], beside.used[place][rows]) if beside else (0.0, 0.0)
        mention, used = (np.where(wanted, each, 0.0) for each in related)
        yield numbers[at], rows, score, mention, used, covered[place][rows], tests, begin, end


def _covered(ranked: Ranked, candidates: Sequence[FileCandidate]) -> list[Figures]:
    """Return per segment how much of the question's words each row of the candidates holds.

    float64 (rows,), from 0 to 1; a word that fewer of these rows contain counts more.
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
