"""Searches many repositories, each with its own statistics, for lists that are merged by rank.

Hits of equal rank are ordered by the order of their repositories. The best hits of the first `top`
repositories with hits fill a merged list, so hits of later repositories are not shown. Text is read
only for hits that a merged list can show. Every repository is ranked, because the confidence of the
answer depends on the best files of all repositories.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import InvalidRequest
from ggrep.config.settings import Settings
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.store.view import SnapshotView
from ggrep.model.batched_query import (
    BatchedFigures,
    BatchedPoolResponse,
    BatchedQuery,
    MemberLimit,
    MemberLists,
    MemberNotice,
)
from ggrep.model.confidence import TopFiles, merge_top_files
from ggrep.model.corpus import CORPORA, Allocation, Corpus
from ggrep.model.limits import LimitHit
from ggrep.model.request import SearchRequest
from ggrep.search.engine.joint_pools import joint_pools
from ggrep.search.engine.query_answers import AS_DEEP_AS_NEEDED, UNBOUNDED, clamped
from ggrep.search.query.context import check_segments, search_notices, state_notices
from ggrep.search.query.fetch import show_all
from ggrep.search.query.finding import refuse_place, unshown
from ggrep.search.query.joint_view import JointView, require_still
from ggrep.search.query.order import Candidate
from ggrep.search.query.pipeline import Ranked, encode_query, leading, rank
from ggrep.search.query.quota_choice import choose

_NO_FIGURES: Final = BatchedFigures("", (), (), (), (), (), ())
_BLENDED: Final = None
"""Key of the list over all corpora."""


class _Member(Struct, frozen=True):
    """A repository with hits that can be shown.

    Attributes:
        lists: for each merged list that can show hits of the repository, these hits.
    """

    ranked: Ranked
    lists: dict[Corpus | None, Allocation[Candidate]]


class _Merged(Struct):
    """Collects the repositories whose hits the merged lists can show.

    Attributes:
        open: for each merged list with hits of fewer than `top` repositories so far, the number of
            these repositories.
        members: the repositories, by their position in the request.
    """

    search: SearchRequest
    per_list: int
    top: int
    deadline: Deadline
    open: dict[Corpus | None, int]
    members: dict[int, _Member] = field(default_factory=dict)

    def add(self, place: int, ranked: Ranked) -> tuple[LimitHit, ...]:
        """Add the next repository in the order; return the limits that cut its lists."""
        lists: dict[Corpus | None, Allocation[Candidate]] = {}
        for key in [*self.open]:
            corpora = self.search.corpora if key is _BLENDED else (key,)
            if chosen := self._chosen(ranked, corpora, by_mode=key is _BLENDED):
                lists[key] = chosen
                self.open[key] += 1
                if self.open[key] == self.top:
                    del self.open[key]
        if lists:
            self.members[place] = _Member(ranked, lists)
        if ranked.verified is None:
            return ranked.limits
        blended = lists.get(_BLENDED) or self._chosen(ranked, self.search.corpora, by_mode=True)
        whole = replace(self.search, limit=self.per_list)
        return *ranked.limits, *unshown(
            ranked.verified, whole, len(blended.items) if blended else 0
        )

    def _chosen(
        self, ranked: Ranked, corpora: Sequence[Corpus], *, by_mode: bool
    ) -> Allocation[Candidate] | None:
        """Return a repository's list for some corpora; None if the list is empty."""
        places = [CORPORA.index(corpus) for corpus in corpora]
        if not any(best.numbers[places].any() for best in ranked.best):
            return None
        deep = AS_DEEP_AS_NEEDED
        chosen = choose(
            ranked, corpora, self.per_list, most=deep, deadline=self.deadline, by_mode=by_mode
        )
        return chosen.dealt if chosen.candidates else None

    def shown(self, order: Mapping[int, int]) -> tuple[MemberLists, ...]:
        """Return the hits that merged lists can show.

        Args:
            order: position of each repository among hits of equal rank.
        """
        keys = (_BLENDED, *self.search.corpora)
        lengths: dict[tuple[int, Corpus | None], int] = {}
        for key in keys:
            hits = sorted(
                (rank_in_list, order[place], place)
                for place, member in self.members.items()
                if key in member.lists
                for rank_in_list in range(len(member.lists[key].items))
            )
            for rank_in_list, _, place in hits[: self.top]:
                lengths[place, key] = rank_in_list + 1
        lists = []
        for place, member in sorted(self.members.items()):
            dealt = [
                _beginning(member.lists.get(key), lengths.get((place, key), 0)) for key in keys
            ]
            blended, *by_corpus = show_all(member.ranked, dealt, UNBOUNDED, self.deadline)
            corpora = tuple(zip(self.search.corpora, by_corpus, strict=True))
            lists.append(MemberLists(place, corpora, blended))
        return tuple(lists)


def batched_pools(
    views: Sequence[SnapshotView],
    joint: JointView | None,
    question: BatchedQuery,
    *,
    encoder: Encoder | None,
    settings: Settings,
    deadline: Deadline,
) -> BatchedPoolResponse:
    """Return the lists of repositories; with a joint view, all are scored as one collection."""
    pools = partial(rank_pools, views) if joint is None else partial(joint_pools, joint)
    return pools(question, encoder=encoder, settings=settings, deadline=deadline)


def rank_pools(
    views: Sequence[SnapshotView],
    question: BatchedQuery,
    *,
    encoder: Encoder | None,
    settings: Settings,
    deadline: Deadline,
) -> BatchedPoolResponse:
    """Return the first hits of each repository's lists, scored with the repository's statistics.

    Raises:
        InvalidRequest: the order of the repositories does not contain each repository once.
        GgrepError: as for one repository.
    """
    if sorted(question.by_rank) != [*range(len(views))]:
        raise InvalidRequest("by_rank: must list the index of each member exactly once")
    require_still(views)
    refuse_place(question.search)
    search, clamps = clamped(replace(question.search, limit=1), settings)
    vector = question.vector
    if vector is None and search.vectors:
        vector = encode_query(search.query, encoder, deadline)
    merged = _Merged(
        search,
        question.per_list,
        question.top,
        deadline,
        dict.fromkeys((_BLENDED, *search.corpora), 0),
    )
    leaders: list[TopFiles] = []
    limits: list[MemberLimit] = []
    for place in question.by_rank:
        check_segments(views[place], settings)
        ranked = rank(
            views[place],
            search,
            encoder=encoder,
            statistics=None,
            deadline=deadline,
            files=question.per_list,
            encoded=vector,
        )
        leaders.append(leading(ranked, deadline))
        limits += [MemberLimit(place, limit) for limit in merged.add(place, ranked)]
    common = search_notices(search, encoder)
    return BatchedPoolResponse(
        figures=_NO_FIGURES,
        lists=merged.shown({place: number for number, place in enumerate(question.by_rank)}),
        leading=merge_top_files(leaders),
        limits_hit=clamps,
        notices=tuple(
            MemberNotice(place, notice)
            for place, view in enumerate(views)
            for notice in (*state_notices(view), *common)
        ),
        partial=tuple(place for place, view in enumerate(views) if view.manifest.partial),
        limits=tuple(limits),
    )


def _beginning(dealt: Allocation[Candidate] | None, length: int) -> Allocation[Candidate]:
    if dealt is None:
        return Allocation([], (), 0)
    return Allocation(dealt.items[:length], dealt.rules[:length], 0)
