"""The arguments of a tool: the schema that clients see, and the check of what they send.

Schemas are flat: a property has one type and no union, as some clients take nothing else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeAlias

from ggrep.errors import InvalidRequest
from ggrep.stable_json import Json

Kind: TypeAlias = Literal["string", "integer", "boolean", "array"]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool.

    Attributes:
        kind: its JSON type; an array holds strings.
        place: where its value stands in the body of a request; empty where there is no body.
        says: its description; empty where the name says it all.
        words: the values it may have; empty for any.
        default: what is in force where it is not given; None where that is not one value.
    """

    name: str
    kind: Kind
    place: tuple[str, ...] = ()
    says: str = ""
    words: tuple[str, ...] = ()
    default: Json = None
    required: bool = False


def schema_of(arguments: Sequence[Argument]) -> dict[str, Json]:
    """Return the JSON Schema of an object that holds the arguments and nothing else."""
    document: dict[str, Json] = {
        "type": "object",
        "properties": {argument.name: _property(argument) for argument in arguments},
        "additionalProperties": False,
    }
    required = [argument.name for argument in arguments if argument.required]
    return {**document, "required": required} if required else document


def _property(argument: Argument) -> dict[str, Json]:
    document: dict[str, Json] = {"type": argument.kind}
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
    tool: str, arguments: Sequence[Argument], given: Mapping[str, object]
) -> dict[str, object]:
    """Return the values that were given, each of its argument's type, with defaults filled in.

    Null stands for an argument that is not given, as some clients send every one they know.

    Raises:
        InvalidRequest: an argument is unknown, missing or of another type; the message names it.
    """
    known = {argument.name: argument for argument in arguments}
    for name in sorted(given.keys() - known.keys()):
        raise InvalidRequest(_unknown(tool, name, list(known)))
    values: dict[str, object] = {}
    for name, argument in known.items():
        value = given.get(name)
        if value is None and argument.required:
            raise InvalidRequest(f"{tool}: the argument {name!a} is missing")
        value = argument.default if value is None else value
        if value is not None:
            values[name] = _typed(tool, argument, value)
    return values


def _unknown(tool: str, name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    meant = f"; did you mean {close[0]}?" if close else ""
    return f"{tool}: unknown argument {name!a}{meant}; it takes {', '.join(known)}"


def _typed(tool: str, argument: Argument, value: object) -> object:
    if isinstance(value, float) and argument.kind == "integer" and value.is_integer():
        return int(value)  # JSON has one kind of number; some clients write 10 as 10.0
    if isinstance(value, str) and argument.kind == "array":
        return [value]
    if not _is(argument.kind, value):
        wanted = "an array of strings" if argument.kind == "array" else f"of type {argument.kind}"
        raise InvalidRequest(f"{tool}: {argument.name} must be {wanted}, is {value!a:.80}")
    return value


def _is(kind: Kind, value: object) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list) and all(isinstance(item, str) for item in value)


def body_of(arguments: Sequence[Argument], values: Mapping[str, object]) -> dict[str, object]:
    """Return the request body that holds each value where its argument belongs."""
    body: dict[str, object] = {}
    for argument in arguments:
        if argument.place and argument.name in values:
            _put(body, argument.place, values[argument.name])
    return body


def _put(body: dict[str, object], place: tuple[str, ...], value: object) -> None:
    if len(place) == 1:
        body[place[0]] = value
        return
    inner = body.setdefault(place[0], {})
    if isinstance(inner, dict):
        _put(inner, place[1:], value)


def in_flat_words(text: str, arguments: Sequence[Argument]) -> str:
    """Return a message with the arguments' names where it has their places in the body."""
    places = {"$." + ".".join(argument.place): argument.name for argument in arguments}
    for place in sorted(places, key=lambda place: (-len(place), place)):
        if place != "$.":
            text = text.replace(place, places[place])
    return text
