"""Searches many repositories as one collection, for a coordinator that merges their lists.

The rows of all queried repositories (members) are scored together. For each corpus, all rows are
merged into one list, in the coordinator's order. The *head* of a list contains all hits that can be
shown: after copies are folded, the first `top` hits, and all hits with the same score as the last
of these. The list of a repository consists of its hits in the head, cut to the length that the
request allows. A hit that cannot be shown matters only if it is a copy of a text in the head, or of
a text that another repository shows. A copy is sent as a position without text, and only if a
search of its repository alone would list the copy.

Silent members are repositories whose hits are not shown; their rows are still counted and scored.
`joint_reach` determines which silent members could change the answer.
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
"""Number of further hits to read, because some of them can have the score of the last shown hit."""
_MOST_DEEP: Final = 4_096
"""Maximum number of hits of a merged list to read in search of enough different texts."""


class _Head(Struct, frozen=True):
    """The head of a corpus' merged list: the hits that can be shown.

    Attributes:
        candidates: best first.
        texts: first halves of the chunk ids of the candidates, and of texts that other repositories
            show.
        least: score of the last candidate; 0 if the list has fewer than `top` texts, because
            then any further row with a score belongs to the list.
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
    """Return the repositories' lists, scored against the sum of their statistics.

    Raises:
        Incompatible: very many copies of few texts rank first; search each repository alone.
        GgrepError: as in a search of one repository.
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
    common = search_notices(search, encoder)
    return BatchedPoolResponse(
        figures=figures,
        lists=joint.by_member(ranked, lists),
        leading=leaders,
        limits_hit=sorted_limits((*clamps, *ranked.limits)),
        notices=tuple(
            MemberNotice(place, notice)
            for place, member in enumerate(view.members)
            for notice in (*state_notices(member), *common)
        ),
        partial=tuple(
            place for place, member in enumerate(view.members) if member.manifest.partial
        ),
        reaching=joint.reaching(lists, leaders),
        limits=joint.limits(ranked),
    )


class _Joint(Struct, frozen=True):
    """One query to several repositories, scored as one collection.

    Attributes:
        every: the ranking of all repositories, before the learned correction.
    """

    view: JointView
    question: BatchedQuery
    every: Ranked
    encoder: Encoder | None
    deadline: Deadline

    def lists(self) -> tuple[Ranked, list[_Head]]:
        """Return the ranking, and for each corpus the hits that can be shown (its head).

        Raises:
            Incompatible: very many copies of few texts rank first.
        """
        length = (2 if self.question.folds else 1) * self.question.top + _ROOM
        while length <= _MOST_DEEP:
            ranked = ranked_within(self.every, self._asked(), length)
            lists = [self._list(ranked, corpus, length) for corpus in self.question.search.corpora]
            complete = [head for head in lists if head is not None]
            if len(complete) == len(lists):
                return ranked, complete
            length *= 4
        raise Incompatible("too many of the best hits have the same text")

    def by_member(self, ranked: Ranked, lists: Sequence[_Head]) -> tuple[MemberLists, ...]:
        """Return the list of each repository with hits that can be shown or copies of such hits."""
        dealt = [Allocation(head.candidates, ("best",) * len(head.candidates), 0) for head in lists]
        shown = show_all(ranked, dealt, UNBOUNDED, self.deadline)
        by_member: dict[int, dict[Corpus, list[Hit]]] = defaultdict(lambda: defaultdict(list))
        for head, hits in zip(lists, shown, strict=True):
            for candidate, hit in zip(head.candidates, hits, strict=True):
                by_member[self._member(candidate)][head.corpus].append(hit)
        if self.question.folds:
            texts = _by_beginning(hit.chunk_id for hits in shown for hit in hits)
            for member, corpus, hit in self._copies(ranked, lists, self._others_texts() | texts):
                by_member[member][corpus].append(hit)
        corpora = self.question.search.corpora
        return tuple(
            MemberLists(member, tuple((corpus, tuple(lists[corpus])) for corpus in corpora))
            for member, lists in sorted(by_member.items())
        )

    def limits(self, ranked: Ranked) -> tuple[MemberLimit, ...]:
        """Return the limits because of which matches of repositories are missing from the lists.

        A repository's list over all corpora contains at most `per_list` hits, and at most
        `per_file` hits of each file.
        """
        if ranked.verified is None:
            return ()
        most, search = self.question.per_list, replace(ranked.request, limit=self.question.per_list)
        matched, shown = (np.zeros(len(self.view.members), dtype=np.int64) for _ in range(2))
        for segment, matches in zip(ranked.segments, ranked.verified.matches, strict=True):
            owners = owners_of(segment)
            numbers = np.bincount(segment.image.row_files[matches.rows], minlength=len(owners))
            np.add.at(matched, owners, numbers)
            np.add.at(shown, owners, np.minimum(numbers, search.per_file or most))
        return tuple(
            MemberLimit(member, limit)
            for member in np.flatnonzero(matched).tolist()
            for limit in not_shown(int(matched[member]), search, min(most, int(shown[member])))
        )

    def reaching(self, lists: Sequence[_Head], leaders: TopFiles) -> tuple[int, ...]:
        """Return the repositories whose hits are not shown, but that could change the answer."""
        if not self.question.silent:
            return ()
        within = zip(self.every.eligible, self._within(self.question.silent), strict=True)
        silent = replace(self.every, eligible=tuple(mask & rows for mask, rows in within))
        least = {head.corpus: head.least for head in lists}
        reaching = members_reaching(silent, least, leaders)
        for head in lists if self.question.folds else ():
            reaching |= {*self._holders(silent, head, set())}
        return tuple(sorted(reaching))

    def _asked(self) -> Sequence[Mask]:
        """Return, per segment, the rows of repositories whose hits are shown."""
        if not self.question.silent:
            return self.every.eligible
        return [~mask for mask in self._within(self.question.silent)]

    def _within(self, members: Sequence[int]) -> list[Mask]:
        """Return, per segment, the rows of some repositories."""
        wanted = np.isin(np.arange(len(self.view.members)), members)
        segments = self._segments
        return [wanted[owners_of(segment)][segment.image.row_files] for segment in segments]

    def _others_texts(self) -> dict[bytes, str]:
        """Return the chunk ids of texts that other repositories show."""
        return _by_beginning(self.question.texts)

    @property
    def _segments(self) -> Sequence[SearchableSegment]:
        return open_segments(self.view)

    def _list(self, ranked: Ranked, corpus: Corpus, length: int) -> _Head | None:
        """Return the hits of a corpus that can be shown; None if there are more than `length`."""
        ordered = self._choose(ranked, corpus, length).candidates
        ids = candidate_ids(ranked.view, ranked.segments, ordered) if self.question.folds else []
        end, full = self._end(ordered, ids)
        if end == len(ordered) == length:
            end, full = self._end(ordered, ids, in_order=ordered[-1].score)
            if not full:
                return None
        least = ordered[end - 1].score if full else 0.0
        kept = self._cut(ordered[:end])
        # Copies of a text count only if a list contains the text.
        of_kept = (ids[at] for at in kept) if ids else ()
        texts = [*dict.fromkeys(of_kept), *self._others_texts()]
        return _Head(corpus, [ordered[at] for at in kept], texts, least)

    def _end(
        self, ordered: Sequence[Candidate], ids: Sequence[bytes], in_order: float = 0.0
    ) -> tuple[int, bool]:
        """Return how many of the first hits can be shown, and whether they fill the list.

        The coordinator orders hits of equal score, so all hits with the same score as the last hit
        can be shown. Hits with the score `in_order` are already in their final order. With `ids`,
        copies are folded: for each text, only the hits of the repository with the best hit remain.
        If several repositories share the best score, the coordinator chooses one of these, so only
        the smallest number of hits of a repository counts. Hits with a text that other
        repositories show do not count, because the text may be shown there.
        """
        others = self._others_texts()
        numbers_of: dict[bytes, Counter[int]] = {}
        end = 0
        for _, group in groupby(
            enumerate(ordered), lambda pair: (pair[1].score, pair[0] * (pair[1].score == in_order))
        ):
            fresh: set[bytes] = set()
            for _, candidate in group:
                end += 1
                if ids:
                    text, member = ids[end - 1], self._member(candidate)
                    if text not in numbers_of:
                        numbers_of[text] = Counter()
                        fresh.add(text)
                    if text in fresh or member in numbers_of[text]:
                        numbers_of[text][member] += 1
            stay = end
            if ids:
                shown_here = (numbers for text, numbers in numbers_of.items() if text not in others)
                stay = sum(min(numbers.values()) for numbers in shown_here)
            if stay >= self.question.top:
                return end, True
        return end, False

    def _cut(self, candidates: Sequence[Candidate]) -> list[int]:
        """Return the indices of as many best candidates per repository as the request allows."""
        numbers = Counter[int]()
        kept = []
        for at, candidate in enumerate(candidates):
            member = self._member(candidate)
            numbers[member] += 1
            if numbers[member] <= self.question.per_list:
                kept.append(at)
        return kept

    def _choose(self, ranked: Ranked, corpus: Corpus, length: int) -> Chosen:
        deep = AS_DEEP_AS_NEEDED
        return choose(ranked, (corpus,), length, most=deep, deadline=self.deadline, by_mode=False)

    def _copies(
        self, ranked: Ranked, lists: Sequence[_Head], texts: Mapping[bytes, str]
    ) -> list[tuple[int, Corpus, Hit]]:
        """Return further rows with the same text as hits that can be shown.

        A copy counts only if a search of its repository alone would list it.
        """
        copies = []
        for head in lists:
            known = {(candidate.segment, candidate.row) for candidate in head.candidates}
            wanted = frozenset(head.texts)
            for member in self._holders(ranked, head, known):
                alone = ranked_within(ranked, self._within([member]), self.question.per_list)
                chosen = self._choose(alone, head.corpus, self.question.per_list).candidates
                ids = candidate_ids(ranked.view, ranked.segments, chosen)
                copies += [
                    (member, head.corpus, bare_hit(alone, candidate, texts[text]))
                    for candidate, text in zip(chosen, ids, strict=True)
                    if text in wanted and (candidate.segment, candidate.row) not in known
                ]
        return copies

    def _holders(self, ranked: Ranked, head: _Head, known: set[tuple[int, int]]) -> list[int]:
        """Return the repositories that have further scored rows with a text in `head`."""
        members: set[int] = set()
        texts, scales = frozenset(head.texts), self._scales(ranked, head)
        for place, segment in enumerate(ranked.segments):
            scored, image = ranked.scores[place], segment.image
            if segment.owners is None or not texts:
                continue
            shown = ranked.eligible[place][scored.rows] & (scored.total > 0.0)
            shown &= scored.corpora == CORPORA.index(head.corpus)
            rows = rows_of_texts(ranked.view, segment, texts, scales, scored.rows[shown])
            further = [row for row in rows.tolist() if (place, row) not in known]
            members.update(segment.owners[image.row_files[further]].tolist())
        return sorted(members)

    def _scales(self, ranked: Ranked, head: _Head) -> Figures | None:
        """Return the quantisation scales of texts in `head`; None if copies can have other scales.

        Equal texts have equal scales if the encoder always returns the same vector for a text. The
        scales of texts of other repositories are not known.
        """
        if self.encoder is None or self.encoder.identity.name not in SAME_BITS:
            return None
        if self.question.texts:
            return None
        scales = (
            ranked.segments[candidate.segment].image.scales[candidate.row]
            for candidate in head.candidates
        )
        return np.array([float(scale) for scale in scales])

    def _member(self, candidate: Candidate) -> int:
        return open_segments(self.view)[candidate.segment].owner_of(candidate.file)


def _by_beginning(chunk_ids: Iterable[str]) -> dict[bytes, str]:
    """Return chunk ids by their first halves; texts are compared by these halves."""
    return {bytes.fromhex(chunk_id[:32]): chunk_id for chunk_id in chunk_ids}
