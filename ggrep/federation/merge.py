"""Merges ranked lists of many repositories; the only place that breaks ties across them.

Pure: equal lists give equal answers, in whatever order they arrived. `rrf` knows ranks alone and
follows the contract to the letter. `global` takes scores that were measured against one collection,
so that the merged list is the one a single store over all files would give.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ggrep.base.ids import RepoId
from ggrep.model.hit import Hit

SCORE_DECIMALS: Final = 12
"""Digits of scores made of ranks."""


class RankedList(Struct, frozen=True):
    """One repository's list, best first.

    Attributes:
        alias: None when the repository has none.
        priority: higher wins ties under `rrf`.
    """

    repo_id: RepoId
    alias: str | None
    priority: int
    hits: tuple[Hit, ...]


class AlsoIn(Struct, frozen=True):
    """Where another repository holds the text of a hit.

    Attributes:
        file: path key; `start` and `end` are lines, 1-based inclusive.
        row_id: the copy's own.
    """

    repo_id: RepoId
    repo_alias: str | None
    file: str
    start: int
    end: int
    row_id: str


class MergedHit(Struct, frozen=True):
    """A hit and the repository it came from.

    Attributes:
        hit: as the repository ranked it; its `score` is the repository's own.
        score: what the merged list is ordered by.
        local_rank: place in the repository's list that it was taken from, 0-based.
        also_in: copies that were folded into it, by repository, file, line and row.
    """

    repo_id: RepoId
    repo_alias: str | None
    hit: Hit
    score: float
    local_rank: int
    also_in: tuple[AlsoIn, ...] = ()

    @property
    def local_score(self) -> float:
        """Return the score in the repository's own list."""
        return self.hit.score

    @property
    def global_id(self) -> str:
        """Return an id of the hit that is unique across repositories."""
        return f"{self.repo_id}:{self.hit.row_id}"


def rrf_score(rank: int, rrf_k: int) -> float:
    """Return 1 / (rrf_k + place), the place being the 0-based `rank` counted from 1."""
    return 1.0 / (rrf_k + rank + 1)


def merge_rrf(
    lists: Iterable[RankedList], *, rrf_k: int, per_repo_top: int
) -> tuple[MergedHit, ...]:
    """Return all hits by reciprocal rank, best first.

    Ties, which are the rule: priority, repository id, hit id, file, start line, and last the
    place in the lists taken in the order of repository ids.
    """
    fed = sorted(lists, key=lambda ranked: ranked.repo_id)
    entries = [
        (round(rrf_score(rank, rrf_k), SCORE_DECIMALS), ranked, rank)
        for ranked in fed
        for rank in range(min(per_repo_top, len(ranked.hits)))
    ]
    keyed = [
        ((-score, *tie_order(merged, ranked.priority, place)), merged)
        for place, (score, ranked, rank) in enumerate(entries)
        for merged in [_merged(ranked, rank, score)]
    ]
    keyed.sort(key=lambda pair: pair[0])
    return tuple(merged for _, merged in keyed)


def merge_global(lists: Iterable[RankedList], *, per_repo_top: int) -> tuple[MergedHit, ...]:
    """Return all hits by score, best first; lists are of one corpus, measured on one collection."""
    hits = [
        _merged(ranked, rank, ranked.hits[rank].score)
        for ranked in lists
        for rank in range(min(per_repo_top, len(ranked.hits)))
    ]
    return tuple(sorted(hits, key=global_order))


def _merged(ranked: RankedList, rank: int, score: float) -> MergedHit:
    return MergedHit(ranked.repo_id, ranked.alias, ranked.hits[rank], score, rank)


def global_order(merged: MergedHit) -> tuple[float, float, bytes, int, str, RepoId]:
    """Return the sort key for hits with comparable scores; no two hits have the same key."""
    hit = merged.hit
    place = hit.path.encode(), hit.start_line, hit.row_id, merged.repo_id
    return -hit.score, -hit.lexical_score, *place


def tie_order(
    merged: MergedHit, priority: int, place: int
) -> tuple[int, RepoId, str, bytes, int, int]:
    """Return the sort key that breaks ties of rank: the contract's chain."""
    hit = merged.hit
    return -priority, merged.repo_id, hit.row_id, hit.path.encode(), hit.start_line, place
