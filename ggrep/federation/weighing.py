"""Weighted merges: repositories by their evidence, or two rankings against each other.

Pure, as `ggrep.federation.merge` is, and with its ties. `weighted-rrf` takes lists that were each
measured against their own repository, and weighs their ranks. `evidence` takes lists measured
against one collection, and weighs their scores; `global-rrf` takes such lists too and fuses two
rankings of all their hits, so that no scale of a score matters.

Weights are those of `ggrep.federation.evidence`: from 0 to 1.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ggrep.base.ids import RepoId
from ggrep.federation.merge import (
    SCORE_DECIMALS,
    MergedHit,
    RankedList,
    global_order,
    pooled,
    rrf_score,
    tie_order,
)

_EVIDENCE: Final = 2.0
"""What a repository's evidence counts against 1 for the score alone."""
_GLOBAL_DECIMALS: Final = 9


def merge_weighted_rrf(
    lists: Iterable[RankedList],
    *,
    weights: Mapping[RepoId, float],
    top: int,
    rrf_k: int,
    per_repo_top: int,
) -> tuple[MergedHit, ...]:
    """Return the `top` best by reciprocal rank times the fourth root of the repository's weight.

    Reciprocal ranks differ little: weights themselves would put all of one repository before all
    of the next. A repository without a weight has 0: its hits come after all others. Ties are
    those of `merge_rrf`, hit for hit; equal weights give its order.
    """
    fed = sorted(lists, key=lambda ranked: ranked.repo_id)
    entries = [
        (_flat(weights, ranked.repo_id) * rrf_score(merged.local_rank, rrf_k), ranked, merged)
        for ranked in fed
        for merged in pooled([ranked], per_repo_top)
    ]
    keyed = [
        ((-score, *tie_order(merged, ranked.priority, place)), merged, score)
        for place, (score, ranked, merged) in enumerate(entries)
    ]
    keyed.sort(key=lambda item: item[0])
    return tuple(
        replace(merged, score=round(score, SCORE_DECIMALS)) for _, merged, score in keyed[:top]
    )


def merge_evidence(
    lists: Iterable[RankedList],
    *,
    weights: Mapping[RepoId, float],
    top: int,
    per_repo_top: int,
) -> tuple[MergedHit, ...]:
    """Return the `top` best by score times a factor that grows with the repository's weight.

    The factor is 1 for weight 1, and a third for weight 0 or none: a much better hit still wins.
    It is the same for all hits of a repository, so that deeper lists would change nothing.

    Requires: lists of one corpus, measured against one collection.
    """
    return tuple(_weighed(pooled(lists, per_repo_top), weights)[:top])


def merge_global_rrf(
    lists: Iterable[RankedList], *, top: int, rrf_k: int, per_repo_top: int
) -> tuple[MergedHit, ...]:
    """Return the `top` best by the fused ranks of all hits.

    Requires: lists of one corpus, measured against one collection.
    """
    return tuple(_fused(pooled(lists, per_repo_top), rrf_k)[:top])


def _weighed(hits: Iterable[MergedHit], weights: Mapping[RepoId, float]) -> list[MergedHit]:
    weighed = [
        replace(merged, score=round(merged.score * _factor(weights, merged), _GLOBAL_DECIMALS))
        for merged in hits
    ]
    return sorted(weighed, key=lambda merged: (-merged.score, *global_order(merged)))


def _flat(weights: Mapping[RepoId, float], repo_id: RepoId) -> float:
    # Square roots are the same on every machine, powers need not be.
    return math.sqrt(math.sqrt(weights.get(repo_id, 0.0)))


def _factor(weights: Mapping[RepoId, float], merged: MergedHit) -> float:
    return (1.0 + _EVIDENCE * weights.get(merged.repo_id, 0.0)) / (1.0 + _EVIDENCE)


def _fused(hits: Sequence[MergedHit], rrf_k: int) -> list[MergedHit]:
    """Return the hits by the sum of their reciprocal ranks, by score and by secondary score."""
    by_score = sorted(hits, key=global_order)
    by_lexical = sorted(hits, key=lambda merged: (-merged.hit.lexical, *global_order(merged)))
    lexical_rank = {_name(merged): rank for rank, merged in enumerate(by_lexical)}
    fused = [
        (rrf_score(rank, rrf_k) + rrf_score(lexical_rank[_name(merged)], rrf_k), rank, merged)
        for rank, merged in enumerate(by_score)
    ]
    fused.sort(key=lambda item: (-item[0], item[1]))
    return [replace(merged, score=round(score, SCORE_DECIMALS)) for score, _, merged in fused]


def _name(merged: MergedHit) -> tuple[RepoId, str]:
    return merged.repo_id, merged.hit.row_id
