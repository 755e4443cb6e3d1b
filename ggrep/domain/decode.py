"""JSON values become frozen dataclasses, every field's type checked.

Files that we wrote may come back damaged, and messages come from anyone: a value of the wrong
type must be named where it enters, not fail somewhere inside.
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


class DecodeError(ValueError):
    """A value does not fit; the message names its place, `$.segments[0].rows`, and the type."""


def decode(kind: type[T], value: object, place: str = "$") -> T:
    """Return `value` as a `kind`: a dataclass, tuple, enum, optional or plain JSON type.

    Unknown keys of an object are ignored, so that a newer minor writer can be read; missing ones
    get their field's default, so that an older one can.

    Raises:
        DecodeError: a field is missing or of another type.
    """
    return cast(T, _decode(kind, value, place))


def _decode(kind: Any, value: object, place: str) -> object:  # noqa: ANN401 - any annotation
    if isinstance(kind, NewType):
        return _decode(kind.__supertype__, value, place)
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        found = _optional(get_args(kind), value, place)
    elif origin is tuple:
        found = _tuple(get_args(kind), value, place)
    elif isinstance(kind, type) and is_dataclass(kind):
        found = _dataclass(kind, value, place)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        found = _enum(kind, value, place)
    else:
        found = _plain(kind, value, place)
    return found


def _optional(kinds: tuple[Any, ...], value: object, place: str) -> object:
    if value is None:
        return None
    (kind,) = (kind for kind in kinds if kind is not types.NoneType)
    return _decode(kind, value, place)


def _tuple(kinds: tuple[Any, ...], value: object, place: str) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise DecodeError(f"{place}: expected an array")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        raise DecodeError(f"{place}: expected {len(kinds)} values, found {len(value)}")
    return tuple(
        _decode(kind, item, f"{place}[{index}]")
        for index, (kind, item) in enumerate(zip(kinds, value, strict=True))
    )


def _dataclass(kind: type, value: object, place: str) -> object:
    if not isinstance(value, Mapping):
        raise DecodeError(f"{place}: expected an object")
    found = {}
    for name, of, needed in _fields(kind):
        if name in value:
            found[name] = _decode(of, value[name], f"{place}.{name}")
        elif needed:
            raise DecodeError(f"{place}.{name}: missing")
    return kind(**found)


@cache
def _fields(kind: type) -> tuple[tuple[str, Any, bool], ...]:
    """Return name and type of each field, and whether it has no default."""
    hints = get_type_hints(kind)
    return tuple((f.name, hints[f.name], f.default is MISSING) for f in fields(kind))


def _enum(kind: type[Enum], value: object, place: str) -> Enum:
    try:
        return kind(value)
    except ValueError as error:
        raise DecodeError(f"{place}: unknown value {value!r}") from error


def _plain(kind: Any, value: object, place: str) -> object:  # noqa: ANN401 - any annotation
    number = kind is float and isinstance(value, int) and not isinstance(value, bool)
    if number:
        return float(cast(int, value))
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise DecodeError(f"{place}: expected {kind.__name__}, found {type(value).__name__}")
    return value
