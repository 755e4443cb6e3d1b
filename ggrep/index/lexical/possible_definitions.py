"""Finds the words of a text that may be names of definitions, by the form of the lines around them.

Chunks list the names of most definitions, but not of functions within small functions, nor of
types in function bodies. This module returns a superset of the missing names. If a query contains
such a word, the files that may define it are parsed to check. If the language of a file has a
grammar, but its chunks are windows of lines, the file may define any of its words, because a window
that begins inside a type does not show that its names are members. To keep matching fast, every
repetition in a pattern has a bound or stays within one word.
"""

import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable
from itertools import compress, count
from operator import methodcaller
from typing import Final

import numpy as np
import numpy.typing as npt

_WORD: Final = re.compile(r"\w+")
_DECLARING: Final = frozenset(
    {
        *("class", "const", "enum", "fn", "fun", "func", "function", "impl", "interface", "let"),
        *("local", "macro", "module", "namespace", "object", "package", "protocol", "record"),
        *("struct", "sub", "trait", "type", "typedef", "union", "val", "var"),
    }
)
"""Words after which a name is declared; words that begin with `def` also count."""
_defines: Final = methodcaller("startswith", "def")
_CONTROL: Final = frozenset({"catch", "else", "for", "if", "return", "sizeof", "switch", "while"})
_LETTERS: Final = bytes(
    code if chr(code).isalnum() or chr(code) in "_.:<>~-" else 32 for code in range(128)
).ljust(256, b" ")
_OTHERS: Final = re.compile(r"[^\w.:<>~-]")
_BEFORE: Final = 100
"""Number of characters before a value or a block that are searched for its name."""
_NAMED: Final = re.compile(r"(\w+)[ \t]?(?:<[^<>\n]{0,80}>)?\Z")
_ASCII_WORD: Final = "_0123456789abcdefghijklmnopqrstuvwxyz"
_VALUE: Final = re.compile(r"[:=][ \t]{0,20}(?:async|function|class|fn|\(|\w{1,80}+[ \t]?=>)")
_BLOCK: Final = re.compile(r"\([^()\n]{0,400}+\)[^;{\n]{0,200}+\{")
_LISTED: Final = re.compile(r"(?:alias|attr|define)\w{0,20}[ \t(]{1,20}([^\n]{1,200})")
_MEMBER: Final = re.compile(
    r"[.\n][ \t]{0,80}+[\"']?(\w++)[\"']?[ \t]{0,20}+[?!]?[ \t]{0,8}+(?::|=(?![=>]))"
)
_PYTHON: Final = re.compile(r"(?:def|class|type)[ \t]+(\w+)")
_MACRO: Final = re.compile(r"define[ \t]+(\w+)")
_TAGS: Final = {
    word: re.compile(rf"{word}[ \t]+([\w \t]{{0,200}}\w)[ \t]{{0,20}}[:{{=<\n]")
    for word in ("struct", "union", "enum", "class", "namespace", "using", "concept")
}
_TYPE_BODY: Final = re.compile(r"(?:struct|union|class|enum)[^;(){}=]{0,400}\{")
_DECLARATOR: Final = re.compile(r"[\w>*&\]}][ \t*&]{1,20}+(\w++)[ \t]{0,8}+[;=(\[{:,]")
_ENUMERATOR: Final = re.compile(r"\b(\w++)\s{0,80}+[,=}]")
_TYPEDEF: Final = re.compile(
    r"typedef[^;{}]{0,400}?(\w+)[ \t]{0,8}(?:\[[^\]]{0,80}\][ \t]{0,8})?(?:\([^;]{0,400}\))?;"
)
_SINGLE: Final = re.compile(r"\((?<=\w\()[ \t*]{0,8}+(\w++)[ \t]{0,8}+\)[ \t]{0,8}+\{")
"""A macro before a block: it looks like a function whose name is the macro's argument."""


