"""Encodes domain values as JSON, and decodes them."""

import math
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any, Final, TypeVar

from msgspec import Struct

from ggrep.base.decode import DecodeError, decode
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Json
from ggrep.protocol.wire.fields import text_bytes

T = TypeVar("T")

_MESSAGE_CHARACTERS: Final = 300


def to_json(value: object) -> Json:
    """Return a frozen dataclass as JSON: enums by value, tuples and pairs as arrays.

    `from_json` brings it back, floats to the bit.

    Raises:
        InvalidRequest: a string holds half of a surrogate pair.
        ValueError: a number is not finite.
        TypeError: a value of a kind that the domain does not have.
    """
    found: Json
    match value:
        case None | bool() | int():
            found = value
        case str():
            found = _text(value)
        case float():
            found = _number(value)
        case Enum():
            found = to_json(value.value)
        case tuple() | list():
            # Vectors and postings are long and hold nothing but whole numbers.
            found = [item if type(item) is int else to_json(item) for item in value]
        case Mapping():
            found = {_text(key): to_json(item) for key, item in value.items()}
        case _:
            kind: Any = type(value)
            found = {name: to_json(getattr(value, name)) for name in _names(kind)}
    return found


def from_json(kind: type[T], value: object, place: str) -> T:
    """Return JSON as a `kind`; `place` is its name in the message.

    Raises:
        InvalidRequest: it does not fit; the message names the field.
    """
    try:
        return decode(kind, value, place)
    except DecodeError as error:
        raise InvalidRequest(str(error)[:_MESSAGE_CHARACTERS]) from error
    except OverflowError as error:  # an integer too large for a field that takes fractions
        raise InvalidRequest(f"{place}: a number is out of range") from error


@cache
def _names(kind: type) -> tuple[str, ...]:
    if not issubclass(kind, Struct):
        raise TypeError(f"no JSON for a {kind.__name__}")
    return kind.__struct_fields__


def _text(value: str) -> str:
    if not value.isascii():
        text_bytes(value, "text")
    return value


def _number(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{value} has no JSON")
    return value
