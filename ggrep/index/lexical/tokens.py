"""Splits text into terms: each whole word, and the stems of the parts of its spelling.

`HTTPServers2`, `http_server_2` and `http-server-2` share the terms `http`, `serv` and `2`. A
part is found where an underscore, a change from lower to upper case, the end of an acronym or a
change between letters and digits says so, in any script that has case.
"""

import re
from collections.abc import Iterable, Sequence

from ggrep.index.lexical.stems import stem

_WORD = re.compile(r"\w+")
_ASCII_WORDS = bytes(
    code if chr(code).isalnum() or chr(code) == "_" else 32 for code in range(128)
).ljust(256, b" ")
_ASCII_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MAX_WORD = 80
"""Longer runs are encoded data, not words; their head is kept so that they stay findable."""


def words(text: str) -> list[str]:
    """Return the words of `text` in order, as written: runs of letters, digits and underscores."""
    if text.isascii():  # a table and a split cost a third of the pattern
        return text.encode("ascii").translate(_ASCII_WORDS).decode("ascii").split()
    return _WORD.findall(text)


def word_terms(word: str) -> tuple[str, ...]:
    """Return the distinct terms of one word: the whole, lower-cased, then its parts' stems."""
    word = word[:_MAX_WORD]
    whole = word.strip("_").casefold() or word
    parts = _ASCII_PART.findall(word) if word.isascii() else _unicode_parts(word)
    if len(parts) < 2:
        root = stem(whole)
        return (whole,) if root == whole else (whole, root)
    return tuple(dict.fromkeys((whole, *map(stem, map(str.casefold, parts)))))


def whole_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct case-folded names, as the symbol field holds them."""
    return tuple(dict.fromkeys(name.strip("_").casefold() or name for name in names if name))


def symbol_names(own: str, qualified: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the terms of the symbol field: case-folded names, the chunk's own name twice."""
    found = whole_names((*names, qualified))
    return (*found, *whole_names((own,))) if own else found


def spelled_names(own: str, qualified: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the terms of the spelled field: names as written, the chunk's own name twice."""
    found = tuple(dict.fromkeys(name for name in (*names, qualified) if name))
    return (*found, own) if own else found


def _unicode_parts(word: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for index in range(1, len(word) + 1):
        if index == len(word) or _boundary(word, index):
            parts.append(word[start:index].strip("_"))
            start = index
    return [part for part in parts if part]


def _boundary(word: str, index: int) -> bool:
    before, here = word[index - 1], word[index]
    if (before == "_") != (here == "_") or before.isdigit() != here.isdigit():
        return True
    if before.islower() and here.isupper():
        return True
    after = word[index + 1] if index + 1 < len(word) else ""
    return before.isupper() and here.isupper() and after.islower()
