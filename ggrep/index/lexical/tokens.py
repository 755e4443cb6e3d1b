"""Splits text into terms: each whole word, and the stems of the parts of its spelling.

`HTTPServers2`, `http_server_2` and `http-server-2` share the terms `http`, `serv` and `2`. A word
is split into parts at underscores, at changes from lower to upper case, at the end of acronyms and
between letters and digits, in any script with letter case.

In scripts without spaces, a program cannot recognise words. The terms of a run of such letters are
the pairs of neighbouring letters, each letter with its marks, and the single letters: `日本語` has
the terms `日本`, `本語` and three letters. In a query, the terms of a run are only the pairs; a run
of one letter is one term.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from ggrep.base.scripts import MARKS, UNSPACED, is_mark, is_word, nfc
from ggrep.index.lexical.stems import stem

_ASCII_WORDS = bytes(
    code if chr(code).isalnum() or chr(code) == "_" else 32 for code in range(128)
).ljust(256, b" ")
_ANY_WORDS = _ASCII_WORDS[:128] + bytes(range(128, 256))
"""Table for `translate` of UTF-8: bytes beyond ASCII stay."""


class _Pattern:
    """A pattern that is compiled at first use: ASCII text does not need these large patterns."""

    def __init__(self, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._given = pattern, flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(*self._given)


_ASCII_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_WORD = _Pattern(rf"[\w{UNSPACED}][\w{UNSPACED}{MARKS}]*")
_UNSPACED = _Pattern(f"[{UNSPACED}]")
_PIECE = _Pattern(rf"_*([{UNSPACED}][{UNSPACED}{MARKS}]*)_*|(?:(?![{UNSPACED}])[\w{MARKS}])+")
_LETTER = _Pattern(rf".[{MARKS}]*", re.DOTALL)
_INVISIBLE = _Pattern(
    "[\u00ad\u034f\u180b-\u180f\u200c\u200d\u2060\ufe00-\ufe0f\U000e0100-\U000e01ef]"
    rf"|(?<=[{UNSPACED}])\u200b+(?=[{UNSPACED}])"
)
"""Soft hyphens, joiners, variation selectors, and borders of words in scripts without spaces."""
_USUAL_INVISIBLE: Final = "\u00ad\u200b\u200c\u200d\u2060\ufe0f\U000e0100\U000e0101"
_LEADING_MARKS = _Pattern(rf"\A[{MARKS}]+")
_COMPOSED_WITH_NEIGHBOURS: Final = "".join(
    map(chr, (*range(0x1100, 0x1200), *range(0x3131, 0x318F), *range(0xFF65, 0xFFDD)))
)
"""Jamo and half-width letters: NFKC can combine them with neighbouring letters."""
_MAX_WORD = 80
"""Maximum length of a word. Longer runs are encoded data; their beginning is indexed."""
_LAST: Final = "\0"
"""Marks the last letter of a run, which is a term, and also part of the preceding pair."""
_PAIRS_OF_A_WORD: Final = 3
"""Pairs that weigh as much as a word: words of most such scripts have two to four letters."""


def words(text: str) -> list[str]:
    """Return the words of `text` in order, unchanged: runs of letters, digits and underscores.

    For a run in scripts without spaces, the words are its pairs of letters, then its last letter.
    """
    if text.isascii():  # a table and a split take a third of the pattern's time
        return text.encode("ascii").translate(_ASCII_WORDS).decode("ascii").split()
    listed: list[str] = []
    for piece in pieces(text):
        if is_unspaced(piece):
            letters = _letters(piece)
            listed += map("".join, pairwise(letters))
            listed.append(letters[-1] if len(letters) == 1 else letters[-1] + _LAST)
        else:
            listed.append(piece)
    return listed


def pieces(text: str) -> Iterator[str]:
    """Yield the words of `text`; runs in scripts without spaces are not divided.

    The words are in NFKC, without invisible characters.
    """
    for word in spelled_words(text):
        if word.isascii() or not _UNSPACED.compiled.search(word):
            yield word
        else:
            for piece in _PIECE.compiled.finditer(word):
                if piece[1] is None:
                    yield piece[0]
                elif _letters(piece[1]):
                    yield piece[1]


def spelled_words(text: str) -> list[str]:
    """Return the words of `text`; a word can contain several scripts, as in `get単語Count`."""
    if text.isascii():
        return words(text)
    plain = unicodedata.normalize("NFKC", text).encode("utf-8", "surrogatepass")
    spelled: list[str] = []
    for word in plain.translate(_ANY_WORDS).decode("utf-8", "surrogatepass").split():
        if word.isascii():
            spelled.append(word)
        else:
            spelled += _WORD.compiled.findall(_INVISIBLE.compiled.sub("", word))
    return spelled


def plain_text(text: str) -> str:
    """Return a text in NFKC and lower case without invisible characters, as terms are spelled."""
    plain = unicodedata.normalize("NFKC", text)
    if any(character in plain for character in _USUAL_INVISIBLE):
        plain = _INVISIBLE.compiled.sub("", plain)
    return plain.casefold()


def is_unspaced(word: str) -> bool:
    """Return whether a word, or a part of a word, is in scripts without spaces."""
    return not word.isascii() and _UNSPACED.compiled.match(word) is not None


def is_one_word(before: str, after: str) -> bool:
    """Return whether two neighbouring characters are in one word; False if either is empty."""
    if not (before and after and is_word(before) and is_word(after)):
        return False
    return is_mark(after) or not (is_unspaced(before) or is_unspaced(after))


def contained_terms(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the terms that any text containing `text` must have, each with whether it is complete.

    A term at an end of `text` is incomplete if it can continue beyond `text`.
    """
    plain = unicodedata.normalize("NFKC", text.strip(_COMPOSED_WITH_NEIGHBOURS))
    plain = _LEADING_MARKS.compiled.sub("", _INVISIBLE.compiled.sub("", plain))
    for word in _WORD.compiled.finditer(plain):
        for piece in _PIECE.compiled.finditer(word[0]):
            first = not (word.start() or piece.start())
            last = word.end() == len(plain) and piece.end() == len(word[0])
            if piece[1] is None:
                if not (first or last):
                    yield word_terms(piece[0])[0], True
                elif part := piece[0].strip("_").casefold():
                    yield part, False
            else:
                *others, ending = whole_terms(piece[1]) or ("",)
                for term in others:
                    yield term, True
                if ending:
                    yield ending, not last


