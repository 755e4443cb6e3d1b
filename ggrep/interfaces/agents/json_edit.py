"""Our member in a JSON or JSONC text: found, inserted and taken out by position.

All else stays as it is: comments, order, indentation, trailing commas.
"""

from collections.abc import Mapping, Sequence

from ggrep.base import stable_json
from ggrep.base.stable_json import Json
from ggrep.interfaces.agents.json_places import (
    UNIT,
    Object,
    Tokens,
    line_indent,
    own_indent,
    path_of,
    tokens_of,
    unit_of,
    value_of,
)
from ggrep.interfaces.agents.pieces import NAME, Found, JsonEntry, Splice, newline_of


def rest_of(text: str, piece: JsonEntry) -> Json:
    """Return what the text spells without our entry, nor the objects that held nothing else."""
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


def find(text: str, piece: JsonEntry) -> Found | None:
    """Return where our entry, or another of its name, stands.

    Raises:
        Refused: the text cannot be understood, or another kind of value stands on the way.
    """
    value_of(text)
    tokens = tokens_of(text)
    path = path_of(tokens, piece.keys)
    member = path[-1].member(NAME) if len(path) == len(piece.keys) + 1 else None
    if member is None:
        return None
    if tokens.has_comment(member.start, member.end):
        return Found(member.start, member.end, "")
    value = value_of(text[member.value : member.end])
    return Found(member.start, member.end, stable_json.dumps(value).decode())


def insert(text: str, piece: JsonEntry) -> Splice:
    """Return the change that adds our entry at the end of its object.

    Raises:
        Refused: as of `find`.
    """
    value_of(text)
    tokens, newline = tokens_of(text), newline_of(text)
    path = path_of(tokens, piece.keys)
    if not path:
        held = tokens.all[-1].end if tokens.all else 0
        before = newline if text and not text.endswith("\n") else ""
        inserted = before + document_of(piece).replace("\n", newline)
        return Splice(held, "", inserted, opened=len(piece.keys) + 1)
    missing = (*piece.keys, NAME)[len(path) - 1 :]
    key, value = missing[0], _nested(missing[1:], piece.value)
    return _added(tokens, path, key, value, opened=len(missing) - 1)


def remove(text: str, piece: JsonEntry, opened: int) -> Splice:
    """Return the change that takes our entry out, and what was opened for it if that is empty.

    Requires: `find` finds it.
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
    """Return a text that holds our entry alone."""
    return _spelled(_nested((*piece.keys, NAME), piece.value), "", UNIT) + "\n"


def _added(tokens: Tokens, path: list[Object], key: str, value: Json, *, opened: int) -> Splice:
    text, inside = tokens.text, path[-1]
    newline = newline_of(text)
    line = "\n" in text[inside.start : inside.end] or not inside.members
    unit, base = unit_of(text, path[0]), line_indent(text, inside.start)
    own = own_indent(text, inside.members[0].start) if inside.members else None
    indent = base + unit if own is None else own
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
    """Return where the next solid token or comment begins."""
    return next(each.start for each in tokens.all if each.start >= offset and each.kind != "space")


def _nested(keys: tuple[str, ...], value: Json) -> Json:
    for key in reversed(keys):
        value = {key: value}
    return value


def _key(key: str) -> str:
    return stable_json.dumps(key).decode()


def _spelled(value: Json, indent: str, unit: str) -> str:
    """Return JSON with a line for each member; lists stand on one."""
    if not isinstance(value, Mapping) or not value:
        if isinstance(value, Sequence) and not isinstance(value, str):
            return f"[{', '.join(stable_json.dumps(item).decode() for item in value)}]"
        return stable_json.dumps(value).decode()
    deeper = indent + unit
    lines = [f"{deeper}{_key(key)}: {_spelled(value[key], deeper, unit)}" for key in value]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
