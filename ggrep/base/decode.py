"""Converts JSON values to Structs and checks every field's type.

Files that we wrote may come back damaged, and messages come from other processes: an error names
the value of a wrong type by its place.
"""

from typing import TypeVar

from msgspec import ValidationError, convert

T = TypeVar("T")


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
        reason, _, path = (
            str(error)
            .replace("`", "")
            .replace("Invalid enum value", "unknown value")
            .partition(" - at $")
        )
        reason = reason[:1].lower() + reason[1:].replace(", got ", ", found ")
        raise DecodeError(f"{place}{path}: {reason}") from error
