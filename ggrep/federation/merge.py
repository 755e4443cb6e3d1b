"""Merges ranked lists and folds copies; no other module breaks ties between hits."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.federated_request import MAX_PER_REPO_TOP
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.federation.workspace_draft import GLOBAL
from ggrep.model.corpus import Corpus, Mode, bucket_of, select
from ggrep.model.limits import LimitHit
from ggrep.model.response import Hit, PoolResponse

SCORE_DECIMALS: Final = 12
"""Decimal digits of scores that are computed from ranks."""


class RankedList(Struct, frozen=True):
    """The ranked list of a repository, best first."""

    repo_id: RepoId
    alias: str | None
    priority: int
    hits: tuple[Hit, ...]


class AlsoIn(Struct, frozen=True):
    """The location of a copy of a text in another repository.

    Attributes:
        file: path key; `start` and `end` are lines, 1-based inclusive.
    """

    repo_id: RepoId
    repo_alias: str | None
    file: str
    start: int
    end: int
    row_id: str


class MergedHit(Struct, frozen=True):
    """A hit in the merged list, with its repository.

    Attributes:
        hit: the hit from the repository's reply; `hit.score` is the score in the repository.
        score: score in the merged list.
        local_rank: 0-based rank in the repository's list.
        also_in: copies that were folded into this hit, sorted by repository, file, line and row.
    """

    repo_id: RepoId
    repo_alias: str | None
    hit: Hit
    score: float
    local_rank: int
    also_in: tuple[AlsoIn, ...] = ()

    @property
    def local_score(self) -> float:
        """Return the score in the repository's list."""
        return self.hit.score

    @property
    def global_id(self) -> str:
        """Return an id of the hit that is unique across repositories."""
        return f"{self.repo_id}:{self.hit.row_id}"


def rrf_score(rank: int, rrf_k: int) -> float:
    """Return 1 / (rrf_k + rank + 1); `rank` is 0-based."""
    return 1.0 / (rrf_k + rank + 1)


def merge_rrf(
    lists: Iterable[RankedList], *, rrf_k: int, per_repo_top: int
) -> tuple[MergedHit, ...]:
    """Return all hits in the order of reciprocal ranks, best first.

    Equal scores are common. Ties are broken by priority, repository id, hit id, file, start line,
    and last by the position in the concatenated lists.
    """
    fed = sorted(lists, key=lambda ranked: ranked.repo_id)
    entries = [
        (round(rrf_score(rank, rrf_k), SCORE_DECIMALS), ranked, rank)
        for ranked in fed
        for rank in range(min(per_repo_top, len(ranked.hits)))
    ]
    keyed = [
        ((-score, *tie_order(merged, ranked.priority, index)), merged)
        for index, (score, ranked, rank) in enumerate(entries)
        for merged in [_merged(ranked, rank, score)]
    ]
    keyed.sort(key=lambda pair: pair[0])
    return tuple(merged for _, merged in keyed)


def merge_global(lists: Iterable[RankedList], *, per_repo_top: int) -> tuple[MergedHit, ...]:
    """Return all hits of a corpus by score, best first; all lists use the same statistics."""
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
    position = hit.path.encode(), hit.start_line, hit.row_id, merged.repo_id
    return -hit.score, -hit.lexical_score, *position


def tie_order(
    merged: MergedHit, priority: int, index: int
) -> tuple[int, RepoId, str, bytes, int, int]:
    """Return the sort key that breaks ties of equal ranks."""
    hit = merged.hit
    return -priority, merged.repo_id, hit.row_id, hit.path.encode(), hit.start_line, index


REFILL_LIMIT: Final = "fold_refill"
"""Code of the limit reported if folding uses up even the longest lists."""


