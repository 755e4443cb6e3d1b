"""Finds whole-word occurrences of a name in a file, and describes each occurrence.

The characters that a name may contain depend on the language. This module does not use a parser.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.base.scripts import is_mark, is_word
from ggrep.model.corpus import Corpus
from ggrep.model.written_names import name_readings, word_pattern
from ggrep.parse.languages.registry import corpus_of_language, language_of

MAX_MENTIONS: Final = 5_000
"""Maximum number of occurrences to return for one file."""

PlaceKind: TypeAlias = Literal["definition", "usage", "string", "comment"]
Role: TypeAlias = Literal["", "handles", "implements", "import", "receiver"]
"""Purpose of a usage, if syntax distinguishes it from reads and calls."""

_PROGRAMS: Final = frozenset(
    {
        *("avro", "capnp", "cue", "dockerfile", "graphql", "hcl", "jenkinsfile", "jsonnet"),
        *("prisma", "proto", "sql", "thrift"),
    }
)
"""Data languages in which names are used as in code."""


class Defined(Struct, frozen=True, array_like=True):
    """A definition.

    Attributes:
        kind: kind as in an `Outline`; `field` for a constant of a class.
        start_line: 1-based; leading comments and decorators are included.
        declared_only: the definition has no body here, like a prototype.
        signature: head of the definition on one line; a constant or field includes the value.
        doc: documentation of the definition, without comment marks.
    """

    kind: str
    start_line: int
    end_line: int
    declared_only: bool
    signature: str
    doc: str


class Occurrence(Struct, frozen=True, array_like=True):
    """One occurrence of the whole name.

    Attributes:
        line: 1-based, like `column`, which counts characters.
        text: the name as it is spelled at this position.
        container: qualified name of the surrounding definitions; empty at the top level.
        defined: the definition that the occurrence names; None for a usage, and for a further name
            of the same definition (the second clause of a function).
        role: role of a usage: an import, a type whose methods are declared, a type that another
            type implements, or something that the surrounding code handles.
        test: the occurrence is in a test in a source file, or in code that only runs as a script.
        bases: for a defined member, names in the head of its type, except the type's name.
        receiver: type of the member's receiver, if the surrounding code states it; only for names
            that were requested with a container.
        source: for an import, the module as written.
        methods: for a method or an interface of Go, as `name/number of parameters`; for an
            interface also the names of embedded interfaces.
        type: for a usage with the role `implements`, the implementing type.
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
    receiver: str = ""
    source: str = ""
    methods: tuple[str, ...] = ()
    type: Defined | None = None


class Spot(Struct, frozen=True):
    """A match: its byte range in the file, and its line and column."""

    start: int
    end: int
    line: int
    column: int
    text: str


def mentions_by_words(
    path_key: str, data: bytes, name: str, *, any_case: bool = False
) -> tuple[Occurrence, ...]:
    """Return the occurrences of `name` without parsing the file; see `by_words`."""
    return by_words(path_key, data, spots(path_key, data, name, any_case=any_case))


def by_words(path_key: str, data: bytes, matches: Iterable[Spot]) -> tuple[Occurrence, ...]:
    """Return occurrences in an unparsed file: in code as usages, in other files as comments."""
    language = language_of(path_key, data)
    is_code = corpus_of_language(language) is Corpus.CODE or language in _PROGRAMS
    kind: PlaceKind = "usage" if is_code else "comment"
    return tuple(Occurrence(spot.line, spot.column, spot.text, kind) for spot in matches)


def spots(path_key: str, data: bytes, name: str, *, any_case: bool = False) -> list[Spot]:
    """Return the occurrences of a requested name as a whole word.

    If the name can be read in several ways in a language, the first way with a match counts.
    """
    language = language_of(path_key, data)
    # Each byte that is not UTF-8 becomes one character, so that byte offsets can be computed.
    text = data.decode("utf-8", "surrogateescape")
    for reading in name_readings(name, language):
        matches = list(_located(text, word_pattern(reading.last, language, any_case)))
        if matches:
            return matches
    return []


def count_words(text: str, name: str, language: str, *, any_case: bool) -> int:
    """Return how often a requested name occurs in a text as a whole word; see `spots`."""
    for reading in name_readings(name, language):
        pattern = word_pattern(reading.last, language, any_case)
        ends = [match.span() for match in pattern.finditer(text)]
        if not text.isascii():
            ends = [span for span in ends if not _is_inside(text, *span)]
        if ends:
            return len(ends)
    return 0


def _located(text: str, pattern: re.Pattern[str]) -> Iterator[Spot]:
    """Yield the matches; computes lines and byte offsets incrementally."""
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
    """Return whether a combining mark beside a match makes it a part of a longer word."""
    before = is_word(text[start]) and is_mark(text[start - 1 : start])
    return before or is_mark(text[end : end + 1])


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
