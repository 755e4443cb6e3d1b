"""Finds, inserts and removes ggrep's member in a JSON or JSONC text, without reformatting it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.stable_json import Json
from ggrep.federation.jsonc import TRIVIA, JsoncError, Token, place, read_jsonc, scan
from ggrep.interfaces.agents.text_edit import (
    NAME,
    FoundEntry,
    JsonEntry,
    Refused,
    Splice,
    newline_of,
)

UNIT: Final = "  "
"""Indentation for a text without indented members."""

_PARSE_MS: Final = 30_000.0
_KEPT: Final = 4
"""Number of cached parsed texts: each is used several times, and Claude Code's has megabytes."""


class Member(Struct, frozen=True):
    """A member of a JSON object, with its offsets in the text.

    Attributes:
        at: index of the value's first token.
        comma: offset of the comma after the member; None without a comma.
    """

    key: str
    start: int
    at: int
    value: int
    end: int
    comma: int | None


class Object(Struct, frozen=True):
    """An object's members, and the offsets of its start and end."""

    start: int
    end: int
    members: tuple[Member, ...]

    def member(self, key: str) -> Member | None:
        """Return the member with a key; None if there is none."""
        return next((each for each in self.members if each.key == key), None)


class Tokens(Struct, frozen=True):
    """A text and its tokens; `solid` contains the tokens that are neither blanks nor comments."""

    text: str
    all: tuple[Token, ...]
    solid: tuple[Token, ...]

    def object_at(self, at: int) -> Object | None:
        """Return the object that begins at a solid token; None if the value is not an object."""
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
        """Return whether a comment begins between two offsets."""
        kinds = {each.kind for each in self.all if start <= each.start < end}
        return not kinds.isdisjoint({"line", "block"})

    def end_of_line(self, offset: int) -> int:
        """Return the offset after the comments that follow `offset` on the same line."""
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
    """Return the parsed value of a text; None for an empty text."""
    try:
        return read_jsonc(text, Deadline.after(SystemClock(), _PARSE_MS))
    except JsoncError as error:
        if error.reason == "empty":
            return None
        raise Refused(f"the file is not valid JSON: {error}") from error


@lru_cache(maxsize=_KEPT)
def tokens_of(text: str) -> Tokens:
    """Return the tokens of a text that is JSON."""
    every = tuple(scan(text))
    return Tokens(text, every, tuple(each for each in every if each.kind not in TRIVIA))


def path_of(tokens: Tokens, keys: Sequence[str]) -> list[Object]:
    """Return the nested objects at `keys` that exist, the outermost first."""
    if not tokens.solid:
        return []
    objects, at, where = list[Object](), 0, "the outermost value"
    for key in (*keys, None):
        inside = tokens.object_at(at)
        if inside is None:
            line = place(tokens.text, tokens.solid[at].start)
            raise Refused(f"{line}: {where} is not an object")
        objects.append(inside)
        member = None if key is None else inside.member(key)
        if member is None:
            break
        at, where = member.at, f"`{key}`"
    return objects


def own_indent(text: str, offset: int) -> str | None:
    """Return the blanks before `offset` on its line; None if the line has text before it."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return None if line.strip(" \t") else line


def line_indent(text: str, offset: int) -> str:
    """Return the indentation of the line that contains `offset`."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def unit_of(text: str, outermost: Object) -> str:
    """Return the text's unit of indentation."""
    indents = (own_indent(text, member.start) for member in outermost.members)
    return next(filter(None, indents), UNIT)


def rest_of(text: str, piece: JsonEntry) -> Json:
    """Return the text's value without ggrep's entry and without objects that contain only it."""
    value = value_of(text)
    return _without(value, (*piece.keys, NAME))


def _without(value: Json, keys: tuple[str, ...]) -> Json:
    if not isinstance(value, Mapping) or not keys:
        return value
    if len(keys) == 1:
        left: dict[str, Json] = {key: value[key] for key in value if key != keys[0]}
    else:
        left = {
            key: _without(value[key], keys[1:]) if key == keys[0] else value[key] for key in value
        }
        if not left.get(keys[0], True):
            del left[keys[0]]
    return left


def find(text: str, piece: JsonEntry) -> FoundEntry | None:
    """Return ggrep's entry, or a foreign entry with the same name."""
    value_of(text)
    tokens = tokens_of(text)
    path = path_of(tokens, piece.keys)
    member = path[-1].member(NAME) if len(path) == len(piece.keys) + 1 else None
    if member is None:
        return None
    if tokens.has_comment(member.start, member.end):
        return FoundEntry(member.start, member.end, "")
    value = value_of(text[member.value : member.end])
    return FoundEntry(member.start, member.end, stable_json.dumps(value).decode())


