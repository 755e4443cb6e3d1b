"""Finds the words of a query in lines of a text."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from ggrep.index.lexical.tokens import plain_text, word_terms, words

Terms: TypeAlias = frozenset[str]
"""Words in their indexed form."""

_word_terms = lru_cache(1 << 14)(word_terms)
"""A cache, because code repeats its words; about 4 MB when full."""
_NO_TERMS: Final = Terms()


def terms_by_line(lines: Sequence[str], terms: Terms) -> list[Terms]:
    """Return the terms that each line contains.

    For speed, only lines that contain the letters of a term are split into words. A final `y` of a
    term is ignored for this test, because `queries` has the stem `query`.
    """
    if not terms:
        return [_NO_TERMS] * len(lines)
    plain = plain_text("\n".join(lines))
    letters = [some for term in terms if (some := term.removesuffix("y")) in plain]
    if not letters:
        return [_NO_TERMS] * len(lines)
    return [
        _NO_TERMS.union(*(terms.intersection(_word_terms(word)) for word in words(line)))
        if any(map(folded.__contains__, letters))
        else _NO_TERMS
        for line, folded in zip(lines, plain.split("\n"), strict=True)
    ]
