"""Confidence: how likely an answer is about the question.

It uses relative signals of the best files alone: their share of the query's weight, the share of
its words that one chunk holds, and the words that the collection lacks. It has no threshold on a
cosine or on anything else that changes with an encoder, and does not depend on the order of the
best files. The figures below are a logistic regression, fitted by `training/confidence` on commits,
on questions as people ask them, and on questions that those repositories cannot answer;
docs/quality.md has the results on others.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.limits import LimitHit, Notice
from ggrep.model.sanitise import sanitise_line

MOST_TOP_FILES: Final = 10
"""Most files whose signals count."""
MOST_LACKING: Final = 5
"""Most words that an answer says are nowhere."""
_FIRST: Final = 3

_EVIDENCE: Final = 4.2
_ROW: Final = 4.1
_TOPIC: Final = 2.5
_UNKNOWN: Final = -1.1
_OFFSET: Final = -7.5
_STRONG: Final = -1.4
_WEAK: Final = -2.7
_MOST_UNKNOWN: Final = 0.5
"""Largest share of words without any place behind a strong answer."""

_WEAK_HITS: Final = 5
"""Best hits that a weak answer keeps in any case."""
_NONE_HITS: Final = 3
"""Hits that an answer without a strong match shows at most."""

UNKNOWN_WORDS: Final = "unknown_words"
"""Code of the warning that names words that are nowhere."""

CONFIDENCE_CODES: Final = frozenset({"low_confidence", "no_strong_matches"})
"""Codes of warnings and cuts that low confidence causes."""

T = TypeVar("T")


class Confidence(Enum):
    """Fit of the best hits to the query; the value is its JSON word."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


class Wording(Enum):
    """Form of a query, as far as it affects trust in its hits."""

    PLAIN = "plain"
    NAME = "name"
    """One name."""
    QUOTED = "quoted"
    """Quoted text of several words, or nothing but quoted text."""
    VAGUE = "vague"
    """Nothing but question words and single letters."""
    UNKNOWN = "unknown"
    """Mostly a name that the collection lacks."""


class TopFile(Struct, frozen=True):
    """One of the best files.

    Attributes:
        score: score of its best chunk that may be shown; top files are ordered by it.
        evidence: from words, path and names of that chunk; without encoder and order-only signals.
        row: share of the query that the chunk holds, by the general weight of its words.
        topic: sum over the words that the chunk holds: how much commoner each is here than in
            programs in general.
        found: share of the weight of the query's words that the file or its path holds.
        spelt: it holds all of them, as they are spelt.
    """

    score: float
    evidence: float
    row: float
    topic: float
    found: float
    spelt: bool


class TopFiles(Struct, frozen=True):
    """The signals of confidence.

    Attributes:
        leaders: at most MOST_TOP_FILES, best first.
        weight: sum of the inverse document frequencies of the query's words, over the logarithm of
            the collection's size: near 1 for each rare word, 0 for a word in every file.
        unknown: share of the words that the collection lacks; a name is one more word.
        names: names of the query that the collection lacks, as they were typed.
        words: other words that it lacks.
    """

    leaders: tuple[TopFile, ...]
    weight: float
    unknown: float
    wording: Wording
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def evidence(self) -> float:
        """Return the highest evidence of a file."""
        return max((leader.evidence for leader in self.leaders), default=0.0)

    @property
    def found(self) -> float:
        """Return the largest share of the query's weight that a file holds."""
        return max((leader.found for leader in self.leaders), default=0.0)

    @property
    def first(self) -> tuple[TopFile, ...]:
        """Return the files with the most evidence."""
        return tuple(sorted(self.leaders, key=lambda leader: _order(leader)[1:])[:_FIRST])

    @property
    def row(self) -> float:
        """Return the largest share of the query that a chunk holds."""
        return max((leader.row for leader in self.leaders), default=0.0)

    @property
    def topic(self) -> float:
        """Return the most that a chunk holds of what the collection is about."""
        return max((leader.topic for leader in self.leaders), default=0.0)

    @property
    def spelt(self) -> bool:
        """Return whether a file with the most evidence holds all words as they are spelt."""
        return any(leader.spelt for leader in self.first)

    def signals(self) -> tuple[float, float, float, float]:
        """Return the inputs of the regression: evidence, row, topic and unknown.

        Evidence is a share of the query. A third of a long description is more than one word of
        two, so it counts by the weight of the query.
        """
        return math.log1p(self.evidence * self.weight), self.row, self.topic, self.unknown


NO_TOP_FILES: Final = TopFiles((), 0.0, 1.0, Wording.PLAIN)
"""The merged signals of lists without top files."""


