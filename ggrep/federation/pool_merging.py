"""Merges the repositories' pools into lists, by the strategy in force. Pure."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from ggrep.base.ids import RepoId
from ggrep.federation.cohort import CohortPlan
from ggrep.federation.folding import fold, needs_more, used_up
from ggrep.federation.merge import MergedHit, RankedList, merge_global, merge_rrf
from ggrep.federation.strategies import GLOBAL
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.corpus import Corpus, Mode, bucket_of
from ggrep.model.hit import Hit
from ggrep.model.quota import select
from ggrep.model.response import PoolResponse

Hits: TypeAlias = tuple[MergedHit, ...]


class Rules(Struct, frozen=True):
    """How lists are merged.

    Attributes:
        strategy: the one that is used.
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
    """The lists to merge.

    Attributes:
        corpora: the lists of each corpus.
        blended: each repository's list over all corpora.
    """

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
        asked = plan.corpora_of(repo)
        for corpus, found in pool.corpora:
            if corpus in asked and found:
                by_corpus[corpus].append(_ranked(repos[repo], found))
        if pool.blended:
            hits = tuple(hit for hit in pool.blended if hit.corpus in asked)
            blended.append(_ranked(repos[repo], hits))
    corpora = tuple((corpus, tuple(lists)) for corpus, lists in by_corpus.items())
    return Lists(corpora, tuple(blended))


def merge_lists(lists: Lists, rules: Rules) -> Merged:
    """Return the merged lists."""
    spread = rules.spread and rules.strategy == GLOBAL
    corpora = tuple(
        (corpus, _dealt(hits, rules) if spread else hits[: rules.top])
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
        if not used_up(items, asked, top=rules.top):
            continue
        ordered = _ordered(items, rules)
        named |= {*needs_more(ordered, fold(ordered), items, asked, top=rules.top)}
    return tuple(sorted(named))


def _blended(lists: Lists, rules: Rules) -> Hits:
    if rules.strategy != GLOBAL:
        return _folded(_ordered(lists.blended, rules), rules)[: rules.top]
    # No hit belongs to two corpora.
    union = [item for _, items in lists.corpora for item in items]
    return _dealt(_folded(_ordered(union, rules), rules), rules)


def _dealt(hits: Hits, rules: Rules) -> Hits:
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