def _letters(run: str) -> list[str]:
    """Return the letters of a run, each with its marks; omit marks without a letter."""
    letters: list[str] = _LETTER.compiled.findall(run)
    return letters[1:] if is_mark(letters[0]) else letters


def word_terms(word: str) -> tuple[str, ...]:
    """Return the distinct terms of one word: the whole word in lower case, then its parts' stems.

    The terms of a pair of letters are the pair and its first letter.
    """
    if is_unspaced(word):
        first = _LETTER.compiled.findall(word)[0]
        return (first,) if word in (first, first + _LAST) else (word, first)
    word = word[:_MAX_WORD]
    whole = word.strip("_").casefold() or word
    parts = _ASCII_PART.findall(word) if word.isascii() else _unicode_parts(word)
    if len(parts) < 2:
        root = stem(whole)
        return (whole,) if root == whole else (whole, root)
    return tuple(dict.fromkeys((whole, *map(stem, map(str.casefold, parts)))))


def length_of(word: str, terms: Sequence[str]) -> int:
    """Return a word's share of its field's length: its number of terms; 1 for a pair of letters."""
    if word.isascii() or not is_unspaced(word):
        return len(terms)
    return 0 if word.endswith(_LAST) else 1


def query_terms(word: str) -> dict[str, float]:
    """Return the terms of a query's word, each with its weight: 1, or less for pairs of letters.

    In scripts without spaces, a run's pairs have equal weights with the sum 1; if the run has more
    than three pairs, each has the weight 1/3.
    """
    shares: dict[str, float] = {}
    for piece in pieces(word):
        terms = whole_terms(piece) if is_unspaced(piece) else word_terms(piece)
        share = 1.0 / min(len(terms), _PAIRS_OF_A_WORD) if is_unspaced(piece) else 1.0
        for term in terms:
            shares[term] = max(share, shares.get(term, 0.0))
    return shares


def whole_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms that a text must have to contain `text` as whole words."""
    terms: list[str] = []
    for piece in pieces(text):
        if is_unspaced(piece):
            letters = _letters(piece)
            terms += map("".join, pairwise(letters)) if len(letters) > 1 else letters
        else:
            terms.append(word_terms(piece)[0])
    return tuple(dict.fromkeys(terms))


def folded_name(name: str) -> str:
    """Return a name as the symbol field contains it: in lower case, without outer underscores."""
    plain = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return plain.strip("_").casefold() or plain


def whole_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct names as the symbol field contains them, see `folded_name`."""
    return tuple(dict.fromkeys(folded_name(name) for name in names if name))


def symbol_names(name: str, qualified: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the terms of the symbol field: case-folded names, the chunk's own name twice."""
    terms = whole_names((*names, qualified))
    return (*terms, *whole_names((name,))) if name else terms


def spelled_names(name: str, qualified: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the terms of the spelled field: names in NFC, the chunk's own name twice."""
    terms = tuple(dict.fromkeys(nfc(each) for each in (*names, qualified) if each))
    return (*terms, nfc(name)) if name else terms


def _unicode_parts(word: str) -> list[str]:
    parts: list[str] = []
    letters = _LETTER.compiled.findall(word)
    start = 0
    for index in range(1, len(letters) + 1):
        if index == len(letters) or _boundary(letters, index):
            parts.append("".join(letters[start:index]).strip("_"))
            start = index
    return [part for part in parts if part]


def _boundary(letters: Sequence[str], index: int) -> bool:
    """Return whether a part of a word ends before the letter at `index`; marks are ignored."""
    before, here = letters[index - 1][0], letters[index][0]
    if (before == "_") != (here == "_") or before.isdigit() != here.isdigit():
        return True
    if before.islower() and here.isupper():
        return True
    after = letters[index + 1][0] if index + 1 < len(letters) else ""
    return before.isupper() and here.isupper() and after.islower()