def merge_top_files(parts: Iterable[TopFiles]) -> TopFiles:
    """Return the best files of several repositories.

    Signals of a query and a collection come from the part with the most evidence, of those that
    have the names first. The lacking words are those that every part lacks.
    """
    filled = sorted(
        (part for part in parts if part.leaders),
        key=lambda part: (
            part.wording is Wording.UNKNOWN,
            -part.evidence,
            part.weight,
            part.unknown,
        ),
    )
    if not filled:
        return NO_TOP_FILES
    leaders = (leader for part in filled for leader in part.leaders)
    return replace(
        filled[0],
        leaders=ordered_top_files(leaders),
        names=_common([part.names for part in filled]),
        words=_common([part.words for part in filled]),
    )


def ordered_top_files(leaders: Iterable[TopFile]) -> tuple[TopFile, ...]:
    """Return the best MOST_TOP_FILES; ties are broken by their other figures, never by layout."""
    return tuple(sorted(leaders, key=_order)[:MOST_TOP_FILES])


def confidence_of(leading: TopFiles) -> Confidence:
    """Return how well the best files fit the query.

    A name in one of the first files is a match, as is quoted text, which every hit holds. Words
    that one file holds together are worth a look, however common; question words are not. A name
    that stands nowhere has no match, whatever its parts are.
    """
    if not leading.leaders:
        return Confidence.NONE
    match leading.wording:
        case Wording.QUOTED:
            return Confidence.STRONG
        case Wording.NAME if leading.spelt:
            return Confidence.STRONG
        case Wording.VAGUE:
            return Confidence.WEAK if leading.found else Confidence.NONE
        case _:
            return _judged(leading)


def _judged(leading: TopFiles) -> Confidence:
    evidence, row, topic, unknown = leading.signals()
    logit = _OFFSET + _EVIDENCE * evidence + _ROW * row + _TOPIC * topic + _UNKNOWN * unknown
    if logit >= _STRONG:
        lacking = leading.wording is Wording.UNKNOWN or unknown > _MOST_UNKNOWN
        return Confidence.WEAK if lacking else Confidence.STRONG
    return Confidence.WEAK if leading.spelt or logit >= _WEAK else Confidence.NONE


def hits_kept(leading: TopFiles) -> int:
    """Return how many hits an answer without a strong match shows at most.

    It is 0 if no file holds a word of the query: such hits are only similar.
    """
    return _NONE_HITS if leading.found else 0


def shortened_list(
    hits: Sequence[T],
    confidence: Confidence,
    *,
    most: int,
    file: Callable[[T], Hashable],
    keep_weak: bool,
) -> tuple[list[int], tuple[LimitHit, ...]]:
    """Return the places of the hits worth showing, and the cut that was made.

    A weak answer keeps its five best hits, then the first hit of each file: no file is lost. An
    answer without a strong match keeps the best `most`.
    """
    places = list(range(len(hits)))
    if keep_weak or confidence is Confidence.STRONG:
        return places, ()
    if confidence is Confidence.NONE:
        kept = places[:most]
    else:
        first: dict[Hashable, int] = {}
        for place, hit in enumerate(hits):
            first.setdefault(file(hit), place)
        kept = sorted({*places[:_WEAK_HITS], *first.values()})
    if len(kept) == len(hits):
        return kept, ()
    return kept, (LimitHit("low_confidence", len(kept), len(hits)),)


def lacking_words(leading: TopFiles, confidence: Confidence) -> tuple[str, ...]:
    """Return the words that an answer says are nowhere: names, and others only in doubt.

    A small collection lacks many common words.
    """
    others = () if confidence is Confidence.STRONG else leading.words
    return (*leading.names, *others)[:MOST_LACKING]


def unknown_words_message(beginning: str, words: Iterable[str]) -> str:
    """Return a message that names words after its beginning."""
    return f"{beginning} {', '.join(f'`{sanitise_line(word)}`' for word in words)}"


def confidence_notices(confidence: Confidence) -> tuple[Notice, ...]:
    """Return the warning of an answer that may not fit the query; none for a strong one."""
    match confidence:
        case Confidence.STRONG:
            return ()
        case Confidence.WEAK:
            return (Notice("low_confidence", "low confidence: probably no good match"),)
        case Confidence.NONE:
            return (Notice("no_strong_matches", "no strong match"),)


def _order(leader: TopFile) -> tuple[float, ...]:
    spelt = float(leader.spelt)
    return -leader.score, -leader.evidence, -leader.row, -leader.topic, -leader.found, -spelt


def _common(parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(word for word in parts[0] if all(word in part for part in parts))
