"""Maps related words to one stem: `parse`, `parser`, `parsing` and `parsed` are `pars`.

A plural ending is removed, then at most two derivational endings, the longest first. A derivational
ending is only removed if at least four letters remain. With stems, the query
`how are requests validated` matches `RequestValidator`.
"""

from functools import lru_cache
from typing import Final

_LEAST_PLURAL: Final = 3
"""Minimum number of letters of a singular: an `s` is removed from `keys`, but not from `is`."""
_LEAST_STEM: Final = 4
_LONGEST: Final = 32
"""Maximum length of a word that is stemmed; longer runs of letters are not words of a language."""
_ROUNDS: Final = 2
_REMEMBERED: Final = 65_536
"""Maximum number of cached stems; the many compounds in code consist of few different words."""
_NO_PLURAL: Final = ("ss", "us", "is")
_KEPT_DOUBLE: Final = frozenset("ls")
# fmt: off
_ENDINGS: Final = (
    "ization", "isation",
    "ations",
    "ation", "ators", "ating", "izers", "isers", "izing", "ising", "ments",
    "ator", "ated", "ates", "izer", "iser", "ized", "ised", "izes", "ises", "ment",
    "ings", "ions", "able", "ible", "ance", "ence", "ities",
    "ate", "ize", "ise", "ity", "ing", "ies", "ied", "ers", "ors", "ion", "ely", "ive",
    "er", "or", "ed", "es", "ly", "al",
    "e", "y",
)
# fmt: on
_BY_LAST: Final = {
    letter: tuple(ending for ending in _ENDINGS if ending[-1] == letter)
    for letter in {ending[-1] for ending in _ENDINGS}
}


@lru_cache(maxsize=_REMEMBERED)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of other scripts and numbers are unchanged."""
    if not _LEAST_PLURAL < len(word) <= _LONGEST or not (word.isascii() and word.isalpha()):
        return word
    word = _singular(word)
    for _ in range(_ROUNDS):
        shorter = _stripped(word)
        if shorter == word:
            break
        word = shorter
    doubled = len(word) > _LEAST_STEM and word[-1] == word[-2] and word[-1] not in _KEPT_DOUBLE
    return word[:-1] if doubled else word


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(_NO_PLURAL) or len(word) <= _LEAST_PLURAL:
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 4 else word[:-1]


def _stripped(word: str) -> str:
    for ending in _BY_LAST.get(word[-1], ()):
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word[: -len(ending)]
    return word
