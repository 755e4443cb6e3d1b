"""Arguments of tools: their JSON Schema, the validation of calls, and their aliases."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Json

OPTIONS: Final = "options"
"""The argument that contains rarely used arguments."""

_QUOTED: Final = re.compile(r"`(\w+)`")

Kind: TypeAlias = Literal["string", "integer", "boolean", "array", "object"]
_TYPES: Final = {"string": str, "integer": int, "boolean": bool, "object": Mapping}


class Argument(Struct, frozen=True):
    """One argument of a tool.

    Attributes:
        kind: JSON type; the items of an array are strings, an object is a part of a body.
        place: keys of the value in the body of a request; empty if it is not in the body.
        words: the allowed values; empty for any.
        also: alternative places in the body; each has its keys joined by dots.
    """

    name: str
    kind: Kind
    place: tuple[str, ...] = ()
    says: str = ""
    words: tuple[str, ...] = ()
    default: Json = None
    required: bool = False
    also: tuple[str, ...] = ()


def schema_of(arguments: Sequence[Argument], either: Collection[str] = ()) -> dict[str, Json]:
    """Return the JSON Schema of the arguments.

    The schema allows any key, because the server also accepts rare arguments and aliases. An
    argument in `either` has no type, as its value may also be an object of the request's body.
    """
    document: dict[str, Json] = {
        "type": "object",
        "properties": {argument.name: _property(argument, either) for argument in arguments},
    }
    required = [argument.name for argument in arguments if argument.required]
    return {**document, "required": required} if required else document


def _property(argument: Argument, either: Collection[str]) -> dict[str, Json]:
    document: dict[str, Json] = {} if argument.name in either else {"type": argument.kind}
    words = {"enum": list(argument.words)} if argument.words else {}
    if argument.kind == "array":
        document["items"] = {"type": "string", **words}
    else:
        document |= words
    if argument.says:
        document["description"] = argument.says
    if argument.default is not None:
        document["default"] = argument.default
    return document


def read_arguments(
    tool: str,
    arguments: Sequence[Argument],
    given: Mapping[str, object],
    rare: Sequence[Argument] = (),
) -> dict[str, object]:
    """Return the values of a call, converted to the arguments' types, with defaults added.

    Null means that an argument is not given, as some clients send all arguments. Arguments in
    `rare` may also be given as `key=value` in the argument `options`.

    Raises:
        InvalidRequest: an argument is missing, given twice or of another type.
    """
    values: dict[str, object] = {}
    for argument in (each for each in (*arguments, *rare) if each.name != OPTIONS):
        value = given.get(argument.name)
        if value is None and argument.required:
            raise InvalidRequest(f"{tool}: the argument {argument.name!a} is missing")
        if value is not None:
            values[argument.name] = _typed(tool, argument, value)
    options = _read_options(tool, given.get(OPTIONS) if rare else None, rare)
    for name in sorted(values.keys() & options.keys()):
        if values[name] != options[name]:
            raise InvalidRequest(f"{tool}: {name} is given both as an argument and in {OPTIONS}")
    usual = {each.name: each.default for each in (*arguments, *rare) if each.default is not None}
    return usual | values | options


def _read_options(tool: str, options: object, rare: Sequence[Argument]) -> dict[str, object]:
    """Return the values of `key=value` texts; if a key is repeated, the last; an array gets all."""
    known = {argument.name: argument for argument in rare}
    values: dict[str, object] = {}
    if options is None:
        return values
    texts = _typed(tool, Argument(OPTIONS, "array"), options)
    for option in texts if isinstance(texts, list) else ():
        key, equals, text = str(option).partition("=")
        if key not in known or not equals:
            named = ", ".join(f"{name}=" for name in known)
            raise InvalidRequest(f"{tool}: unknown option {option!a:.80}; known options: {named}")
        value = _typed(tool, known[key], _meant(known[key], text))
        earlier = values.get(key)
        if isinstance(earlier, list) and isinstance(value, list):
            value = [*earlier, *value]
        values[key] = value
    return values


def _meant(argument: Argument, text: str) -> object:
    """Return a text converted to the argument's type; unchanged if that is not possible."""
    if argument.kind == "integer" and text.removeprefix("-").isdecimal() and text.isascii():
        return int(text)
    if argument.kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), text)
    return text


def _typed(tool: str, argument: Argument, value: object) -> object:
    if isinstance(value, float) and argument.kind == "integer" and value.is_integer():
        return int(value)  # JSON does not distinguish integers; some clients write 10 as 10.0
    if isinstance(value, str) and argument.kind == "array":
        return [value]
    if not _is(argument.kind, value):
        wanted = "an array of strings" if argument.kind == "array" else f"of type {argument.kind}"
        raise InvalidRequest(
            f"{tool}: the argument {argument.name} must be {wanted}, is {value!a:.80}"
        )
    return value