def insert(text: str, piece: JsonEntry) -> Splice:
    """Return the change that adds ggrep's entry at the end of an object."""
    value_of(text)
    tokens, newline = tokens_of(text), newline_of(text)
    path = path_of(tokens, piece.keys)
    if not path:
        end = tokens.all[-1].end if tokens.all else 0
        before = newline if text and not text.endswith("\n") else ""
        inserted = before + document_of(piece).replace("\n", newline)
        return Splice(end, "", inserted, opened=len(piece.keys) + 1)
    missing = (*piece.keys, NAME)[len(path) - 1 :]
    key, value = missing[0], _nested(missing[1:], piece.value)
    return _added(tokens, path, key, value, opened=len(missing) - 1)


def remove(text: str, piece: JsonEntry, opened: int) -> Splice:
    """Return the change that removes ggrep's entry and up to `opened` objects that become empty.

    Requires: `find` returns an entry.
    """
    tokens = tokens_of(text)
    path = path_of(tokens, piece.keys)
    names = (*piece.keys, NAME)
    depth = len(path) - 1
    while opened and depth and len(path[depth].members) == 1:
        if tokens.has_comment(path[depth].start, path[depth].end):
            break
        opened, depth = opened - 1, depth - 1
    inside = path[depth]
    place_in = next(i for i, each in enumerate(inside.members) if each.key == names[depth])
    member = inside.members[place_in]
    start, end = member.start, member.end
    if member.comma is not None:
        end = member.comma + 1
        end += len(text[end:]) - len(text[end:].lstrip(" \t\r\n"))
        return Splice(start, text[start:end], "")
    start = len(text[:start].rstrip(" \t\r\n"))
    before = inside.members[place_in - 1].comma if place_in else None
    if before is None:
        after = len(text[:end]) + len(text[end:]) - len(text[end:].lstrip(" \t\r\n"))
        end = after if start == inside.start + 1 and text[after] == "}" else end
        return Splice(start, text[start:end], "")
    return Splice(before, text[before:end], text[before + 1 : start])


def document_of(piece: JsonEntry) -> str:
    """Return a JSON text that contains only ggrep's entry."""
    return _spelled(_nested((*piece.keys, NAME), piece.value), "", UNIT) + "\n"


def _added(tokens: Tokens, path: list[Object], key: str, value: Json, *, opened: int) -> Splice:
    text, inside = tokens.text, path[-1]
    newline = newline_of(text)
    line = "\n" in text[inside.start : inside.end] or not inside.members
    unit, base = unit_of(text, path[0]), line_indent(text, inside.start)
    member_indent = own_indent(text, inside.members[0].start) if inside.members else None
    indent = base + unit if member_indent is None else member_indent
    if not line:
        last = inside.members[-1]
        member = f"{_key(key)}: {stable_json.dumps(value).decode()}"
        at = last.end if last.comma is None else last.comma + 1
        inserted = f", {member}" if last.comma is None else f" {member},"
        return Splice(at, "", inserted, opened)
    member = f"{indent}{_key(key)}: {_spelled(value, indent, unit)}".replace("\n", newline)
    if inside.members:
        last = inside.members[-1]
        at = last.end if last.comma is None else last.comma + 1
        end = tokens.end_of_line(at)
        comma = "," if last.comma is not None else ""
        lead = "" if last.comma is not None else ","
        tail = "" if "\n" in text[end : _next(tokens, end)] else newline + base
        kept = text[at:end]
        return Splice(at, kept, f"{lead}{kept}{newline}{member}{comma}{tail}", opened)
    closing = inside.end - 1
    kept = text[inside.start + 1 : closing]
    if not kept.strip():
        return Splice(inside.start + 1, kept, f"{newline}{member}{newline}{base}", opened)
    at = inside.start + 1 + len(kept.rstrip())
    tail = "" if "\n" in text[at:closing] else newline + base
    return Splice(at, "", f"{newline}{member}{tail}", opened)


def _next(tokens: Tokens, offset: int) -> int:
    """Return the offset of the next token or comment."""
    return next(each.start for each in tokens.all if each.start >= offset and each.kind != "space")


def _nested(keys: tuple[str, ...], value: Json) -> Json:
    for key in reversed(keys):
        value = {key: value}
    return value


def _key(key: str) -> str:
    return stable_json.dumps(key).decode()


def _spelled(value: Json, indent: str, unit: str) -> str:
    """Return JSON with one line for each member; a list takes one line."""
    if not isinstance(value, Mapping) or not value:
        if isinstance(value, Sequence) and not isinstance(value, str):
            return f"[{', '.join(stable_json.dumps(item).decode() for item in value)}]"
        return stable_json.dumps(value).decode()
    deeper = indent + unit
    lines = [f"{deeper}{_key(key)}: {_spelled(value[key], deeper, unit)}" for key in value]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
