"""Converts values to canonical JSON bytes, and JSON values to Structs."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias, TypeVar

import orjson
from msgspec import Raw, ValidationError, convert, to_builtins
from msgspec.json import Decoder

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
Document: TypeAlias = Mapping[str, object]
"""A document of a declared shape (`ggrep.model.schemas`), which is JSON for type checkers."""

_NO_JSON: Final = (bytes, bytearray)
"""Types that msgspec would write as base64, and that are refused."""


def dumps(value: Json | Document | Sequence[Document]) -> bytes:
    """Return `value` as UTF-8 JSON with sorted keys and without whitespace or ASCII escapes.

    A Struct becomes the object of its fields.

    Raises:
        TypeError: `value` contains a type that JSON lacks, or a string with a lone surrogate.
    """
    return _encoded(value, orjson.OPT_SORT_KEYS)


def dumps_pretty(value: Json | Document) -> bytes:
    """Return `value` as indented UTF-8 JSON with sorted keys and a final newline."""
    options = orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return _encoded(value, options)


def plain(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value with Structs and tuples converted to dictionaries and lists."""
    return orjson.loads(_encoded(value, 0))


def written(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return a value that `dumps` copies as `data`; `data` must be a result of `dumps`."""
    return orjson.Fragment(data)


def parsed(document: Document) -> Document:
    """Return a document in which values from `written` are parsed to plain values."""
    return {
        name: loads(orjson.dumps(value)) if isinstance(value, orjson.Fragment) else value
        for name, value in document.items()
    }


def loads(data: bytes | str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of the JSON `data`.

    Raises:
        ValueError: `data` is not JSON.
    """
    return orjson.loads(data)


_PART_BYTES: Final = 1 << 20
_PART_LEVELS: Final = 4
"""Objects and arrays are split down to this depth: each level reads the text again."""

_SPLIT: Final = Decoder(dict[str, Raw] | list[Raw])


def loads_in_parts(data: bytes | memoryview, levels: int = _PART_LEVELS) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of the JSON `data`, whose large objects and arrays are parsed in parts.

    While a part is parsed, no other thread runs.

    Raises:
        ValueError: `data` is not JSON.
    """
    parts: dict[str, Raw] | list[Raw] | None = None
    if levels and len(data) > _PART_BYTES:
        with suppress(ValueError, RecursionError):  # a long string, or an invalid text
            parts = _SPLIT.decode(data)
    if isinstance(parts, dict):
        return {name: loads_in_parts(memoryview(part), levels - 1) for name, part in parts.items()}
    if isinstance(parts, list):
        return [loads_in_parts(memoryview(part), levels - 1) for part in parts]
    return orjson.loads(data)


def _encoded(value: object, options: int) -> bytes:
    # orjson must not call Python functions: it would lose an alarm or Ctrl-C in them, or crash.
    try:
        return orjson.dumps(value, None, options)
    except TypeError:  # the value contains a Struct, or is not JSON
        values = to_builtins(value, builtin_types=_NO_JSON, order="deterministic")
        return orjson.dumps(values, None, options)


T = TypeVar("T")

_MOST_CHARACTERS: Final = 300
"""Maximum length of a message, as an invalid value can be as long as a file."""
_MISSING: Final = "Object missing required field "


class DecodeError(ValueError):
    """A value has the wrong type; the message contains its type and place: `$.segments[0].rows`."""


def decode(kind: type[T], value: object, place: str = "$") -> T:
    """Return `value` as a `kind`: a Struct, tuple, enum, optional or plain JSON type.

    Unknown keys of an object are ignored, as a newer minor version may add keys. Missing keys get
    their field's default, as an older version may lack them.

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