def _is(kind: Kind, value: object) -> bool:
    if kind == "array":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, _TYPES[kind]) and not (kind == "integer" and isinstance(value, bool))


def body_of(arguments: Sequence[Argument], values: Mapping[str, object]) -> dict[str, object]:
    """Return a request body in which each value is at its argument's place."""
    body: dict[str, object] = {}
    for argument in arguments:
        if argument.place and argument.name in values:
            *parts, key = argument.place
            holder: Any = body
            for part in parts:
                holder = holder.setdefault(part, {})
            if isinstance(holder, dict):
                holder[key] = values[argument.name]
    return body


def in_flat_words(text: str, arguments: Sequence[Argument]) -> str:
    """Return a message that names arguments of tools instead of places in the body."""
    places = {"$." + ".".join(argument.place): argument.name for argument in arguments}
    for place in sorted(places, key=lambda place: (-len(place), place)):
        if place != "$.":
            text = text.replace(place, places[place])
    # The body's `mode` is not the argument `mode`.
    keys = {place.rpartition(".")[2]: name for place, name in places.items()}
    return _QUOTED.sub(lambda match: f"`{keys.get(match[1], match[1])}`", text)


ALSO: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "top": ("top_k", "max_results", "limit"),
        "limit": ("top", "top_k", "max_symbols", "max_references"),
        "root": ("repo_root", "repo"),
        "workspace": ("workspace_path", "workspace_id"),
        "select": ("repos",),
        "tags": ("tag",),
        "filter": ("filters",),
        "merge": ("strategy",),
        "per_repo_top": ("top_per_repo",),
        "session": ("session_token", "token"),
        "max_bytes": ("max_slate_bytes", "max_expand_bytes"),
        "max_file_bytes": ("max_slate_file_bytes",),
        "max_files": ("max_slate_files",),
        "evidence": ("max_evidence_per_file",),
        "name": ("symbol",),
        "target": ("path", "file", "row_id"),
    }
)
"""Aliases by main name, in lower case with underscores, the form for comparing spellings."""


def in_our_words(
    tool: str,
    arguments: Sequence[Argument],
    values: Mapping[str, object],
    elsewhere: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, object]:
    """Return the values of a call under the arguments' main names; values are not checked.

    Raises:
        InvalidRequest: a name is unknown, or two names of one argument have different values.
    """
    spelt: dict[str, str] = {}
    values_by_name: dict[str, object] = {}
    parts = {each.place[0] for each in arguments if len(each.place) > 1}
    for word, value in _flat(arguments, values):
        name = _ours(word, arguments)
        if name is None and word in parts:
            raise InvalidRequest(f"{tool}: the argument {word} must be an object, is {value!a:.80}")
        if name is None:
            raise InvalidRequest(_unknown(tool, word, arguments, elsewhere))
        if value is None and name in values_by_name:
            continue
        if values_by_name.get(name) is not None and values_by_name[name] != value:
            raise InvalidRequest(
                f"{tool}: {spelt[name]} and {word} have the same meaning; use one of them"
            )
        spelt[name], values_by_name[name] = word, value
    return values_by_name


def _flat(
    arguments: Sequence[Argument], values: Mapping[str, object]
) -> Iterator[tuple[str, object]]:
    """Yield sorted names and values; an object yields its members, with keys joined by dots."""
    heads = {argument.place[0] for argument in arguments if len(argument.place) > 1}
    for name in sorted(values):
        value = values[name]
        if isinstance(value, Mapping) and name in heads:
            yield from ((f"{name}.{key}", each) for key, each in sorted(value.items()))
        else:
            yield name, value


def snake_case(name: str) -> str:
    """Return a name in lower case with underscores between its words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().replace("-", "_")


def _ours(word: str, arguments: Sequence[Argument]) -> str | None:
    """Return the main name of an argument from any of its names; None for an unknown name."""
    named = {each.name for each in arguments}
    if "." in word:
        meant = (each for each in arguments if word in {".".join(each.place), *each.also})
        return next((each.name for each in meant), None)
    plain = snake_case(word)
    if word in named or plain in named:
        return word if word in named else plain
    return next((name for name, also in ALSO.items() if name in named and plain in also), None)


def _unknown(
    tool: str, word: str, arguments: Sequence[Argument], elsewhere: Mapping[str, str]
) -> str:
    known = [each.name for each in arguments]
    if tools := elsewhere.get(word):
        meant = f"; tools with this argument: {tools}"
    else:
        from difflib import get_close_matches

        close = get_close_matches(word.rpartition(".")[2], known, n=1)
        meant = f"; did you mean {close[0]}?" if close else ""
    return f"{tool}: unknown argument {word!a:.80}{meant}; known arguments: {', '.join(known)}"
