"""Selects what to show of a ranked snapshot: the best, within quotas and a limit per file.

Only as many rows are ordered as the answer needs; whether more could have changed it is known.
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
"""Candidates ordered at first; nearly every answer is complete within them."""
_FURTHER = 8
"""Times as many are ordered next, where they were too few."""


class Chosen(Struct, frozen=True):
    """The hits to show, and the reasons.

    Attributes:
        dealt: the candidates, each with the rule that picked it.
        limits: the cut that may have shortened the list.
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
        corpora: rows of others are passed over.
        limit: most candidates returned.
        most: bound on the rows of a corpus that are ordered.
        deadline: checked before and between looks.
        by_mode: deal quotas as the request's mode says; else the list's own order stands.
    """
    request = ranked.request
    mode = request.mode if by_mode else type(request.mode).BALANCED
    dealt = quotas(mode, limit)

    def pick(bound: int) -> _Pick:
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
    found = pick(bound)

    def short() -> bool:
        if request.is_exact:
            return _lacks_files(found, limit, one_path=len(keys_of_scope(request.scope)) < 2)
        return _short(found, limit, dealt)

    while (is_short := short()) and bound < most:
        bound = min(_FURTHER * bound, most)
        found = pick(bound)
    if not is_short:
        return Chosen(found.dealt, ())
    return Chosen(found.dealt, (LimitHit("max_candidates", most, found.largest),))


def _places(ranked: Ranked, candidates: Sequence[Candidate]) -> list[int]:
    """Return under which of the request's paths each candidate lies."""
    keys = keys_of_scope(ranked.request.scope)
    if len(keys) < 2:
        return [0] * len(candidates)
    paths = (ranked.segments[item.segment].image.path(item.file) for item in candidates)
    return [place_in_scope(path, keys) for path in paths]


class _Pick(Struct, frozen=True):
    """The candidates picked from the ordered list.

    Attributes:
        cut: corpora with more rows than were ordered.
        largest: rows of the corpus that has most.
    """

    candidates: list[Candidate]
    dealt: Allocation[Candidate]
    cut: frozenset[int]
    largest: int


def _short(found: _Pick, limit: int, dealt: dict[Bucket, int]) -> bool:
    """Return whether ordering more rows could change the pick."""
    if not found.cut:
        return False
    picked = found.dealt.items
    taken = Counter(_BUCKETS[candidate.corpus] for candidate in picked)
    buckets = {_BUCKETS[corpus] for corpus in found.cut}
    if len(picked) < limit or any(taken[bucket] < dealt.get(bucket, 0) for bucket in buckets):
        return True
    return _went_past_a_cut(found, dealt)


def _lacks_files(found: _Pick, limit: int, *, one_path: bool) -> bool:
    """Return whether ordering more rows could add a file, where hits are spread over files."""
    complete = len(found.dealt.items) >= limit and "fill" not in found.dealt.rules
    return bool(found.cut) and not (complete and one_path)


def _went_past_a_cut(found: _Pick, dealt: dict[Bucket, int]) -> bool:
    """Return whether something was picked from behind the last ordered row of a cut corpus.

    An unordered row of that corpus might have come before it, if both compete for one place:
    in a bucket's quota only rows of the bucket do, elsewhere all.
    """
    places = {(item.segment, item.row): place for place, item in enumerate(found.candidates)}
    ends = {item.corpus: place for place, item in enumerate(found.candidates)}
    taken: Counter[Bucket] = Counter()
    for item in found.dealt.items:
        bucket = _BUCKETS[item.corpus]
        in_quota = taken[bucket] < dealt.get(bucket, 0)
        taken[bucket] += 1
        rivals = [c for c in found.cut if not in_quota or _BUCKETS[c] is bucket]
        if any(ends[corpus] < places[item.segment, item.row] for corpus in rivals):
            return True
    return False
