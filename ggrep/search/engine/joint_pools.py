"""Answers a question to many repositories at once, as their coordinator would merge their lists.

All rows of all members are scored as one collection, and each corpus' list is in the order in
which the coordinator merges. Its *front* ends with the `top`-th hit that folding leaves, and takes
in all that scores like that one: whatever can be shown is in the front. A member's own list begins
with its rows of the front, in the same order, cut to the length that takes part. Where folding uses
a list up, the coordinator sees that from what is sent, as from the list itself. Behind the front
only copies of its texts matter, and of texts that others show: they are named beside them where a
member's own list holds them, and are sent as bare places.

Silent members are counted and scored as all others and show nothing; which of them could have
changed the answer `joint_reach` tells.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import Incompatible
from ggrep.config.settings import Settings
from ggrep.index.embedding.encoder import Encoder
from ggrep.model.batched_query import (
    BatchedPoolResponse,
    BatchedQuery,
    MemberLimit,
    MemberLists,
    MemberNotice,
)
from ggrep.model.confidence import NO_TOP_FILES, TopFiles
from ggrep.model.corpus import CORPORA, Allocation, Corpus
from ggrep.model.limits import sorted_limits
from ggrep.model.request import sum_statistics
from ggrep.model.response import Hit
from ggrep.search.engine.joint_reach import members_reaching
from ggrep.search.engine.query_answers import AS_DEEP_AS_NEEDED, UNBOUNDED, clamped
from ggrep.search.query.chunk_ids import SAME_BITS, candidate_ids, rows_of_texts
from ggrep.search.query.context import search_notices, state_notices
from ggrep.search.query.eligible import Mask
from ggrep.search.query.fetch import bare_hit, show_all
from ggrep.search.query.file_features import Figures
from ggrep.search.query.finding import not_shown, read_query, refuse_place
from ggrep.search.query.joint_view import JointView, member_figures, owners_of
from ggrep.search.query.order import Candidate
from ggrep.search.query.pipeline import Ranked, leading, rank, ranked_within
from ggrep.search.query.quota_choice import Chosen, choose
from ggrep.search.query.segments import SearchableSegment, open_segments

_ROOM: Final = 8
"""Hits that are looked at behind those that may be shown: some may score like the last of them."""
_MOST_DEEP: Final = 4_096
"""Hits of a merged list that are looked at for different texts."""


class _List(Struct, frozen=True):
    """The beginning of a corpus' merged list.

    Attributes:
        candidates: best first, as far as one of the first different texts reaches.
        texts: the beginnings of their chunk ids, in any order.
        least: score of the last of these; 0 where there are not so many texts, so that whatever
            scores has a place.
    """

    corpus: Corpus
    candidates: list[Candidate]
    texts: list[bytes]
    least: float


def joint_pools(
    view: JointView,
    question: BatchedQuery,
    *,
    encoder: Encoder | None,
    settings: Settings,
    deadline: Deadline,
) -> BatchedPoolResponse:
    """Return what the members' lists come to, measured against the sum of their statistics.

    Raises:
        Incompatible: very many copies of few texts stand in front: each is to be asked by itself.
        GgrepError: as one repository's.
    """
    view.require_still()
    refuse_place(question.search)
    search, clamps = clamped(replace(question.search, limit=1), settings)
    figures = member_figures(view, read_query(search), deadline)
    if question.counting:
        return BatchedPoolResponse(figures, (), NO_TOP_FILES, (), (), ())
    total = sum_statistics((figures.total(), *question.others))
    question = replace(question, search=search)
    every = rank(
        view,
        search,
        encoder=encoder,
        statistics=total,
        deadline=deadline,
        files=0,
        encoded=question.vector,
    )
    joint = _Joint(view, question, every, encoder, deadline)
    ranked, lists = joint.lists()
    leaders = leading(ranked, deadline)
    told = search_notices(search, encoder)
    return BatchedPoolResponse(
        figures=figures,
        lists=joint.by_member(ranked, lists),
        leading=leaders,
        limits_hit=sorted_limits((*clamps, *ranked.limits)),
        notices=tuple(
            MemberNotice(place, notice)
            for place, member in enumerate(view.members)
            for notice in (*state_notices(member), *told)
        ),
        partial=tuple(place for place, one in enumerate(view.members) if one.manifest.partial),
        reaching=joint.reaching(lists, leaders),
        limits=joint.limits(ranked),
    )


class _Joint(Struct, frozen=True):
    """One question to several repositories.

    Attributes:
        every: the ranking of all members, before any correction.
    """

    view: JointView
    question: BatchedQuery
    every: Ranked
    encoder: Encoder | None
    deadline: Deadline

    def lists(self) -> tuple[Ranked, list[_List]]:
        """Return the ranking, and of each corpus' list what may be shown.

        Raises:
            Incompatible: very many copies of few texts stand in front.
        """
        length = (2 if self.question.folds else 1) * self.question.top + _ROOM
        while length <= _MOST_DEEP:
            ranked = ranked_within(self.every, self._asked(), length)
            lists = [self._list(ranked, corpus, length) for corpus in self.question.search.corpora]
            whole = [found for found in lists if found is not None]
            if len(whole) == len(lists):
                return ranked, whole
            length *= 4
        raise Incompatible("too many copies of few texts stand in front")

    def by_member(self, ranked: Ranked, lists: Sequence[_List]) -> tuple[MemberLists, ...]:
        """Return the lists of each member that has a part in them."""
        dealt = [
            Allocation(found.candidates, ("best",) * len(found.candidates), 0) for found in lists
        ]
        shown = show_all(ranked, dealt, UNBOUNDED, self.deadline)
        own: dict[int, dict[Corpus, list[Hit]]] = defaultdict(lambda: defaultdict(list))
        for found, hits in zip(lists, shown, strict=True):
            for candidate, hit in zip(found.candidates, hits, strict=True):
                own[self._member(candidate)][found.corpus].append(hit)
        if self.question.folds:
            texts = _by_beginning(hit.chunk_id for hits in shown for hit in hits)
            for member, corpus, hit in self._copies(ranked, lists, self._others_texts() | texts):
                own[member][corpus].append(hit)
        corpora = self.question.search.corpora
        return tuple(
            MemberLists(member, tuple((corpus, tuple(own[member][corpus])) for corpus in corpora))
            for member in sorted(own)
        )

    def limits(self, ranked: Ranked) -> tuple[MemberLimit, ...]:
        """Return the cuts that keep rows of members from being shown that were found.

        A member's list over all corpora has so many hits as its quotas and files leave it.
        """
        if ranked.found is None:
            return ()
        most, search = self.question.per_list, replace(ranked.request, limit=self.question.per_list)
        found, shown = (np.zeros(len(self.view.members), dtype=np.int64) for _ in range(2))
        for segment, matches in zip(ranked.segments, ranked.found.matches, strict=True):
            owners = owners_of(segment)
            numbers = np.bincount(segment.image.row_files[matches.rows], minlength=len(owners))
            np.add.at(found, owners, numbers)
            np.add.at(shown, owners, np.minimum(numbers, search.per_file or most))
        return tuple(
            MemberLimit(member, limit)
            for member in np.flatnonzero(found).tolist()
            for limit in not_shown(int(found[member]), search, min(most, int(shown[member])))
        )

    def reaching(self, lists: Sequence[_List], leaders: TopFiles) -> tuple[int, ...]:
        """Return the silent members without whom the answer may be another one."""
        if not self.question.silent:
            return ()
        within = zip(self.every.eligible, self._within(self.question.silent), strict=True)
        silent = replace(self.every, eligible=tuple(mask & own for mask, own in within))
        least = {own.corpus: own.least for own in lists}
        found = members_reaching(silent, least, leaders)
        for own in lists if self.question.folds else ():
            found |= {*self._holders(silent, own, set())}
        return tuple(sorted(found))

    def _asked(self) -> Sequence[Mask]:
        """Return, per segment, the rows of members that are not silent."""
        if not self.question.silent:
            return self.every.eligible
        return [~mask for mask in self._within(self.question.silent)]

    def _within(self, members: Sequence[int]) -> list[Mask]:
        """Return, per segment, the rows of some members."""
        wanted = np.isin(np.arange(len(self.view.members)), members)
        return [wanted[owners_of(one)][one.image.row_files] for one in self._segments]

    def _others_texts(self) -> dict[bytes, str]:
        """Return the chunk ids of texts that others show."""
        return _by_beginning(self.question.texts)

    @property
    def _segments(self) -> Sequence[SearchableSegment]:
        return open_segments(self.view)

    def _list(self, ranked: Ranked, corpus: Corpus, length: int) -> _List | None:
        """Return a corpus' list as far as it matters; None where it must be longer."""
        found = self._choose(ranked, corpus, length).candidates
        ids = candidate_ids(ranked.view, ranked.segments, found) if self.question.folds else []
        end, full = self._end(found, ids)
        if end == len(found) == length:
            end, full = self._end(found, ids, in_order=found[-1].score)
            if not full:
                return None
        texts = [*dict.fromkeys(ids[:end]), *self._others_texts()]
        return _List(corpus, self._cut(found[:end]), texts, found[end - 1].score if full else 0.0)

    def _end(
        self, found: Sequence[Candidate], ids: Sequence[bytes], in_order: float = 0.0
    ) -> tuple[int, bool]:
        """Return how many of the hits may be shown, and whether those behind have no place.

        How hits come in order that score alike is for the coordinator to say, so that all may be
        shown that score like the last one, but for those that count `in_order`. By `ids`, if there
        are any, it folds: of each text the hits stay of whoever has the best one; where several
        have, the fewest that may stay count.
        """
        held: dict[bytes, Counter[int]] = {}
        end = 0
        for _, group in groupby(
            enumerate(found), lambda pair: (pair[1].score, pair[0] * (pair[1].score == in_order))
        ):
            fresh: set[bytes] = set()
            for _, one in group:
                end += 1
                if ids:
                    text, member = ids[end - 1], self._member(one)
                    if text not in held:
                        held[text] = Counter()
                        fresh.add(text)
                    if text in fresh or member in held[text]:
                        held[text][member] += 1
            stay = sum(min(numbers.values()) for numbers in held.values()) if ids else end
            if stay >= self.question.top:
                return end, True
        return end, False

    def _cut(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates that take part: so many of each member's, its best."""
        numbers = Counter[int]()
        kept = []
        for one in candidates:
            member = self._member(one)
            numbers[member] += 1
            if numbers[member] <= self.question.per_list:
                kept.append(one)
        return kept

    def _choose(self, ranked: Ranked, corpus: Corpus, length: int) -> Chosen:
        deep = AS_DEEP_AS_NEEDED
        return choose(ranked, (corpus,), length, most=deep, deadline=self.deadline, by_mode=False)

    def _copies(
        self, ranked: Ranked, lists: Sequence[_List], texts: Mapping[bytes, str]
    ) -> list[tuple[int, Corpus, Hit]]:
        """Return the hits behind the lists' ends that are copies of texts in front, or of others'.

        A member's list that the request lets take part is so long; what is behind takes none.
        """
        found = []
        for own in lists:
            known = {(one.segment, one.row) for one in own.candidates}
            wanted = frozenset(own.texts)
            for member in self._holders(ranked, own, known):
                one = ranked_within(ranked, self._within([member]), self.question.per_list)
                chosen = self._choose(one, own.corpus, self.question.per_list).candidates
                ids = candidate_ids(ranked.view, ranked.segments, chosen)
                found += [
                    (member, own.corpus, bare_hit(one, candidate, texts[text]))
                    for candidate, text in zip(chosen, ids, strict=True)
                    if text in wanted and (candidate.segment, candidate.row) not in known
                ]
        return found

    def _holders(self, ranked: Ranked, own: _List, known: set[tuple[int, int]]) -> list[int]:
        """Return the members with further rows of a list's texts that score."""
        held: set[int] = set()
        texts, scales = frozenset(own.texts), self._scales(ranked, own)
        for place, segment in enumerate(ranked.segments):
            scored, image = ranked.scores[place], segment.image
            if segment.owners is None or not texts:
                continue
            shown = ranked.eligible[place][scored.rows] & (scored.total > 0.0)
            shown &= scored.corpora == CORPORA.index(own.corpus)
            rows = rows_of_texts(ranked.view, segment, texts, scales, scored.rows[shown])
            further = [row for row in rows.tolist() if (place, row) not in known]
            held.update(segment.owners[image.row_files[further]].tolist())
        return sorted(held)

    def _scales(self, ranked: Ranked, own: _List) -> Figures | None:
        """Return the scales of the vectors of a list's texts, where they tell all of these.

        They do where equal texts have equal vectors, and none is of others.
        """
        if self.encoder is None or self.encoder.identity.name not in SAME_BITS:
            return None
        if self.question.texts:
            return None
        images = [ranked.segments[one.segment].image for one in own.candidates]
        pairs = zip(images, own.candidates, strict=True)
        return np.array([float(image.scales[one.row]) for image, one in pairs])

    def _member(self, candidate: Candidate) -> int:
        return open_segments(self.view)[candidate.segment].owner_of(candidate.file)


def _by_beginning(chunk_ids: Iterable[str]) -> dict[bytes, str]:
    """Return chunk ids by their beginnings, by which texts are compared."""
    return {bytes.fromhex(one[:32]): one for one in chunk_ids}
