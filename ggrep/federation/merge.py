"""Merges ranked lists and folds copies; the only place that breaks ties between hits."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.federated_request import MAX_PER_REPO_TOP
from ggrep.federation.validation import GLOBAL
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.corpus import Corpus, Mode, bucket_of, select
from ggrep.model.limits import LimitHit
from ggrep.model.response import Hit, PoolResponse

SCORE_DECIMALS: Final = 12
"""Digits of scores made of ranks."""


class RankedList(Struct, frozen=True):
    """One repository's list, best first."""

    repo_id: RepoId
    alias: str | None
    priority: int
    hits: tuple[Hit, ...]


class AlsoIn(Struct, frozen=True):
    """The place of the same text in another repository.

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
    """A hit and the repository it came from.

    Attributes:
        hit: as the repository ranked it; its `score` is the repository's own.
        score: order of the merged list.
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


REFILL_LIMIT: Final = "fold_refill"
"""Code of the cut that is made when even the longest lists were used up by folding."""


def fold(ordered: Sequence[MergedHit]) -> tuple[MergedHit, ...]:
    """Return the hits that are not copies of a better-ranked hit of another repository.

    Their order and scores are kept. Whether a hit stays depends on those before it alone, so a
    longer list folds to the same beginning; only `also_in` may name more.

    Requires: `ordered` comes before quotas, limits per file and the cut to `top`, so that later
    hits take the places that become free.
    """
    kept: list[MergedHit] = []
    first: dict[tuple[str, str], int] = {}
    copies: dict[int, list[AlsoIn]] = defaultdict(list)
    for merged in ordered:
        place = first.setdefault(_text(merged.hit), len(kept))
        if place < len(kept) and kept[place].repo_id != merged.repo_id:
            copies[place].append(_also_in(merged))
        else:
            kept.append(merged)
    for place, others in copies.items():
        kept[place] = replace(kept[place], also_in=tuple(sorted(others, key=_also_in_order)))
    return tuple(kept)


def exhausted_by_folding(
    lists: Iterable[RankedList], asked: Mapping[RepoId, int], *, top: int
) -> frozenset[RepoId]:
    """Return the repositories whose lists folding may have used up, without merging them.

    A list goes on behind its end when it is as long as was asked for. Hits behind it matter only
    if the list holds fewer than `top` texts: for each text there is a hit that stays, no worse
    than the list's last one. So it takes copies inside one repository, which are rare. Lists that
    were asked for fewer than `top` hits are as short as the request wants them.
    """
    return frozenset(
        item.repo_id
        for item in lists
        if 0 < top <= asked[item.repo_id] <= len(item.hits)
        and len({_text(hit) for hit in item.hits}) < top
    )


def needs_more(
    ordered: Sequence[MergedHit],
    kept: Sequence[MergedHit],
    lists: Iterable[RankedList],
    asked: Mapping[RepoId, int],
    *,
    top: int,
) -> tuple[RepoId, ...]:
    """Return the repositories whose unseen hits could rank among the first `top` of `kept`.

    When there is none, `kept[:top]` is what lists of any length would come to, and what is dealt
    from such lists over several corpora is as well: a hit behind the first `top` of its corpus
    is never dealt, for each that was passed over for its file had been outdone by a dealt one.

    `kept` is `ordered`, folded, of which the first `top` matter; `asked` says how long a list each
    repository was asked for.
    """
    used = exhausted_by_folding(lists, asked, top=top)
    if not used:
        return ()
    if len(kept) < top:
        return tuple(sorted(used))
    last = kept[top - 1].global_id
    place = next(place for place, merged in enumerate(ordered) if merged.global_id == last)
    # A repository with a seen hit there or later has its unseen ones later still.
    reaching = {merged.repo_id for merged in ordered[place:]}
    return tuple(sorted(used - reaching))


def deeper(
    named: Iterable[RepoId], asked: Mapping[RepoId, int], *, most: int = MAX_PER_REPO_TOP
) -> dict[RepoId, int]:
    """Return the next list length to request of each repository: doubled, up to `most`.

    A repository that gave its longest list already is not among them.
    """
    return {repo: min(2 * asked[repo], most) for repo in sorted(named) if asked[repo] < most}


def refill_limit(
    named: Iterable[RepoId], asked: Mapping[RepoId, int]
) -> tuple[tuple[RepoId, LimitHit], ...]:
    """Return the limits hit by repositories that would need longer lists but get no more."""
    return tuple((repo, LimitHit(REFILL_LIMIT, asked[repo])) for repo in sorted(named))


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
    """Rules for merging lists.

    Attributes:
        folds: copies of one text in several repositories are shown once.
        spread: many files are shown rather than many hits of few.
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
    """One list for each corpus, and one over all of them."""

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


def unfinished(lists: Lists, rules: Rules, asked: Mapping[RepoId, int]) -> tuple[RepoId, ...]:
    """Return the repositories whose lists must be longer to fill the merged ones.

    Only folding uses lists up: without it there is none. `rrf` goes by ranks and takes the lists as
    long as they are; there is nothing to be exact about.

    `asked` says how long a list each repository was asked for.
    """
    if not rules.folds or rules.strategy != GLOBAL:
        return ()
    named: set[RepoId] = set()
    for _, items in lists.corpora:
        if not exhausted_by_folding(items, asked, top=rules.top):
            continue
        ordered = _ordered(items, rules)
        named |= {*needs_more(ordered, fold(ordered), items, asked, top=rules.top)}
    return tuple(sorted(named))


def _blended(lists: Lists, rules: Rules) -> Hits:
    if rules.strategy != GLOBAL:
        return _folded(_ordered(lists.blended, rules), rules)[: rules.top]
    # No hit belongs to two corpora.
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
    """Return all hits, best first."""
    if rules.strategy == GLOBAL:
        return merge_global(lists, per_repo_top=rules.per_repo_top)
    return merge_rrf(lists, rrf_k=rules.rrf_k, per_repo_top=rules.per_repo_top)


def _folded(ordered: Hits, rules: Rules) -> Hits:
    return fold(ordered) if rules.folds else ordered


def _ranked(repo: WorkspaceRepo, hits: tuple[Hit, ...]) -> RankedList:
    return RankedList(repo.repo_id, repo.alias, repo.priority, hits)
