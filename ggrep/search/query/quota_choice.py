"""Selects the best rows of a ranked snapshot, within quotas and a limit per file.

At first few rows are ordered; more are ordered if they could change the answer.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.model.corpus import CORPORA, Allocation, Bucket, Corpus, allocate, bucket_of, quotas
from ggrep.model.filters import keys_of_scope, place_in_scope
from ggrep.model.limits import LimitHit
from ggrep.search.query.order import Candidate, ordered_candidates
from ggrep.search.query.pipeline import Ranked

_BUCKETS = tuple(map(bucket_of, CORPORA))
_FIRST_LOOK = 64
"""Number of candidates ordered at first; nearly every answer needs no more."""
_FURTHER = 8
"""Factor by which the number of ordered candidates grows if there were too few."""


class Chosen(Struct, frozen=True):
    """The candidates to show.

    Attributes:
        dealt: the candidates to show, each with the rule by which it was picked.
        limits: the limit that possibly shortened the list; empty if there is none.
    """

    dealt: Allocation[Candidate]
    limits: tuple[LimitHit, ...]

    @property
    def candidates(self) -> list[Candidate]:
        """Return the candidates in display order."""
        return self.dealt.items


def choose(
    ranked: Ranked,
    corpora: Sequence[Corpus],
    limit: int,
    *,
    most: int,
    deadline: Deadline,
    by_mode: bool = True,
) -> Chosen:
    """Return at most `limit` candidates of `corpora`.

    Args:
        ranked: the scored snapshot.
        corpora: only rows of these corpora are candidates.
        limit: maximum number of candidates to return.
        most: maximum number of rows of a corpus to order.
        deadline: checked before each ordering.
        by_mode: whether to apply the quotas of the request's mode; else the order is by score.
    """
    request = ranked.request
    mode = request.mode if by_mode else type(request.mode).BALANCED
    dealt = quotas(mode, limit)

    def pick_among(bound: int) -> _Pick:
        deadline.check("ordering")
        candidates, counts = ordered_candidates(
            ranked.segments, ranked.scores, ranked.best, corpora, most=bound
        )
        picked = allocate(
            candidates,
            [_BUCKETS[candidate.corpus] for candidate in candidates],
            [(candidate.segment, candidate.file) for candidate in candidates],
            mode=mode,
            limit=limit,
            per_file=request.per_file,
            spread=_places(ranked, candidates) if request.is_exact else None,
        )
        cut = frozenset(corpus for corpus, number in counts.items() if number > bound)
        return _Pick(candidates, picked, cut, max(counts.values(), default=0))

    bound = min(max(_FIRST_LOOK, 8 * limit), most)
    pick = pick_among(bound)

    def short() -> bool:
        if request.is_exact:
            return _lacks_files(pick, limit, one_path=len(keys_of_scope(request.scope)) < 2)
        return _short(pick, limit, dealt)

    while (is_short := short()) and bound < most:
        bound = min(_FURTHER * bound, most)
        pick = pick_among(bound)
    if not is_short:
        return Chosen(pick.dealt, ())
    return Chosen(pick.dealt, (LimitHit("max_candidates", most, pick.largest),))


def _places(ranked: Ranked, candidates: Sequence[Candidate]) -> list[int]:
    """Return, for each candidate, the index of the request's path that contains its file."""
    keys = keys_of_scope(ranked.request.scope)
    if len(keys) < 2:
        return [0] * len(candidates)
    paths = (ranked.segments[item.segment].image.path(item.file) for item in candidates)
    return [place_in_scope(path, keys) for path in paths]


class _Pick(Struct, frozen=True):
    """The ordered candidates, and the candidates picked from them.

    Attributes:
        cut: corpora with more rows than were ordered.
        largest: number of rows of the largest corpus.
    """

    candidates: list[Candidate]
    dealt: Allocation[Candidate]
    cut: frozenset[int]
    largest: int


def _short(pick: _Pick, limit: int, dealt: dict[Bucket, int]) -> bool:
    """Return whether ordering more rows could change which candidates are picked."""
    if not pick.cut:
        return False
    picked = pick.dealt.items
    taken = Counter(_BUCKETS[candidate.corpus] for candidate in picked)
    buckets = {_BUCKETS[corpus] for corpus in pick.cut}
    if len(picked) < limit or any(taken[bucket] < dealt.get(bucket, 0) for bucket in buckets):
        return True
    return _went_past_a_cut(pick, dealt)


def _lacks_files(pick: _Pick, limit: int, *, one_path: bool) -> bool:
    """Return whether ordering more rows could add a file, if hits are spread over files."""
    complete = len(pick.dealt.items) >= limit and "fill" not in pick.dealt.rules
    return bool(pick.cut) and not (complete and one_path)


def _went_past_a_cut(pick: _Pick, dealt: dict[Bucket, int]) -> bool:
    """Return whether a picked row comes after the last ordered row of a cut corpus.

    An unordered row of that corpus could precede the picked row if both compete. Within the quota
    of a bucket (code, docs or graph), only rows of the bucket compete; outside of quotas, all rows
    compete.
    """
    places = {(item.segment, item.row): place for place, item in enumerate(pick.candidates)}
    ends = {item.corpus: place for place, item in enumerate(pick.candidates)}
    taken: Counter[Bucket] = Counter()
    for item in pick.dealt.items:
        bucket = _BUCKETS[item.corpus]
        in_quota = taken[bucket] < dealt.get(bucket, 0)
        taken[bucket] += 1
        rivals = [c for c in pick.cut if not in_quota or _BUCKETS[c] is bucket]
        if any(ends[corpus] < places[item.segment, item.row] for corpus in rivals):
            return True
    return False
