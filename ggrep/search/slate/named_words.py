"""Words of a text that could be another file's name, key or definition."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from ggrep.model.slate import Section
from ggrep.search.slate.bare_text import BareText, whole_names

MOST_WORDS: Final = 400

_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w{3,79}")
_DOTTED: Final = re.compile(r"[A-Za-z_][\w-]{1,60}(?:[./][\w-]{1,60}){1,8}")
_KEBAB: Final = re.compile(r"[A-Za-z]\w{1,40}(?:-\w{1,40}){1,6}")
_SPAN: Final = re.compile(r"`{1,2}([^`\n]{3,120})`{1,2}")
_SHAPED: Final = re.compile(r"_|-|\.|/|[a-z0-9][A-Z]|[A-Z].*[A-Z]")


def named_words(bare: Iterable[BareText], section: Section) -> tuple[str, ...]:
    """Return at most `MOST_WORDS` words, sorted; those that look like names go first into them.

    Of code: identifiers and literals that are one name. Of configuration: its words. Of documents
    and diagrams: what stands in code spans.
    """
    words: set[str] = set()
    for part in bare:
        words |= _words_of(part, section)
    ranked = sorted(words, key=lambda word: (_SHAPED.search(word) is None, word))
    return tuple(sorted(ranked[:MOST_WORDS]))


@lru_cache(1 << 11)
def _words_of(part: BareText, section: Section) -> frozenset[str]:
    """Return the words of one text; a file that is good for one question is so for the next."""
    if section in {Section.DOCS, Section.DIAGRAMS}:
        return frozenset(_words(" ".join(_SPAN.findall(part.uncommented))))
    if section is Section.CONFIG:
        return frozenset(_words(part.uncommented))
    return whole_names(part.literals).union(_IDENTIFIER.findall(part.code))


def _words(text: str) -> set[str]:
    found = {*_IDENTIFIER.findall(text), *_DOTTED.findall(text), *_KEBAB.findall(text)}
    return {word for word in found if len(word) >= 4}
