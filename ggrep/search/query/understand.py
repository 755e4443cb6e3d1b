"""Interprets a query by rules, without a model."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from shlex import quote

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.base.scripts import WORD, nfc
from ggrep.index.lexical.layout import MAX_QUERY_TERMS
from ggrep.index.lexical.tokens import (
    folded_name,
    is_unspaced,
    pieces,
    query_terms,
    spelled_words,
    whole_terms,
    word_terms,
)
from ggrep.model.limits import LimitHit
from ggrep.model.sanitise import sanitise_line
from ggrep.search.query.kinds import NAME, QueryKind, kind_of, phrases_of
from ggrep.search.query.query_paths import SpelledPath, places_of

MAX_QUERY_CHARACTERS = 4096
"""Characters of a query that are read; a longer query is reported in `limits_hit`."""

# fmt: off
_STOP_WORDS = frozenset({
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does",
    "for", "from", "get", "gets", "how", "i", "if", "in", "into", "is", "it", "its", "of",
    "on", "or", "so", "that", "the", "their", "them", "then", "there", "these", "this",
    "to", "was", "we", "what", "when", "where", "which", "who", "why", "will", "with",
    "you", "your"
})
# fmt: on
_CARRIED_OUT = re.compile(
    r"(?i)^\s*(?:how|where)\b.*?\b(?:is|are|was|were|gets?)\b.*?"
    r"(?<!, )(?<!and )\b(done|handled|implemented|performed)\b(?!,| and)"
)
"""A question about how a thing is handled; its verb does not describe the thing."""
_TEST_WORDS = frozenset({"test", "tests", "testing", "fixture", "fixtures", "mock", "mocks"})
_VERBATIM_WORDS = {QueryKind.ERROR: range(3, 41), QueryKind.WORDS: range(5, 41)}
"""Range of the number of words in a query that is searched for verbatim.

