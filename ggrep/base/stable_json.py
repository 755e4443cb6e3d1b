"""Canonical JSON bytes of values, and Structs decoded from JSON values."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import orjson
from msgspec import ValidationError, convert, to_builtins

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
Document: TypeAlias = Mapping[str, object]
"""A document of a declared shape (`ggrep.model.schemas`), which is JSON for type checkers."""

_NO_JSON: Final = (bytes, bytearray)
"""Types that msgspec would write as base64; they are refused."""


def dumps(value: Json | Document | Sequence[Document]) -> bytes:
    """Return `value` as UTF-8 JSON: keys sorted, no white space, non-ASCII as it is.

    A Struct is the object of its fields.

    Raises:
        TypeError: `value` contains a type without JSON, or a string with a lone surrogate.
    """
    return _encoded(value, orjson.OPT_SORT_KEYS)


def dumps_pretty(value: Json | Document) -> bytes:
    """Return `value` as indented UTF-8 JSON with sorted keys and a final newline."""
    options = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return _encoded(value, options)


def plain(value: object) -> Any:  # noqa: ANN401 - JSON is whatever it is
    """Return a value of Structs, tuples and texts as objects, lists and texts."""
    return orjson.loads(_encoded(value, 0))


def written(data: bytes) -> Any:  # noqa: ANN401 - JSON is whatever it is
    """Return a value that `dumps` writes as these bytes, which it has returned before."""
    return orjson.Fragment(data)


def parsed(document: Document) -> Document:
    """Return a document with the values that `written` made as plain values."""
    return {
        name: loads(orjson.dumps(value)) if isinstance(value, orjson.Fragment) else value
        for name, value in document.items()
    }


def loads(data: bytes | str) -> Any:  # noqa: ANN401 - JSON is whatever it is
    """Return the value of the JSON `data`.

    Raises:
        ValueError: `data` is not JSON.
    """
    return orjson.loads(data)


def _encoded(value: object, options: int) -> bytes:
    # orjson calls no Python function: an alarm or Ctrl-C in one would be lost, or end the process.
    try:
        return orjson.dumps(value, None, options)
    except TypeError:  # a Struct, or not JSON
        values = to_builtins(value, builtin_types=_NO_JSON, order="deterministic")
        return orjson.dumps(values, None, options)


T = TypeVar("T")

_MOST_CHARACTERS: Final = 300
"""Longest message: a refused value may be as long as a file."""
_MISSING: Final = "Object missing required field "


class DecodeError(ValueError):
    """A value does not fit; the message names its place, `$.segments[0].rows`, and the type."""


def decode(kind: type[T], value: object, place: str = "$") -> T:
    """Return `value` as a `kind`: a Struct, tuple, enum, optional or plain JSON type.

    Unknown keys of an object are ignored, so that a newer minor writer can be read; missing ones
    get their field's default, so that an older one can.

    Raises:
        DecodeError: a field is missing or of another type.
    """
    try:
        return convert(value, kind)
    except ValidationError as error:
        raise DecodeError(f"{place}{_message(str(error))}"[:_MOST_CHARACTERS]) from error


def _message(text: str) -> str:
    """Return an error of msgspec as `.place: reason`."""
    reason, _, path = text.replace("`", "").partition(" - at $")
    if reason.startswith(_MISSING):
        return f"{path}.{reason.removeprefix(_MISSING)}: missing"
    reason = reason.replace("Invalid enum value", "unknown value").replace(", got ", ", found ")
    return f"{path}: {reason[:1].lower()}{reason[1:]}"