def fold(ordered: Sequence[MergedHit]) -> tuple[MergedHit, ...]:
    """Return the hits without copies of better hits from other repositories.

    Order and scores are unchanged. Whether a hit is kept depends only on better hits, so a longer
    list has the same first hits; only `also_in` can become longer.

    Requires: quotas, limits per file and the cut to `top` are applied after folding, so that later
    hits can replace the removed copies.
    """
    kept: list[MergedHit] = []
    first: dict[tuple[str, str], int] = {}
    copies: dict[int, list[AlsoIn]] = defaultdict(list)
    for merged in ordered:
        index = first.setdefault(_text(merged.hit), len(kept))
        if index < len(kept) and kept[index].repo_id != merged.repo_id:
            copies[index].append(_also_in(merged))
        else:
            kept.append(merged)
    for index, others in copies.items():
        kept[index] = replace(kept[index], also_in=tuple(sorted(others, key=_also_in_order)))
    return tuple(kept)


def exhausted_by_folding(
    lists: Iterable[RankedList], lengths: Mapping[RepoId, int], *, top: int
) -> frozenset[RepoId]:
    """Return the repositories whose lists folding can make too short, without merging lists.

    A repository can have further hits if its list has the requested length. These hits have no
    effect if the list contains at least `top` distinct texts: for each text, the merged list
    contains a hit that ranks no lower than the list's last hit. Folding can therefore make a list
    too short only if the list contains copies from inside its repository, which is rare. The result
    excludes lists with a requested length below `top`, which are short on purpose.
    """
    return frozenset(
        item.repo_id
        for item in lists
        if 0 < top <= lengths[item.repo_id] <= len(item.hits)
        and len({_text(hit) for hit in item.hits}) < top
    )


def needs_more(
    ordered: Sequence[MergedHit],
    kept: Sequence[MergedHit],
    lists: Iterable[RankedList],
    lengths: Mapping[RepoId, int],
    *,
    top: int,
) -> tuple[RepoId, ...]:
    """Return the repositories whose further hits could rank among the first `top` of `kept`.

    If the result is empty, longer lists would not change `kept[:top]`. Nor would they change the
    blended list over several corpora: it contains no hit beyond the first `top` of a corpus.

    `kept` is `ordered` after folding; `lengths` contains the requested list length of each
    repository.
    """
    used = exhausted_by_folding(lists, lengths, top=top)
    if not used:
        return ()
    if len(kept) < top:
        return tuple(sorted(used))
    last = kept[top - 1].global_id
    index = next(index for index, merged in enumerate(ordered) if merged.global_id == last)
    # If a repository has a known hit at this rank or later, its further hits follow that hit.
    reaching = {merged.repo_id for merged in ordered[index:]}
    return tuple(sorted(used - reaching))


def deeper(
    named: Iterable[RepoId], lengths: Mapping[RepoId, int], *, most: int = MAX_PER_REPO_TOP
) -> dict[RepoId, int]:
    """Return the list length to request next from each repository: doubled, up to `most`.

    Repositories that have already returned lists of the maximum length are omitted.
    """
    return {repo: min(2 * lengths[repo], most) for repo in sorted(named) if lengths[repo] < most}


def refill_limit(
    named: Iterable[RepoId], lengths: Mapping[RepoId, int]
) -> tuple[tuple[RepoId, LimitHit], ...]:
    """Return a limit for each repository whose list would have to exceed the maximum length."""
    return tuple((repo, LimitHit(REFILL_LIMIT, lengths[repo])) for repo in sorted(named))


def _text(hit: Hit) -> tuple[str, str]:
    return hit.corpus.value, hit.chunk_id


def _also_in(merged: MergedHit) -> AlsoIn:
    hit = merged.hit
    return AlsoIn(
        merged.repo_id, merged.repo_alias, hit.path, hit.start_line, hit.end_line, hit.row_id
    )


def _also_in_order(copy: AlsoIn) -> tuple[RepoId, bytes, int, str]:
    return copy.repo_id, copy.file.encode(), copy.start, copy.row_id


Hits: TypeAlias = tuple[MergedHit, ...]


class Rules(Struct, frozen=True):
    """Settings for merging lists.

    Attributes:
        folds: show copies of a text in several repositories once.
        spread: prefer hits from many files to many hits from few files.
    """

    strategy: str
    mode: Mode
    top: int
    per_file: int
    rrf_k: int
    per_repo_top: int
    folds: bool
    spread: bool = False


