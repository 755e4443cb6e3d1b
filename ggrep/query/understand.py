"""What a query asks for, by rule and without a model."""

import re
from dataclasses import dataclass

from ggrep.domain.limits import LimitHit
from ggrep.domain.sanitise import sanitise_line
from ggrep.errors import InvalidRequest
from ggrep.lexical.layout import MAX_QUERY_TERMS
from ggrep.lexical.tokens import word_terms, words

MAX_QUERY_CHARACTERS = 4096

# fmt: off
_STOP_WORDS = frozenset({
    "a", "about", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does",
    "for", "from", "get", "gets", "how", "i", "if", "in", "into", "is", "it", "its", "of",
    "on", "or", "so", "that", "the", "their", "them", "then", "there", "these", "this",
    "to", "was", "we", "what", "when", "where", "which", "who", "why", "will", "with",
    "you", "your"
})
# fmt: on
_NAME = re.compile(r"\w+(?:(?:\.|::|#)\w+)*")


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query ready for scoring.

    Attributes:
        text: the query without control characters.
        terms: distinct scored terms, in the order of their bytes: scores are summed in it.
        symbols: case-folded names the query spells whole, `a.b` and `a::b` as `a.b`; of words
            that score, and no more of them than of terms.
        is_symbol: the query is nothing but one name.
        wants_tests: it speaks of tests, so tests are not put behind.
    """

    text: str
    terms: tuple[str, ...]
    symbols: tuple[str, ...]
    is_symbol: bool
    wants_tests: bool
    limits_hit: tuple[LimitHit, ...]


def parse_query(query: str) -> ParsedQuery:
    """Return what `query` asks for.

    Question words carry no weight unless there is nothing else.

    Raises:
        InvalidRequest: nothing searchable is left once control characters are gone, or the
            query is longer than MAX_QUERY_CHARACTERS.
    """
    if len(query) > MAX_QUERY_CHARACTERS:
        raise InvalidRequest(
            f"query: {len(query)} characters, at most {MAX_QUERY_CHARACTERS} are accepted"
        )
    text = sanitise_line(query).strip()
    found = words(text)
    if not found:
        raise InvalidRequest("query: nothing to search for; give at least one word")
    content = [word for word in found if word.casefold() not in _STOP_WORDS] or found
    terms = list(dict.fromkeys(term for word in content for term in word_terms(word)))
    names = _NAME.findall(text)
    symbols = _symbols(names, content)
    limits: tuple[LimitHit, ...] = ()
    if len(terms) > MAX_QUERY_TERMS:
        limits = (LimitHit("max_query_terms", MAX_QUERY_TERMS, len(terms)),)
        terms = terms[:MAX_QUERY_TERMS]
        symbols = [name for name in symbols if _wholes(name) <= set(terms)]
    return ParsedQuery(
        text=text,
        terms=tuple(sorted(terms, key=lambda term: term.encode())),
        symbols=tuple(sorted(symbols[:MAX_QUERY_TERMS], key=lambda name: name.encode())),
        is_symbol=len(names) == 1 and names[0] == text.rstrip("()"),
        wants_tests=any(term in {"test", "tests", "testing", "fixture"} for term in terms),
        limits_hit=limits,
    )


def _wholes(name: str) -> set[str]:
    return {word_terms(word)[0] for word in words(name)}


def _symbols(names: list[str], content: list[str]) -> list[str]:
    """Return the distinct names, single words first, in the query's order."""
    dotted = [re.sub(r"::|#", ".", name) for name in names if not name.isalnum()]
    folded = [name.strip("_").casefold() or name for name in (*content, *dotted)]
    return list(dict.fromkeys(folded))
