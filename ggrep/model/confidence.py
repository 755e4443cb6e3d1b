"""Confidence: how likely an answer is about what was asked.

Judged from relative signals of the best files alone: shares of the query's own weight, how rare
its words are against the size of the collection, and how far the best file stands out. No
threshold on a cosine or on anything else that moves when an encoder does. The figures below are a
logistic regression, fitted on answerable questions of a public benchmark and on one half of a
suite of questions that those repositories cannot answer; docs/quality.md has what the other half
says.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeVar

from ggrep.model.limits import LimitHit, Notice

LEADERS: Final = 10
"""Files that are looked at."""
_FIRST: Final = 3

_EVIDENCE: Final = 3.3
_STEM: Final = 2.7
_FOUND: Final = 2.6
_RARITY: Final = -3.3
_LEAD: Final = 2.0
_OFFSET: Final = -5.4
_STRONG: Final = -0.5
_WEAK: Final = -3.8
_MOST_LEAD: Final = 2.0
"""A lead beyond this says no more: the tenth file is merely bad."""
_FEW_LEAD: Final = 1.0
"""What fewer files than LEADERS lead by at least: that nothing else matched speaks for them."""

_LEAST_WEAK: Final = 3
"""Hits that a weak answer keeps in any case."""

CONFIDENCE_CODES: Final = frozenset({"low_confidence", "no_strong_matches"})
"""What warnings and cuts on its account are called."""

T = TypeVar("T")


class Confidence(Enum):
    """How well the best hits fit the query; the value is its JSON word."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


class Wording(Enum):
    """What a query's form says of how its hits are to be trusted."""

    PLAIN = "plain"
    NAME = "name"
    """It is one name."""
    QUOTED = "quoted"
    """It quotes text of several words, or nothing else than text."""
    VAGUE = "vague"
    """All its words are question words."""


@dataclass(frozen=True, slots=True)
class Leader:
    """One of the best files.

    Attributes:
        score: of its best chunk that may be shown; leaders are ordered by it.
        evidence: that score without what an encoder gave.
        stem: share of the file's stem that the query spells.
        found: share of the query's words that the file or its path holds.
        spelt: it holds all of them, as they are spelt.
    """

    score: float
    evidence: float
    stem: float
    found: float
    spelt: bool


@dataclass(frozen=True, slots=True)
class Leading:
    """What confidence is judged by.

    Attributes:
        leaders: at most LEADERS, best first.
        rarity: mean of the query words' inverse document frequencies, over the logarithm of the
            collection's size: 0 for words that stand everywhere, near 1 for unknown ones.
        wording: what the query's form alone says.
    """

    leaders: tuple[Leader, ...]
    rarity: float
    wording: Wording

    @property
    def lead(self) -> float:
        """Return the logarithm of how far the best file leads the least of the leaders, bounded.

        By their evidence: what an encoder gives to all files alike would hide a lead. Files that it
        alone brought in are no rivals, and lead by nothing.
        """
        if not self.leaders or self.leaders[0].evidence <= 0.0:
            return 0.0
        spoken = [leader.evidence for leader in self.leaders if leader.evidence > 0.0]
        lead = math.log(self.leaders[0].evidence / min(spoken))
        least = _FEW_LEAD if len(spoken) < LEADERS else 0.0
        return min(max(lead, least), _MOST_LEAD)


def merge_leading(parts: Iterable[Leading]) -> Leading:
    """Return the best leaders of several repositories; rarity is that of the best one's."""
    filled = sorted((part for part in parts if part.leaders), key=_first_leader)
    if not filled:
        return Leading((), 1.0, Wording.PLAIN)
    leaders = sorted((leader for part in filled for leader in part.leaders), key=_order)
    return Leading(tuple(leaders[:LEADERS]), filled[0].rarity, filled[0].wording)


def ordered_leaders(leaders: Iterable[Leader]) -> tuple[Leader, ...]:
    """Return the best LEADERS, ties by their other figures, so that no layout decides them."""
    return tuple(sorted(leaders, key=_order)[:LEADERS])


def confidence_of(leading: Leading) -> Confidence:
    """Return how well the best files fit the query.

    A name that stands in one of the first files is what was asked for, as is quoted text, which
    every hit holds. Words that all stand in one file are worth a look, however common they are;
    question words alone are worth no more.
    """
    if not leading.leaders:
        return Confidence.NONE
    first = leading.leaders[:_FIRST]
    spelt = any(leader.spelt for leader in first)
    match leading.wording:
        case Wording.QUOTED:
            return Confidence.STRONG
        case Wording.NAME if spelt:
            return Confidence.STRONG
        case Wording.VAGUE:
            return Confidence.WEAK
        case _:
            return _judged(leading, first, spelt=spelt)


def _judged(leading: Leading, first: Sequence[Leader], *, spelt: bool) -> Confidence:
    logit = (
        _OFFSET
        + _EVIDENCE * leading.leaders[0].evidence
        + _STEM * max(leader.stem for leader in first)
        + _FOUND * max(leader.found for leader in first)
        + _RARITY * leading.rarity
        + _LEAD * leading.lead
    )
    if logit >= _STRONG:
        return Confidence.STRONG
    return Confidence.WEAK if spelt or logit >= _WEAK else Confidence.NONE


def shortened_list(
    hits: Sequence[T], confidence: Confidence, *, file: Callable[[T], Hashable], keep_weak: bool
) -> tuple[list[int], tuple[LimitHit, ...]]:
    """Return the places of the hits worth showing, and the cut that was made.

    A weak answer keeps the first hit of each file, half as many as there were at most, but three
    in any case; one without any strong match keeps none.
    """
    if keep_weak or confidence is Confidence.STRONG:
        return list(range(len(hits))), ()
    kept: dict[Hashable, int] = {}
    if confidence is Confidence.WEAK:
        for place, hit in enumerate(hits):
            kept.setdefault(file(hit), place)
    places = list(kept.values())[: max(_LEAST_WEAK, len(hits) // 2)]
    if kept and len(places) < _LEAST_WEAK:
        more = [place for place in range(len(hits)) if place not in places]
        places = sorted([*places, *more[: _LEAST_WEAK - len(places)]])
    if len(places) == len(hits):
        return places, ()
    return places, (LimitHit("low_confidence", len(places), len(hits)),)


def confidence_notices(confidence: Confidence) -> tuple[Notice, ...]:
    """Return what an answer says when it may not be about what was asked."""
    match confidence:
        case Confidence.STRONG:
            return ()
        case Confidence.WEAK:
            return (Notice("low_confidence", "the hits may not be about what was asked"),)
        case Confidence.NONE:
            return (Notice("no_strong_matches", "nothing that was searched fits the query well"),)


def _order(leader: Leader) -> tuple[float, ...]:
    spelt = float(leader.spelt)
    return -leader.score, -leader.evidence, -leader.stem, -leader.found, -spelt


def _first_leader(part: Leading) -> tuple[float, ...]:
    return (*_order(part.leaders[0]), part.rarity)