Fewer words are seldom copied text.
"""
_MOST_REMEMBERED = 8
"""Number of cached parsed queries; a query is parsed for its check and again for its ranking."""
_MAX_PLACES = 4
"""Maximum number of paths in a query that are searched for."""
_MAX_NAMES = 16
"""Maximum number of names in a query that are compared in their spelling."""
_NAME_LIKE = re.compile(rf"[a-z0-9][A-Z]|[A-Z]{{2}}[a-z]|[^\W_]_+[^\W_]|[{WORD}]\.\w")
"""Marks of a name: a capital inside, an underscore inside or a dot between parts."""
_BEGINNING = re.compile(rf"[{WORD}]+")
_SEPARATORS = re.compile(r"::|#|->")


class ParsedQuery(Struct, frozen=True):
    """A query ready for scoring.

    Attributes:
        text: the query in NFC, without control characters.
        kind: the kind of query; see `ggrep.search.query.kinds`.
        terms: distinct scored terms, in the order of their bytes, in which scores are summed.
        spellings: the terms that are words in the query's spelling; the stem of each word is also a
            term.
        shares: for terms that are pairs of letters, their shares of a word's weight.
        symbols: case-folded whole names in the query, `a::b` as `a.b`; only names of scored terms,
            at most MAX_QUERY_TERMS.
        phrases: texts in double quotes, which a chunk must contain to be shown.
        verbatim: the query's text; chunks that contain it word for word have a higher score. Empty
            if the query is unlikely to be copied text.
        places: paths or file names in the query.
        wants_tests: whether the query mentions tests; if it does, tests are not ranked lower.
        is_vague: whether all words of the query are question words.
        names: the names in the query in their spelling, parts joined by dots. If the query is one
            name, it is the only name. Otherwise names are the words that look like names (`aB`,
            `a_b`, `a.b`).
    """

    text: str
    kind: QueryKind
    terms: tuple[str, ...]
    spellings: frozenset[str]
    shares: Mapping[str, float]
    symbols: tuple[str, ...]
    phrases: tuple[str, ...]
    verbatim: str
    places: tuple[SpelledPath, ...]
    wants_tests: bool
    is_vague: bool
    limits_hit: tuple[LimitHit, ...]
    names: tuple[str, ...] = ()

    def share(self, term: str) -> float:
        """Return a term's share of a word's weight, above 0 to 1."""
        return self.shares.get(term, 1.0)


@lru_cache(_MOST_REMEMBERED)
def parse_query(query: str) -> ParsedQuery:
    """Return the interpretation of `query`.

    Question words carry no weight unless there are no other words. Only the first
    MAX_QUERY_CHARACTERS are read; a longer query is reported in `limits_hit`.

    Raises:
        InvalidRequest: without control characters the query has no words.
    """
    text = nfc(sanitise_line(_head(query))).strip()
    places, plain = places_of(text)
    words = spelled_words(plain)
    if not words and text:
        line = f"ggrep -F {'-- ' * text.startswith('-')}{quote(text)}"
        raise InvalidRequest(
            f"query: {text!r} contains no word; to search for the exact text: {line}"
        )
    if not words:
        raise InvalidRequest("the query is empty; enter at least one word")
    empty = _CARRIED_OUT.match(plain)
    verb = "" if empty is None else empty[1]
    telling = [word for word in words if not is_stop_word(word) and word != verb]
    content = telling or words
    weighed = _weighed(content)
    terms = list(weighed)
    names = NAME.findall(plain)
    symbols = _symbols(names, content)
    limits: list[LimitHit] = []
    if len(query) > MAX_QUERY_CHARACTERS:
        limits.append(LimitHit("max_query_characters", MAX_QUERY_CHARACTERS, len(query)))
    if len(terms) > MAX_QUERY_TERMS:
        limits.append(LimitHit("max_query_terms", MAX_QUERY_TERMS, len(terms)))
        terms = terms[:MAX_QUERY_TERMS]
        symbols = [name for name in symbols if _wholes(name) <= set(terms)]
    kind = kind_of(text, plain, names, places)
    return ParsedQuery(
        text=text,
        kind=kind,
        terms=tuple(sorted(terms, key=lambda term: term.encode())),
        spellings=_spellings(content) & frozenset(terms),
        shares=_shares(weighed, terms),
        symbols=tuple(sorted(symbols[:MAX_QUERY_TERMS], key=lambda name: name.encode())),
        phrases=phrases_of(text, kind),
        verbatim=_verbatim(text, kind, words),
        places=places[:_MAX_PLACES],
        wants_tests=any(word.casefold() in _TEST_WORDS for word in content),
        is_vague=not telling,
        limits_hit=tuple(limits),
        names=_spelled(names, kind)[:_MAX_NAMES],
    )


def is_stop_word(word: str) -> bool:
    """Return whether a word has no weight in a query with other words."""
    return word.casefold() in _STOP_WORDS


def as_name(query: ParsedQuery) -> ParsedQuery:
    """Return the query interpreted as a name, regardless of its form."""
    names = _spelled(NAME.findall(query.text), QueryKind.SYMBOL)
    return replace(query, kind=QueryKind.SYMBOL, phrases=(), verbatim="", places=(), names=names)


def as_description(query: ParsedQuery) -> ParsedQuery:
    """Return the query interpreted as a description, regardless of its form."""
    kind = QueryKind.QUESTION
    return replace(query, kind=kind, symbols=(), phrases=(), verbatim="", places=(), names=())


def query_of_words(
    text: str, parts: Sequence[str], kind: QueryKind, *, most: int = MAX_QUERY_TERMS
) -> ParsedQuery:
    """Return a query of the words in `parts` of a text; the query can be empty.

    Names, paths and quotes have no special meaning. Only the first `most` terms count.
    """
    content = [word for part in parts for word in spelled_words(sanitise_line(_head(part)))]
    weighed = _weighed(content)
    terms = list(weighed)
    limits = []
    if len(text) > MAX_QUERY_CHARACTERS:
        limits.append(LimitHit("max_query_characters", MAX_QUERY_CHARACTERS, len(text)))
    if len(terms) > most:
        limits.append(LimitHit("max_query_terms", most, len(terms)))
        terms = terms[:most]
    return ParsedQuery(
        text=nfc(sanitise_line(_head(text))).strip(),
        kind=kind,
        terms=tuple(sorted(terms, key=lambda term: term.encode())),
        spellings=_spellings(content) & frozenset(terms),
        shares=_shares(weighed, terms),
        symbols=(),
        phrases=(),
        verbatim="",
        places=(),
        wants_tests=any(word.casefold() in _TEST_WORDS for word in content),
        is_vague=False,
        limits_hit=tuple(limits),
    )


def _verbatim(text: str, kind: QueryKind, words: list[str]) -> str:
    """Return the text to search for verbatim; empty if the query is unlikely to be copied text."""
    copied = len(words) in _VERBATIM_WORDS.get(kind, ())
    return text.strip(" .,:;!?\"'`") if copied else ""


def _head(query: str) -> str:
    """Return the query up to the length limit, without a word that the limit would split."""
    head = query[:MAX_QUERY_CHARACTERS]
    if not all(map(_BEGINNING.match, query[len(head) - 1 : len(head) + 1])) or head == query:
        return head
    cut = _BEGINNING.match(head[::-1])
    shorter = head[: -cut.end()] if cut else head
    return shorter if spelled_words(shorter) else head


def _weighed(content: Sequence[str]) -> dict[str, float]:
    """Return the terms of a query's words, in order, with their weights; a whole word weighs 1."""
    weighed: dict[str, float] = {}
    for word in content:
        for term, share in query_terms(word).items():
            weighed[term] = max(share, weighed.get(term, 0.0))
    return weighed


def _shares(weighed: Mapping[str, float], terms: Sequence[str]) -> Mapping[str, float]:
    """Return the shares of the terms that weigh less than a word."""
    return {term: weighed[term] for term in terms if weighed[term] < 1.0}


def _spellings(content: list[str]) -> frozenset[str]:
    """Return the terms that are words in the query's spelling, but not stems or parts of words."""
    split = [
        word_terms(piece) for word in content for piece in pieces(word) if not is_unspaced(piece)
    ]
    roots = {root for terms in split for root in terms[1:] or terms}
    return frozenset(terms[0] for terms in split) - roots


def _spelled(names: list[str], kind: QueryKind) -> tuple[str, ...]:
    """Return the query's names, parts joined by dots; a plain word only if it is alone."""
    joined = dict.fromkeys(_SEPARATORS.sub(".", name) for name in names)
    if kind is QueryKind.SYMBOL:
        return tuple(joined)[:1]
    return tuple(name for name in joined if _NAME_LIKE.search(name))


def _wholes(name: str) -> set[str]:
    return set(whole_terms(name))


def _symbols(names: list[str], content: list[str]) -> list[str]:
    """Return the distinct names in the query's order, single words before dotted names."""
    dotted = [_SEPARATORS.sub(".", name) for name in names if not name.isalnum()]
    folded = map(folded_name, (*content, *dotted))
    return list(dict.fromkeys(folded))
