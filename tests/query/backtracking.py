"""How many steps a backtracking matcher takes: a measure of patterns that no clock is needed for.

It walks what `re` parses a pattern into and counts each character and each way that is tried.
"""

import re
from collections.abc import Iterator
from functools import cache
from re import _constants as op  # type: ignore[attr-defined] # no public way to a parsed pattern
from re import _parser  # type: ignore[attr-defined] # likewise
from typing import Any

_CATEGORIES = {
    op.CATEGORY_DIGIT: str.isdigit,
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_NOT_SPACE: lambda character: not character.isspace(),
    op.CATEGORY_WORD: lambda character: character.isalnum() or character == "_",
}
_ONE = {op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN}
_FITTING: dict[tuple[int, str, int], bool] = {}
"""Characters by class and flags; the nodes of `_nodes` stay, so that their ids are unique."""


class Matcher:
    """Finds all matches in one text, or with `whole` the match of all of it, and counts.

    Attributes:
        steps: characters looked at and ways tried, in all.
        spans: of the matches, as `finditer` gives them.
    """

    def __init__(self, pattern: re.Pattern[str], text: str, *, whole: bool = False) -> None:
        self._text = text
        self.steps = 0
        self.spans: list[tuple[int, int]] = []
        nodes = _nodes(pattern, whole=whole)
        start = 0
        while start <= (0 if whole else len(text)):
            end = next(self._ways(nodes, start, pattern.flags), None)
            if end is not None:
                self.spans.append((start, end))
            start = end if end is not None and end > start else start + 1

    def _ways(self, nodes: list[Any], at: int, flags: int) -> Iterator[int]:
        """Yield where the nodes may end when they begin at `at`, in the order they are tried."""
        self.steps += 1
        if not nodes:
            yield at
            return
        for middle in self._one(*nodes[0], at, flags):
            yield from self._ways(nodes[1:], middle, flags)

    def _one(self, kind: Any, value: Any, at: int, flags: int) -> Iterator[int]:
        self.steps += 1
        if kind in _ONE:
            if at < len(self._text) and self._fits(kind, value, self._text[at], flags):
                yield at + 1
        elif kind is op.MAX_REPEAT:
            yield from self._repeat(*value[:2], list(value[2]), at, flags)
        elif kind is op.SUBPATTERN:
            _, added, removed, inner = value
            yield from self._ways(list(inner), at, (flags | added) & ~removed)
        elif kind is op.BRANCH:
            for inner in value[1]:
                yield from self._ways(list(inner), at, flags)
        elif self._holds(kind, value, at, flags):
            yield at

    def _fits(self, kind: Any, value: Any, character: str, flags: int) -> bool:
        """Say whether a character is one of a class: of some, thousands of ranges are looked at."""
        if kind is not op.IN:
            return _fits(kind, value, character, flags)
        key = (id(value), character, flags)
        if key not in _FITTING:
            _FITTING[key] = _fits(kind, value, character, flags)
        return _FITTING[key]

    def _repeat(
        self, least: int, most: Any, inner: list[Any], at: int, flags: int
    ) -> Iterator[int]:
        if len(inner) == 1 and inner[0][0] in _ONE:
            end = at
            while end - at < int(most) and next(self._one(*inner[0], end, flags), None):
                end += 1
            for stop in range(end, at + least - 1, -1):
                self.steps += 1
                yield stop
            return
        if int(most) > 0:
            for middle in self._ways(inner, at, flags):
                if middle > at:
                    yield from self._repeat(max(least - 1, 0), int(most) - 1, inner, middle, flags)
        if least == 0:
            yield at

    def _holds(self, kind: Any, value: Any, at: int, flags: int) -> bool:
        text = self._text
        if kind is op.AT:
            if value is op.AT_BOUNDARY:
                return _is_word(text, at - 1) != _is_word(text, at)
            beginning = at == 0 or (flags & re.MULTILINE and text[at - 1] == "\n")
            ending = (
                at == len(text) or text[at:] == "\n" or (flags & re.MULTILINE and text[at] == "\n")
            )
            return bool(beginning if value is op.AT_BEGINNING else ending)
        way, inner = value
        start = at if way > 0 else at - 1
        result = start >= 0 and next(self._ways(list(inner), start, flags), None) is not None
        return result == (kind is op.ASSERT)


@cache
def _nodes(pattern: re.Pattern[str], *, whole: bool) -> list[Any]:
    end = [(op.AT, op.AT_END_STRING)] if whole else []
    return [*_parser.parse(pattern.pattern, pattern.flags), *end]


def _fits(kind: Any, value: Any, character: str, flags: int) -> bool:
    forms = {character}
    if flags & re.IGNORECASE:
        forms |= {character.lower(), character.upper()}
    match kind:
        case op.ANY:
            return character != "\n"
        case op.LITERAL:
            return chr(value) in forms
        case op.NOT_LITERAL:
            return chr(value) not in forms
    negated = value[0][0] is op.NEGATE
    result = any(_in(item, form) for item in value[negated:] for form in forms)
    return result != negated


def _in(item: Any, character: str) -> bool:
    kind, value = item
    if kind is op.LITERAL:
        return ord(character) == int(value)
    if kind is op.RANGE:
        return int(value[0]) <= ord(character) <= int(value[1])
    return bool(_CATEGORIES[value](character))


def _is_word(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_")