class Lists(Struct, frozen=True):
    """The lists to merge."""

    corpora: tuple[tuple[Corpus, tuple[RankedList, ...]], ...]
    blended: tuple[RankedList, ...]

    @property
    def longest(self) -> int:
        """Return the length of the longest list."""
        lists = [*self.blended, *(item for _, items in self.corpora for item in items)]
        return max((len(item.hits) for item in lists), default=0)


class Merged(Struct, frozen=True):
    """The merged list of each corpus, and the blended list over all corpora."""

    corpora: tuple[tuple[Corpus, Hits], ...]
    hits: Hits


def lists_of(
    plan: CohortPlan,
    repos: Mapping[RepoId, WorkspaceRepo],
    pools: Mapping[RepoId, PoolResponse],
) -> Lists:
    """Return the lists of the admitted repositories that answered."""
    by_corpus: dict[Corpus, list[RankedList]] = {part.corpus: [] for part in plan.corpora}
    blended = []
    for repo, pool in sorted(pools.items()):
        corpora_of_repo = plan.corpora_of(repo)
        for corpus, hits in pool.corpora:
            if corpus in corpora_of_repo and hits:
                by_corpus[corpus].append(_ranked(repos[repo], hits))
        if pool.blended:
            hits = tuple(hit for hit in pool.blended if hit.corpus in corpora_of_repo)
            blended.append(_ranked(repos[repo], hits))
    corpora = tuple((corpus, tuple(lists)) for corpus, lists in by_corpus.items())
    return Lists(corpora, tuple(blended))


def merge_lists(lists: Lists, rules: Rules) -> Merged:
    """Return the merged lists."""
    spread = rules.spread and rules.strategy == GLOBAL
    corpora = tuple(
        (corpus, _allocated(hits, rules) if spread else hits[: rules.top])
        for corpus, items in lists.corpora
        for hits in (_folded(_ordered(items, rules), rules),)
    )
    return Merged(corpora, _blended(lists, rules))


def unfinished(lists: Lists, rules: Rules, lengths: Mapping[RepoId, int]) -> tuple[RepoId, ...]:
    """Return the repositories whose lists must be longer to fill the merged lists.

    The result is empty without folding, because only folding removes hits. The result is also empty
    with `rrf`, which merges lists of any length. `lengths` contains the requested length of each
    repository's list.
    """
    if not rules.folds or rules.strategy != GLOBAL:
        return ()
    named: set[RepoId] = set()
    for _, items in lists.corpora:
        if not exhausted_by_folding(items, lengths, top=rules.top):
            continue
        ordered = _ordered(items, rules)
        named |= {*needs_more(ordered, fold(ordered), items, lengths, top=rules.top)}
    return tuple(sorted(named))


def _blended(lists: Lists, rules: Rules) -> Hits:
    if rules.strategy != GLOBAL:
        return _folded(_ordered(lists.blended, rules), rules)[: rules.top]
    # Each hit belongs to a single corpus.
    union = [item for _, items in lists.corpora for item in items]
    return _allocated(_folded(_ordered(union, rules), rules), rules)


def _allocated(hits: Hits, rules: Rules) -> Hits:
    return tuple(
        select(
            hits,
            mode=rules.mode,
            limit=rules.top,
            per_file=rules.per_file,
            bucket=lambda merged: bucket_of(merged.hit.corpus),
            file=lambda merged: (merged.repo_id, merged.hit.path),
            spread=(lambda _: 0) if rules.spread else None,
        )
    )


def _ordered(lists: Sequence[RankedList], rules: Rules) -> Hits:
    """Return all hits of the lists, best first."""
    if rules.strategy == GLOBAL:
        return merge_global(lists, per_repo_top=rules.per_repo_top)
    return merge_rrf(lists, rrf_k=rules.rrf_k, per_repo_top=rules.per_repo_top)


def _folded(ordered: Hits, rules: Rules) -> Hits:
    return fold(ordered) if rules.folds else ordered


def _ranked(repo: WorkspaceRepo, hits: tuple[Hit, ...]) -> RankedList:
    return RankedList(repo.repo_id, repo.alias, repo.priority, hits)
