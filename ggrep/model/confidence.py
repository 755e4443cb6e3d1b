"""Confidence: how likely the hits of an answer are relevant to the query.

The inputs are relative: the share of the query's weight and of its words that the best files
contain, and the share of the query's words that the collection lacks. No threshold depends on an
encoder, and the order of the best files has no effect. The weights are those of a logistic
regression that `training/confidence` fits on commits, on queries written by people, and on queries
that the repositories cannot answer; docs/quality.md has results on other repositories.
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
"""Maximum number of files whose signals count."""
MOST_LACKING: Final = 5
"""Maximum number of unknown words that an answer names."""
_FIRST: Final = 3

_EVIDENCE: Final = 4.2
_ROW: Final = 4.1
_TOPIC: Final = 2.5
_UNKNOWN: Final = -1.1
_OFFSET: Final = -7.5
_STRONG: Final = -1.4
_WEAK: Final = -2.7
_MOST_UNKNOWN: Final = 0.5
"""Maximum share of unknown words in the query of a strong answer."""

_WEAK_HITS: Final = 5
"""Number of best hits that a weak answer always keeps."""
_NONE_HITS: Final = 3
"""Maximum number of hits in an answer without a strong match."""

UNKNOWN_WORDS: Final = "unknown_words"
"""Code of the warning about words that occur nowhere."""

CONFIDENCE_CODES: Final = frozenset({"low_confidence", "no_strong_matches"})
"""Codes of warnings and cuts that low confidence causes."""

T = TypeVar("T")


class Confidence(Enum):
    """How well the best hits fit the query; the value is the word in JSON documents."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


class Wording(Enum):
    """Properties of a query's form that affect confidence."""

    PLAIN = "plain"
    NAME = "name"
    """A single name."""
    QUOTED = "quoted"
    """Quoted text with several words, or only quoted text."""
    VAGUE = "vague"
    """Only question words and single letters."""
    UNKNOWN = "unknown"
    """Mostly a name that the collection lacks."""


class TopFile(Struct, frozen=True):
    """One of the best files.

    Attributes:
        score: score of the best chunk that can be shown; top files are ordered by this score.
        evidence: score of the best chunk by words, path and names only, without the encoder and
            without signals that only order hits.
        row: share of the query's words in the chunk, weighted by their general rarity.
        topic: sum over the query's words in the chunk: how much more frequent the word is in the
            collection than in programs in general.
        found: weight of the query's words that occur in the file or its path, as a share of the
            weight of all words of the query.
        spelt: whether the file contains all words in their exact spelling.
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
        leaders: at most MOST_TOP_FILES files, best first.
        weight: sum of the inverse document frequencies of the query's words, divided by the
            logarithm of the collection's size: a rare word adds about 1, a word in every file 0.
        unknown: share of the query's words that the collection lacks; a name counts as an
            additional word.
        names: names in the query that the collection lacks, as typed.
        words: other words in the query that the collection lacks.
        most_evidence: in merged signals, the evidence of the repository whose `weight` is used;
            `leaders` may lack the file with this evidence. None if nothing was merged.
    """

    leaders: tuple[TopFile, ...]
    weight: float
    unknown: float
    wording: Wording
    names: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    most_evidence: float | None = None

    @property
    def evidence(self) -> float:
        """Return the largest evidence that any file has."""
        return max((leader.evidence for leader in self.leaders), default=0.0)

    @property
    def found(self) -> float:
        """Return the largest share of the query's weight that a file contains."""
        return max((leader.found for leader in self.leaders), default=0.0)

    @property
    def first(self) -> tuple[TopFile, ...]:
        """Return the `_FIRST` files with the most evidence."""
        return tuple(sorted(self.leaders, key=lambda leader: _order(leader)[1:])[:_FIRST])

    @property
    def row(self) -> float:
        """Return the largest share of the query's words that a chunk contains."""
        return max((leader.row for leader in self.leaders), default=0.0)

    @property
    def topic(self) -> float:
        """Return the largest `topic` of a file."""
        return max((leader.topic for leader in self.leaders), default=0.0)

    @property
    def spelt(self) -> bool:
        """Return whether any of the first files contains all words in their exact spelling."""
        return any(leader.spelt for leader in self.first)

    def signals(self) -> tuple[float, float, float, float]:
        """Return the inputs of the regression: evidence, row, topic and unknown.

        The evidence is multiplied by the query's weight, because ten of thirty words are stronger
        evidence than one of three words.
        """
        return math.log1p(self.evidence * self.weight), self.row, self.topic, self.unknown


NO_TOP_FILES: Final = TopFiles((), 0.0, 1.0, Wording.PLAIN)
"""Signals of lists without top files."""


def merge_top_files(parts: Iterable[TopFiles]) -> TopFiles:
    """Return the best files of several repositories.

    Signals about the query and the collection are those of the repository with the most evidence;
    repositories that contain the query's names take precedence. A word is unknown if every
    repository lacks it. Merged signals can be merged again; grouping does not affect the result.
    """
    filled = sorted(
        (part for part in parts if part.leaders),
        key=lambda part: (
            part.wording is Wording.UNKNOWN,
            -_weighed(part),
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
        most_evidence=_weighed(filled[0]),
    )


def _weighed(part: TopFiles) -> float:
    return part.evidence if part.most_evidence is None else part.most_evidence


def ordered_top_files(leaders: Iterable[TopFile]) -> tuple[TopFile, ...]:
    """Return the best MOST_TOP_FILES files; ties are broken by the other signals."""
    return tuple(sorted(leaders, key=_order)[:MOST_TOP_FILES])


def confidence_of(leading: TopFiles) -> Confidence:
    """Return how well the best files fit the query.

    A name in one of the first files is a strong match. Quoted text is always a strong match,
    because every hit contains it. If one of the first files contains all words except question
    words, the answer is at least weak. The answer is not strong if the query's name or most of its
    words are unknown.
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
    """Return the maximum number of hits in an answer without a strong match.

    The number is 0 if no file contains a word of the query, because the hits are then only similar
    in meaning.
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
    """Return the indexes of the hits to show, and the limit that cut the list.

    A weak answer keeps its five best hits and the first hit of each file, so that no file is lost.
    An answer without a strong match keeps the best `most` hits.
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
    """Return the unknown words to report: names and, unless confidence is strong, other words.

    Other words are often missing because a small collection lacks many common words.
    """
    others = () if confidence is Confidence.STRONG else leading.words
    return (*leading.names, *others)[:MOST_LACKING]


def unknown_words_message(beginning: str, words: Iterable[str]) -> str:
    """Return `beginning` followed by the quoted words."""
    return f"{beginning} {', '.join(f'`{sanitise_line(word)}`' for word in words)}"


def confidence_notices(confidence: Confidence) -> tuple[Notice, ...]:
    """Return the warning about low confidence; empty for strong confidence."""
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
