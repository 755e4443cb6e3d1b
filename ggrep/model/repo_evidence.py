"""Estimates from term statistics how likely each repository is to hold the answer.

Each repository is taken as a source of the query's words: how much more often its chunks hold them
than chunks of all repositories do, and its paths than all paths do. Words that stand everywhere
alike say nothing, words that stand nowhere say nothing, and the size of a repository is no
argument for or against it. The figures were chosen on the aggregate of a public benchmark;
docs/quality.md has what they reach on repositories that they were not chosen on.

Pure and free of any order: sums are exact, and the outcome is rounded.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from ggrep.model.statistics import CollectionStatistics, TermFrequency

K = TypeVar("K")

_DECIMALS: Final = 6
_WEIGHT: Final = 2.0
"""What evidence counts against 1 for the score alone."""

_SMOOTHING: Final = 30
"""Chunks, or files, that every repository is thought to hold beside its own, of usual words."""
_PATHS: Final = 0.25
"""What a word in paths counts beside one in chunks."""
_SHARPNESS: Final = 0.1
"""Words of a text hang together: taken as independent they would be far too sure."""


def repo_evidence(figures: Mapping[K, CollectionStatistics]) -> dict[K, float]:
    """Return how well each repository fits the query, relative to the best fit.

    The best has 1.0, others less, never below 0; a repository without a chunk has 0.0. Nobody's
    evidence moves because an empty repository joins.
    """
    filled = {repo: held for repo, held in figures.items() if held.chunks}
    if not filled:
        return dict.fromkeys(figures, 0.0)
    parts = tuple(filled.values())
    by_chunks = _likelihoods(parts, lambda held: held.chunks, lambda entry: entry.chunks)
    by_paths = _likelihoods(parts, lambda held: held.files, lambda entry: entry.files)
    sums = [chunks + _PATHS * paths for chunks, paths in zip(by_chunks, by_paths, strict=True)]
    best = max(sums)
    found = {
        repo: round(math.exp(_SHARPNESS * (each - best)), _DECIMALS)
        for repo, each in zip(filled, sums, strict=True)
    }
    return {repo: found.get(repo, 0.0) for repo in figures}


def evidence_factor(weight: float) -> float:
    """Return what a score is multiplied by for a repository's evidence, from a third to 1."""
    return (1.0 + _WEIGHT * weight) / (1.0 + _WEIGHT)


def _likelihoods(
    parts: Sequence[CollectionStatistics],
    size_of: Callable[[CollectionStatistics], int],
    count_of: Callable[[TermFrequency], int],
) -> list[float]:
    """Return the log likelihood ratio of the terms: each repository against all together.

    A document of a part holds a term with the share of the part's own documents and of
    `_SMOOTHING` more that hold it as often as those of all parts do.
    """
    size = sum(map(size_of, parts))
    counts = [{entry.term: count_of(entry) for entry in part.terms} for part in parts]
    # Repositories of another lexical layout may have counted other terms: these cannot be compared.
    common = set[str]().union(*counts).intersection(*counts)
    terms = sorted(common, key=lambda term: term.encode())
    totals = {term: sum(each[term] for each in counts) for term in terms}
    usual = {term: total / size for term, total in totals.items() if total and size}
    return [
        math.fsum(
            math.log((own[term] / share + _SMOOTHING) / (size_of(part) + _SMOOTHING))
            for term, share in usual.items()
        )
        for part, own in zip(parts, counts, strict=True)
    ]
