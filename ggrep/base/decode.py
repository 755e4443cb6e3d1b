"""Decodes JSON values into frozen dataclasses and checks every field's type.

Files that we wrote may come back damaged, and messages come from anyone: a value of the wrong
type must be named where it enters, not fail somewhere inside.

What a kind wants is worked out once. Then a value costs little more than its dataclass: answers
of many repositories hold thousands of hits. Where a value does not fit, its place is put together
on the way out.
"""

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import (
    Any,
    Final,
    Literal,
    NewType,
    TypeAlias,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

T = TypeVar("T")

_Reader: TypeAlias = Callable[[Any], object]

_EXACT: Final = frozenset({bool, float, int, str})
"""Kinds of which a value of exactly that type is taken as it is."""


class DecodeError(ValueError):
    """A value does not fit; the message names its place, `$.segments[0].rows`, and the type."""


class _Misfit(Exception):
    """A value does not fit.

    Attributes:
        place: of the value, below the one that is being read.
    """

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place

    def below(self, step: str) -> "_Misfit":
        """Return the same as seen from one step further up."""
        return _Misfit(self.reason, step + self.place)


def decode(kind: type[T], value: object, place: str = "$") -> T:
    """Return `value` as a `kind`: a dataclass, tuple, enum, optional or plain JSON type.

    Unknown keys of an object are ignored, so that a newer minor writer can be read; missing ones
    get their field's default, so that an older one can.

    Raises:
        DecodeError: a field is missing or of another type.
    """
    wanted: Any = kind
    try:
        return cast(T, _reader(wanted)(value))
    except _Misfit as misfit:
        raise DecodeError(f"{place}{misfit.place}: {misfit.reason}") from misfit


@cache
def _reader(kind: Any) -> _Reader:  # noqa: ANN401 - any annotation
    if isinstance(kind, NewType):
        return _reader(kind.__supertype__)
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        found = _optional(get_args(kind))
    elif origin is tuple:
        found = _tuple(get_args(kind))
    elif origin is Literal:
        found = _word(get_args(kind))
    elif isinstance(kind, type) and is_dataclass(kind):
        found = _dataclass(kind)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        found = _enum(kind)
    else:
        found = _float if kind is float else _plain(kind)
    return found


def _optional(kinds: tuple[Any, ...]) -> _Reader:
    (kind,) = (kind for kind in kinds if kind is not types.NoneType)
    inner = _reader(kind)
    return lambda value: None if value is None else inner(value)


def _tuple(kinds: tuple[Any, ...]) -> _Reader:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return _array(_reader(kinds[0]))
    readers = [_reader(kind) for kind in kinds]

    def read(value: object) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise _Misfit("expected an array")
        if len(readers) != len(value):
            raise _Misfit(f"expected {len(readers)} values, found {len(value)}")
        found = []
        for inner, item in zip(readers, value, strict=True):
            try:
                found.append(inner(item))
            except _Misfit as misfit:
                raise misfit.below(f"[{len(found)}]") from None
        return tuple(found)

    return read


def _array(inner: _Reader) -> _Reader:
    def read(value: object) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise _Misfit("expected an array")
        found = []
        try:
            for item in value:
                found.append(inner(item))  # noqa: PERF401 - it counts what was read
        except _Misfit as misfit:
            raise misfit.below(f"[{len(found)}]") from None
        return tuple(found)

    return read


def _dataclass(kind: type) -> _Reader:
    def read(value: object) -> object:
        if not isinstance(value, dict) and not isinstance(value, Mapping):
            raise _Misfit("expected an object")
        found = {}
        name = ""
        try:
            for name, exact, inner, needed in _fields(kind):
                item = value.get(name, MISSING)
                if type(item) is exact:
                    found[name] = item
                elif item is not MISSING:
                    found[name] = inner(item)
                elif needed:
                    raise _Misfit("missing")  # noqa: TRY301 - its place is added like any other's
        except _Misfit as misfit:
            raise misfit.below(f".{name}") from None
        return kind(**found)

    return read


@cache
def _fields(kind: type) -> tuple[tuple[str, type | None, _Reader, bool], ...]:
    """Return of each field its name, the type that needs no reading, what reads any other value,
    and whether it has no default.
    """  # noqa: D205 - one thought
    hints = get_type_hints(kind)
    return tuple(
        (
            each.name,
            _exact(hints[each.name]),
            _reader(hints[each.name]),
            each.default is MISSING,
        )
        for each in fields(kind)
    )


def _exact(kind: Any) -> type | None:  # noqa: ANN401 - any annotation
    if isinstance(kind, NewType):
        return _exact(kind.__supertype__)
    return kind if kind in _EXACT else None


def _enum(kind: type[Enum]) -> _Reader:
    members = {member.value: member for member in kind}

    def read(value: object) -> Enum:
        try:
            return members[value]
        except (KeyError, TypeError):
            raise _Misfit(f"unknown value {value!r}") from None

    return read


def _word(words: tuple[Any, ...]) -> _Reader:
    def read(value: object) -> object:
        if value not in words:
            raise _Misfit(f"unknown value {value!r}")
        return value

    return read


def _float(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Misfit(f"expected float, found {type(value).__name__}")
    return float(value)


def _plain(kind: Any) -> _Reader:  # noqa: ANN401 - any annotation
    def read(value: object) -> object:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise _Misfit(f"expected {kind.__name__}, found {type(value).__name__}")
        return value

    return read