ANY_WORD: Final = ""
"""Means all words of a file."""


def folded_words(name: str) -> tuple[str, ...]:
    """Return the words of a name in NFKC and lower case, as `possible_definitions` returns them."""
    return tuple(_WORD.findall(_folded(name)))


def possible_definitions(text: str, language: str) -> set[str]:
    """Return the words that a text possibly defines, in NFKC and lower case."""
    return _READERS.get(language, _general)(_folded(text))


def definition_keys(words: Iterable[str], file: int) -> list[int]:
    """Return a key for each word that a file may define: CRC-32 << 32 | the file's number.

    If two words have the same CRC-32, a file is parsed needlessly.
    """
    return [zlib.crc32(word.encode("utf-8", "surrogatepass")) << 32 | file for word in words]


def files_of_word(keys: npt.NDArray[np.uint64], word: str) -> npt.NDArray[np.int64]:
    """Return the files that possibly define a word, ascending; `keys` must be ascending."""
    (first,) = definition_keys((word,), 0)
    ends = np.array([first, first + 0xFFFF_FFFF], dtype=np.uint64)
    start, end = np.searchsorted(keys, ends[:1])[0], np.searchsorted(keys, ends[1:], "right")[0]
    return (keys[start:end] & np.uint64(0xFFFF_FFFF)).astype(np.int64)


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _general(text: str) -> set[str]:
    """Find definitions by the keywords, values, blocks and lists that many languages have."""
    if text.isascii():
        tokens = text.encode("ascii").translate(_LETTERS).decode("ascii").split()
    else:
        tokens = _OTHERS.sub(" ", text).split()
    places = [*compress(count(1), map(_DECLARING.__contains__, tokens))]
    if "def" in text:
        places += compress(count(1), map(_defines, tokens))
    named = [token for place in places for token in tokens[place : place + 2]]
    words = set(_WORD.findall(" ".join(named)))
    words.update(_names_before(text, _VALUE))
    if "{" in text:
        words.update(_names_before(text, _BLOCK))
    if "alias" in text or "attr" in text or "define" in text:
        words.update(word for line in _LISTED.findall(text) for word in _WORD.findall(line))
    return words - _CONTROL


def _names_before(text: str, pattern: re.Pattern[str]) -> Iterable[str]:
    """Yield the name directly before each match."""
    for match in pattern.finditer(text):
        start = match.start()
        before = text[max(0, start - _BEFORE) : start].rstrip(" \t:=\"'")
        if before.isascii() and not before.endswith(">"):
            if name := before[len(before.rstrip(_ASCII_WORD)) :]:
                yield name
        elif named := _NAMED.search(before):
            yield named[1]


def _script(text: str) -> set[str]:
    """Find definitions in languages like JavaScript, where an assignment can define a member."""
    return _general(text).union(_MEMBER.findall(text))


def _python(text: str) -> set[str]:
    return set(_PYTHON.findall(text))


def _c(text: str) -> set[str]:
    """Find definitions in C and C++: macros, types, and all declared names if a type has a body."""
    words = set(_MACRO.findall(text)) if "define" in text else set()
    if "typedef" in text:
        words.update(_TYPEDEF.findall(text))
    if "{" not in text:
        return words
    for tag, pattern in _TAGS.items():
        if tag in text:
            words.update(word for names in pattern.findall(text) for word in names.split())
    if any(tag in text for tag in ("struct", "union", "class", "enum")) and _TYPE_BODY.search(text):
        words.update(_DECLARATOR.findall(text))
        if "enum" in text:
            words.update(_ENUMERATOR.findall(text))
    words.update(_SINGLE.findall(text))
    return words


_READERS: Final[dict[str, Callable[[str], set[str]]]] = {
    "python": _python,
    **dict.fromkeys(("c", "cpp"), _c),
    **dict.fromkeys(("javascript", "typescript", "tsx"), _script),
}
