"""The byte strings that a scan searches files for: prefixes shared by words of one stem.

A file without any of them holds no term of the query; one that has some may still hold none, as
`fair` begins `fairy` too. So needles choose files, and say nothing of their rank.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ggrep.index.lexical.stems import stem
from ggrep.search.query.understand import ParsedQuery

MOST_NEEDLES: Final = 24
"""Each is another pass over every file; of longer queries the longest words count."""


@dataclass(frozen=True, slots=True)
class Needle:
    """What words of one stem have in common.

    Attributes:
        spellings: lower-case bytes, one unless the word has letters beyond ASCII.
        terms: the query's terms that it stands for.
    """

    spellings: tuple[bytes, ...]
    terms: tuple[str, ...]

    def count(self, lowered: bytes) -> int:
        """Return how often it stands in bytes whose ASCII letters are lower-case."""
        return sum(map(lowered.count, self.spellings))


def needles_of(query: ParsedQuery) -> tuple[Needle, ...]:
    """Return the needles of a query's terms, in the order of their bytes."""
    held: dict[str, list[str]] = {}
    for term in query.terms:
        held.setdefault(_shared(term, query), []).append(term)
    kept = sorted(held, key=lambda text: (-len(text), text.encode()))[:MOST_NEEDLES]
    needles = [Needle(tuple(_spellings(text)), tuple(held[text])) for text in kept]
    return tuple(sorted(needles, key=lambda needle: needle.spellings))


def _shared(term: str, query: ParsedQuery) -> str:
    """Return the beginning of all words that a term, or its stem, stands for.

    That of `copy` is `cop`, because of `copies`. A name of several words has its own.
    """
    root = stem(term) if term in query.spellings else term
    if root not in query.terms:
        return term
    return root[:-1] if root.endswith("y") and len(root) > 3 else root


def _spellings(text: str) -> Iterable[bytes]:
    if text.isascii():
        return [text.encode()]
    # A term is case-folded, and so is `ß`; bytes fold ASCII alone.
    folded = (text, text.replace("ss", "ß"))
    return sorted(
        {form.encode().lower() for word in folded for form in (word, word.upper(), word.title())}
    )
