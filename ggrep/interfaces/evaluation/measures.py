"""Metrics of one answer.

Ranks count distinct files: a repeated file has no rank.
"""

import re
from collections.abc import Sequence
from math import fsum, log2

from msgspec import Struct
from msgspec.structs import replace

DEPTH = 10
"""Number of best files that NDCG, MRR and recall consider."""

_DECIMALS = 12


class Expectation(Struct, frozen=True):
    """The expected answer of a case; at least one part is given.

    Attributes:
        relevant: files that answer the query.
        any_contains: some file's path must contain one of these, in any letter case.
        all_contains: each of these must be contained in some file's path.
        any_regex: some file's path must match one of these.
        all_regex: each of these must match some file's path.
        confidence: expected confidence of the answer; empty for any.
    """

    relevant: tuple[str, ...] = ()
    any_contains: tuple[str, ...] = ()
    all_contains: tuple[str, ...] = ()
    any_regex: tuple[str, ...] = ()
    all_regex: tuple[str, ...] = ()
    confidence: str = ""

    @property
    def says_something(self) -> bool:
        """Return whether any part of the expectation is given."""
        return self != Expectation()


class Score(Struct, frozen=True):
    """Metrics of one answer; None for a metric that the expectation does not define.

    Attributes:
        first_rank: 0-based rank of the first expected file, at any depth.
        missing: expected items that are not in the answer.
    """

    ndcg10: float | None
    recall10: float | None
    mrr10: float | None
    first_rank: int | None
    passed: bool
    missing: tuple[str, ...]


def score(expected: Expectation, files: Sequence[str], confidence: str | None = None) -> Score:
    """Return the score of an answer whose distinct files are `files`, best first.

    NDCG sums 1 / log2(rank + 2) over relevant files, divided by the sum for the best order.
    """
    ranks = sorted(_ranks(expected, files))
    graded = frozenset(expected.relevant)
    top = files[:DEPTH]
    hits = [rank for rank, file in enumerate(top) if file in graded]
    ideal = _gain(range(min(DEPTH, len(graded))))
    findable = expected != Expectation(confidence=expected.confidence)
    missing = tuple(_missing(expected, files, confidence))
    first = ranks[0] if ranks else None
    reciprocal = 1.0 / (first + 1) if first is not None and first < DEPTH else 0.0
    return Score(
        ndcg10=round(_gain(hits) / ideal, _DECIMALS) if graded else None,
        recall10=round(len(hits) / len(graded), _DECIMALS) if graded else None,
        mrr10=round(reciprocal, _DECIMALS) if findable else None,
        first_rank=first,
        passed=not missing,
        missing=missing,
    )


def failed_score(expected: Expectation) -> Score:
    """Return the score of a query without an answer."""
    return replace(score(expected, ()), passed=False)


def _gain(ranks: Sequence[int]) -> float:
    return fsum(1.0 / log2(rank + 2) for rank in ranks)


def _ranks(expected: Expectation, files: Sequence[str]) -> list[int]:
    parts = [part.casefold() for part in (*expected.any_contains, *expected.all_contains)]
    patterns = [re.compile(text) for text in (*expected.any_regex, *expected.all_regex)]
    relevant = frozenset(expected.relevant)
    return [
        rank
        for rank, file in enumerate(files)
        if file in relevant
        or any(part in file.casefold() for part in parts)
        or any(pattern.search(file) for pattern in patterns)
    ]


def _missing(expected: Expectation, files: Sequence[str], confidence: str | None) -> list[str]:
    folded = [file.casefold() for file in files]
    missing = []
    if expected.relevant and not frozenset(expected.relevant).intersection(files[:DEPTH]):
        missing.append(f"a relevant file among the first {DEPTH}")
    wanted = (*expected.any_contains, *expected.any_regex)
    contained = any(part.casefold() in file for part in expected.any_contains for file in folded)
    matched = any(re.search(text, file) for text in expected.any_regex for file in files)
    if wanted and not contained and not matched:
        missing.append("a path with " + " or ".join(wanted))
    missing += [
        f"a path with {part}"
        for part in expected.all_contains
        if not any(part.casefold() in file for file in folded)
    ]
    missing += [
        f"a path like {text}"
        for text in expected.all_regex
        if not any(re.search(text, file) for file in files)
    ]
    if expected.confidence and confidence != expected.confidence:
        actual = confidence if confidence is not None else "not available"
        missing.append(f"confidence {expected.confidence}; it is {actual}")
    return missing
