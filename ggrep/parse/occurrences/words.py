"""Finds whole-word occurrences of a name in a file, and describes each.

What a letter of a name is depends on the language. Nothing is parsed here.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from ggrep.base.scripts import is_mark, is_word, spelled_in_any_form
from ggrep.model.corpus import Corpus
from ggrep.parse.languages.registry import corpus_of, language_of

MAX_MENTIONS: Final = 5_000
"""Most places of one file that are told."""

PlaceKind: TypeAlias = Literal["definition", "usage", "string", "comment"]
Role: TypeAlias = Literal["", "import", "receiver"]
"""What a usage is for, where syntax tells it apart from reads and calls."""

_DOLLAR: Final = frozenset({"java", "javascript", "svelte", "tsx", "typescript", "vue"})
"""Where `$` is a letter of names."""
_DASH: Final = frozenset(
    {"clojure", "css", "fennel", "html", "less", "lisp", "racket", "scheme", "scss", "xml", "yaml"}
)
"""Where `-` is."""
_PRIME: Final = frozenset({"elm", "fsharp", "haskell", "ocaml"})
"""Where `'` is, behind the first."""
_MARKED: Final = frozenset({"crystal", "elixir", "julia", "ruby"})
"""Where a name may end with `?` or `!`."""
_OPERATOR: Final = re.compile(r"operator\s*(\W.*|\s\w.*)")
_PROSE: Final = frozenset({Corpus.PROSE, Corpus.EXTRACTED_PROSE})


@dataclass(frozen=True, slots=True)
class Defined:
    """What is defined at a place.

    Attributes:
        kind: as `Outline` calls it; `field` for a constant of a class.
        start_line: 1-based, comments and decorators in front included.
        declared_only: it has no body here, as a prototype.
        signature: its head on one line; of a constant or a field with the value.
        doc: what documents it, without comment marks.
    """

    kind: str
    start_line: int
    end_line: int
    declared_only: bool
    signature: str
    doc: str


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where the whole name stands.

    Attributes:
        line: 1-based, as `column`, which counts characters.
        text: the name as it is spelled there.
        container: qualified name of the definitions around it; empty at the top.
        defined: None for what is no definition, and for the further places at which a
            definition names itself (the second clause of a function).
        role: of a usage that only makes the name known, or says whose methods follow.
        test: it stands in a test inside of a source file, or in what only a run as a program does.
        bases: of a member that is defined, names in the head of its type beside the type's own.
    """

    line: int
    column: int
    text: str
    kind: PlaceKind
    container: str = ""
    defined: Defined | None = None
    role: Role = ""
    test: bool = False
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """A match: its bytes in the file, and the place people call it by."""

    start: int
    end: int
    line: int
    column: int
    text: str


def mentions_by_words(
    path_key: str, data: bytes, name: str, *, any_case: bool = False
) -> tuple[Occurrence, ...]:
    """Return the places of `name` without a look at syntax: comments in prose, else usages."""
    return by_words(path_key, data, spots(path_key, data, name, any_case=any_case))


def by_words(path_key: str, data: bytes, found: Iterable[Spot]) -> tuple[Occurrence, ...]:
    """Return what places are without a look at syntax: comments in prose, else usages."""
    kind: PlaceKind = "comment" if corpus_of(path_key, data) in _PROSE else "usage"
    return tuple(Occurrence(spot.line, spot.column, spot.text, kind) for spot in found)


def spots(path_key: str, data: bytes, name: str, *, any_case: bool = False) -> list[Spot]:
    """Return the first places where `name` stands as a whole word."""
    if not name:
        return []
    pattern = _whole_word(name, language_of(path_key, data), any_case)
    # Bytes that are no UTF-8 stay one character each, so that offsets can be counted back.
    text = data.decode("utf-8", "surrogateescape")
    return list(_located(text, pattern))


def _located(text: str, pattern: re.Pattern[str]) -> Iterator[Spot]:
    """Yield the matches; lines and bytes are counted on from the one before."""
    ascii_only = text.isascii()
    offset = place = line_start = 0
    line = 1
    for count, match in enumerate(pattern.finditer(text)):
        if count == MAX_MENTIONS:
            return
        start, end = match.span()
        if not ascii_only and _is_inside(text, start, end):
            continue
        line += text.count("\n", place, start)
        line_start = text.rfind("\n", 0, start) + 1
        offset += start - place if ascii_only else _size(text[place:start])
        place = start
        size = end - start if ascii_only else _size(match[0])
        yield Spot(offset, offset + size, line, start - line_start + 1, match[0])


def _is_inside(text: str, start: int, end: int) -> bool:
    """Return whether a mark at an end of a match makes it a part of a longer word."""
    before = is_word(text[start]) and is_mark(text[start - 1 : start])
    return before or is_mark(text[end : end + 1])


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


@lru_cache(64)
def _whole_word(name: str, language: str, any_case: bool) -> re.Pattern[str]:  # noqa: FBT001 - a key
    """Return what finds `name` where no letter of a longer name touches it."""
    more = "$" if language in _DOLLAR or "$" in name else ""
    dashed = "-" if language in _DASH or "-" in name else ""
    prime = "'" if language in _PRIME else ""
    before = rf"(?<![\w{more}{prime}{dashed}])" if _is_word(name[0], more) else ""
    after = rf"(?![\w{more}{prime}{dashed}])" if _is_word(name[-1], more) else ""
    if language in _MARKED and _is_word(name[-1], more):
        after += "(?![?!](?![=~]))"
    spelled = r"\s{0,8}".join(spelled_in_any_form(part) for part in _parts(name))
    return re.compile(before + spelled + after, re.IGNORECASE if any_case else 0)


def _parts(name: str) -> list[str]:
    """Return what blanks may stand between: `operator ()` is C++'s `operator()` as well."""
    operator = _OPERATOR.fullmatch(name)
    return [name] if operator is None else ["operator", *operator[1].split()]


def _is_word(character: str, more: str) -> bool:
    return is_word(character) or character in more or character == "-"
