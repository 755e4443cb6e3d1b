"""Converts JSON values to Structs and checks every field's type.

Files that we wrote may come back damaged, and messages come from other processes: an error names
the value of a wrong type by its place.
"""

from typing import Final, TypeVar

from msgspec import ValidationError, convert

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
