"""Where things stand in a JSON or JSONC text: objects, members, indentation."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.stable_json import Json
from ggrep.federation.jsonc import TRIVIA, JsoncError, Token, place, read_jsonc, scan
from ggrep.interfaces.agents.pieces import Refused

UNIT: Final = "  "
"""One step of indentation where a text shows none."""

_PARSE_MS: Final = 30_000.0
_KEPT: Final = 4
"""Texts that are kept, read: each is looked at several times, and Claude Code's has megabytes."""


class Member(Struct, frozen=True):
    """A member of an object; offsets in the text.

    Attributes:
        at: index of the value's first token.
        comma: behind it; None where there is none.
    """

    key: str
    start: int
    at: int
    value: int
    end: int
    comma: int | None


class Object(Struct, frozen=True):
    """An object's members, and where it begins and ends."""

    start: int
    end: int
    members: tuple[Member, ...]

    def member(self, key: str) -> Member | None:
        """Return the member of a key."""
        return next((each for each in self.members if each.key == key), None)


class Tokens(Struct, frozen=True):
    """A text and its tokens; `solid` are those that are neither blanks nor comments."""

    text: str
    all: tuple[Token, ...]
    solid: tuple[Token, ...]

    def object_at(self, at: int) -> Object | None:
        """Return the object that begins at a solid token; None where another value does."""
        opening = self.solid[at]
        if self.text[opening.start] != "{":
            return None
        members, at = list[Member](), at + 1
        while self.solid[at].depth > opening.depth:
            key, first = self.solid[at], self.solid[at + 2]
            index = last = at + 2
            if self.text[first.start] in "{[":
                last += 1
                while self.solid[last].depth > first.depth:
                    last += 1
            at = last + 1
            comma = self.solid[at].start if self.text[self.solid[at].start] == "," else None
            at += comma is not None
            name = str(stable_json.loads(self.text[key.start : key.end]))
            end = self.solid[last].end
            members.append(Member(name, key.start, index, first.start, end, comma))
        return Object(opening.start, self.solid[at].end, tuple(members))

    def has_comment(self, start: int, end: int) -> bool:
        """Return whether a comment stands between two offsets."""
        kinds = {each.kind for each in self.all if start <= each.start < end}
        return not kinds.isdisjoint({"line", "block"})

    def end_of_line(self, offset: int) -> int:
        """Return the offset behind the comments that follow `offset` on its line."""
        end = offset
        for token in self.all:
            if token.start < offset:
                continue
            is_blank = token.kind == "space" and "\n" not in self.text[token.start : token.end]
            if token.kind not in {"line", "block"} and not is_blank:
                break
            end = end if is_blank else token.end
        return end


@lru_cache(maxsize=_KEPT)
def value_of(text: str) -> Json:
    """Return what the text spells; None where it holds nothing.

    Raises:
        Refused: it is no JSON, or an object in it names a key twice.
    """
    try:
        return read_jsonc(text, Deadline.after(SystemClock(), _PARSE_MS))
    except JsoncError as error:
        if error.reason == "empty":
            return None
        raise Refused(f"it is not valid JSON: {error}") from error


@lru_cache(maxsize=_KEPT)
def tokens_of(text: str) -> Tokens:
    """Return the tokens of a text that is JSON."""
    every = tuple(scan(text))
    return Tokens(text, every, tuple(each for each in every if each.kind not in TRIVIA))


def path_of(tokens: Tokens, keys: Sequence[str]) -> list[Object]:
    """Return the objects along `keys` as far as there are any, the outermost first."""
    if not tokens.solid:
        return []
    found, at, where = list[Object](), 0, "the outermost value"
    for key in (*keys, None):
        inside = tokens.object_at(at)
        if inside is None:
            line = place(tokens.text, tokens.solid[at].start)
            raise Refused(f"{line}: {where} is not an object")
        found.append(inside)
        member = None if key is None else inside.member(key)
        if member is None:
            break
        at, where = member.at, f"`{key}`"
    return found


def own_indent(text: str, offset: int) -> str | None:
    """Return the blanks before `offset`; None where something else stands before it on its line."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return None if line.strip(" \t") else line


def line_indent(text: str, offset: int) -> str:
    """Return the blanks that the line of `offset` begins with."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def unit_of(text: str, outermost: Object) -> str:
    """Return one step of the text's indentation."""
    indents = (own_indent(text, member.start) for member in outermost.members)
    return next(filter(None, indents), UNIT)
