"""Decodes values from the wire by their Structs: each of its type, within bounds."""

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, cast, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import parse_snapshot_id
from ggrep.model.field_meta import MAX_INTEGER, Field, WireBounds
from ggrep.model.request import CollectionStatistics, SearchRequest

FieldT = TypeVar("FieldT")

_SHOWN: Final = 60
"""Characters of a refused value that its message quotes."""


class Fields:
    """Reads an object's fields; unknown ones are ignored."""

    def __init__(self, body: Mapping[str, object], place: str = "") -> None:
        """Read `body`, which lies at `place` in the message; empty for the message itself."""
        self.body = body
        self._place = f"{place}." if place else ""

    def name(self, key: str) -> str:
        """Return a field's name for messages."""
        return f"{self._place}{key}"

    def printable(self, key: str, most: int, *, least: int = 0, default: str | None = None) -> str:
        """Return a string of bounded length with printable characters only."""
        if key not in self.body and default is not None:
            return default
        value = self._required(key)
        if not isinstance(value, str) or not least <= len(value) <= most or not is_shown(value):
            raise self.misfit(key, f"{least} to {most} printable characters")
        return value

    def whole(self, key: str, least: int, most: int, *, default: int | None = None) -> int:
        """Return a whole number within bounds."""
        if key not in self.body and default is not None:
            return default
        return bounded(self._required(key), least, most, self.name(key))

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self.body.get(key, default)
        if not isinstance(value, bool):
            raise self.misfit(key, "true or false")
        return value

    def choice(self, key: str, known: tuple[str, ...], *, default: str) -> str:
        """Return one of the known words."""
        value = self.body.get(key, default)
        if not isinstance(value, str) or value not in known:
            raise self.misfit(key, f"one of {', '.join(known)}")
        return value

    def array(self, key: str, most: int) -> list[object] | None:
        """Return an array of at most `most` items; None when there is none."""
        if self.body.get(key) is None:
            return None
        value = self.body[key]
        if not isinstance(value, list) or len(value) > most:
            raise self.misfit(key, f"an array of at most {most} items")
        return value

    def mapping(self, key: str, most: int) -> dict[str, object] | None:
        """Return an object of at most `most` fields; None when there is none."""
        if self.body.get(key) is None:
            return None
        value = self.body[key]
        if not isinstance(value, dict) or len(value) > most:
            raise self.misfit(key, f"an object of at most {most} fields")
        return value

    def misfit(self, key: str, expected: str) -> InvalidRequest:
        """Return the error for the value at `key`."""
        return misfit(self.name(key), self.body.get(key), expected)

    def _required(self, key: str) -> object:
        if key not in self.body:
            raise InvalidRequest(f"{self.name(key)}: missing")
        return self.body[key]


def bounded(value: object, least: int, most: int, place: str) -> int:
    """Return `value` when it is a whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise misfit(place, value, f"a whole number from {least} to {most}")
    return value


def text_bytes(value: str, place: str) -> int:
    """Return the length of `value` in UTF-8.

    Raises:
        InvalidRequest: it holds half of a surrogate pair, which UTF-8 has no bytes for.
    """
    try:
        return len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidRequest(f"{place}: holds a lone surrogate, which is no text") from error


def is_shown(value: str) -> bool:
    """Return whether every character is printable or a space."""
    return value.isprintable()


def misfit(place: str, value: object, expected: str) -> InvalidRequest:
    """Return the error for an invalid value; long values are truncated."""
    return InvalidRequest(f"{place}: expected {expected}, found {shown(value)}")


def shown(value: object) -> str:
    """Return a refused value for a message: short, and containers only by their type."""
    match value:
        case str() if len(value) > _SHOWN:
            words = f"{value[:_SHOWN]!r}... ({len(value)} characters)"
        case None | bool() | int() | float() | str():
            words = "null" if value is None else repr(value)[: 2 * _SHOWN]
        case list():
            words = f"an array of {len(value)} items"
        case _:
            words = "an object"
    return words


T = TypeVar("T")

_Reader: TypeAlias = Callable[[Any], object]


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


def read(kind: type[T], value: object, place: str = "") -> T:
    """Return `value`, which lies at `place` in its message, as a `kind`.

    Raises:
        InvalidRequest: it does not fit, or is out of bounds; the message names the field.
    """
    wanted: Any = kind
    try:
        found: T = _object(wanted, value)
    except _Misfit as misfit:
        where = f"{place}{misfit.place}".removeprefix(".")
        raise InvalidRequest(f"{where}: {misfit.reason}") from None
    return found


def _object(kind: Any, value: object) -> Any:  # noqa: ANN401 - a Struct
    if not isinstance(value, dict) and not isinstance(value, Mapping):
        raise _Misfit(_expected("an object", value))
    found = {}
    name = ""
    try:
        for name, read_one, required in readers_of(kind):
            if name in value:
                found[name] = read_one(value[name])
            elif required:
                raise _Misfit("missing")  # noqa: TRY301 - its place is added like any other's
    except _Misfit as misfit:
        raise misfit.below(f".{name}") from None
    return kind(**found)


@cache
def readers_of(kind: Any) -> tuple[tuple[str, _Reader, bool], ...]:  # noqa: ANN401 - a Struct
    """Return of each field its name, what reads it, and whether it has no default."""
    return tuple((each.name, _of_hint(each.type), each.required) for each in fields(kind))


def _of_hint(hint: Any) -> _Reader:  # noqa: ANN401 - any annotation
    """Return what reads a field.

    Raises:
        TypeError: no message has such fields, or nobody says how far its figures or texts may go.
    """
    if get_origin(hint) is not Annotated:
        return _of_kind(hint, None)
    kind, *notes = get_args(hint)
    sent = next((note for note in notes if isinstance(note, WireBounds)), None)
    says = next((note for note in notes if isinstance(note, Field)), None)
    if sent is None and says is not None and says.most < MAX_INTEGER:
        sent = WireBounds(says.most, says.least)
    return _of_kind(kind, sent)


def _of_kind(kind: Any, sent: WireBounds | None) -> _Reader:  # noqa: ANN401 - any annotation
    if isinstance(kind, UnionType):
        (inner,) = (one for one in get_args(kind) if one is not NoneType)
        read_one = _of_kind(inner, sent)
        found: _Reader = lambda value: None if value is None else read_one(value)  # noqa: E731
    elif isinstance(kind, type) and issubclass(kind, Struct):
        found = _struct(kind, sent)
    elif kind is bool:
        found = _flag
    elif get_origin(kind) is Literal:
        found = _word({word: word for word in get_args(kind)})
    elif isinstance(kind, type) and issubclass(kind, Enum):
        found = _word({member.value: member for member in kind})
    elif sent is None:
        raise TypeError(f"nothing says how far a {kind} of a message may go")
    elif get_origin(kind) is tuple:
        found = _pairs(kind, sent) if sent.keys else _array(kind, sent)
    else:
        found = {int: _whole, float: _float, str: _FORMS[sent.form]}[kind](sent)
    return found


def _each(sent: WireBounds) -> WireBounds | None:
    return WireBounds(sent.each[1], sent.each[0]) if any(sent.each) else None


def _struct(kind: Any, sent: WireBounds | None) -> _Reader:  # noqa: ANN401 - a Struct
    readers_of(kind)
    if sent is None:
        return lambda value: _object(kind, value)

    def read_few(value: object) -> object:
        if not isinstance(value, dict) or len(value) > sent.most:
            raise _Misfit(_expected(f"an object of at most {sent.most} fields", value))
        return _object(kind, value)

    return read_few


def _array(kind: Any, sent: WireBounds) -> _Reader:  # noqa: ANN401 - an annotation
    item = _of_kind(get_args(kind)[0], _each(sent))

    def read_array(value: object) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise _Misfit(_expected("an array", value))
        # Counted before anything is made of them.
        if len(value) > sent.most:
            raise _Misfit(f"{len(value)} items exceed {sent.most}")
        found = []
        try:
            for one in value:
                found.append(item(one))  # noqa: PERF401 - it counts what was read
        except _Misfit as misfit:
            raise misfit.below(f"[{len(found)}]") from None
        return tuple(found)

    return read_array


def _pairs(kind: Any, sent: WireBounds) -> _Reader:  # noqa: ANN401 - an annotation
    """Return what reads an object as pairs of name and value, by name."""
    (_, of_value) = get_args(get_args(kind)[0])
    item = _of_kind(of_value, _each(sent))
    is_name = re.compile(sent.keys).fullmatch

    def read_pairs(value: object) -> tuple[tuple[str, object], ...]:
        if value is None:
            return ()
        if not isinstance(value, dict) or len(value) > sent.most:
            raise _Misfit(_expected(f"an object of at most {sent.most} fields", value))
        found = []
        for name in sorted(value):
            if not is_name(name):
                raise _Misfit(f"{shown(name)} is no name")
            try:
                found.append((name, item(value[name])))
            except _Misfit as misfit:
                raise misfit.below(f".{name}") from None
        return tuple(found)

    return read_pairs


def _flag(value: object) -> bool:
    if value is True or value is False:
        return value
    raise _Misfit(_expected("true or false", value))


def _word(known: Mapping[Any, object]) -> _Reader:
    expected = f"one of {', '.join(known)}"

    def read_word(value: object) -> object:
        if isinstance(value, str) and value in known:
            return known[value]
        raise _Misfit(_expected(expected, value))

    return read_word


def _whole(sent: WireBounds) -> _Reader:
    least, most = sent.least, sent.most

    def read_whole(value: object) -> int:
        # bool is a subclass of int: `"limit": true` must not mean 1.
        if type(value) is int and least <= value <= most:
            return value
        raise _Misfit(_expected(f"a whole number from {least} to {most}", value))

    return read_whole


def _float(sent: WireBounds) -> _Reader:
    def read_float(value: object) -> float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and sent.least <= cast(float, value) <= sent.most:
            return float(cast(float, value))
        raise _Misfit(_expected("a number that is not negative", value))

    return read_float


def _text(sent: WireBounds) -> _Reader:
    most = sent.most

    def read_text(value: object) -> str:
        if not isinstance(value, str):
            raise _Misfit(_expected("a string", value))
        try:
            size = len(value) if value.isascii() else len(value.encode())
        except UnicodeEncodeError:
            raise _Misfit("holds a lone surrogate, which is no text") from None
        if size > most:
            quoted = "" if sent.form == "secret" else f": {shown(value)}"
            raise _Misfit(f"{size} bytes exceed {most}{quoted}")
        return value

    return read_text


def _shown(sent: WireBounds) -> _Reader:
    least, most = sent.least, sent.most

    def read_shown(value: object) -> str:
        if isinstance(value, str) and least <= len(value) <= most and is_shown(value):
            return value
        raise _Misfit(_expected(f"{least} to {most} printable characters", value))

    return read_shown


def _path(sent: WireBounds) -> _Reader:
    read_text = _text(sent)

    def read_path(value: object) -> object:
        if read_text(value) == "" and not sent.least:
            return value
        if not str(value).startswith("/") or "\0" in str(value):
            raise _Misfit(_expected("an absolute path", value))
        return value

    return read_path


_FORMS: Final[Mapping[str, Callable[[WireBounds], _Reader]]] = {
    "": _text,
    "secret": _text,
    "shown": _shown,
    "path": _path,
}


def _expected(what: str, value: object) -> str:
    return f"expected {what}, found {shown(value)}"


def parse_search_request(value: object, place: str) -> SearchRequest:
    """Return a query; its values are validated where it is answered.

    Raises:
        InvalidRequest: it does not fit, or a field is out of bounds.
    """
    return read(SearchRequest, value, place)


def check_scored(request: Any, place: str) -> None:  # noqa: ANN401 - of any operation
    """Raise unless the fields that a query is scored by fit together.

    Raises:
        InvalidRequest: the snapshot's id is none, or the statistics say more of a term than of the
            whole collection.
    """
    snapshot_id = getattr(request, "snapshot_id", None)
    if snapshot_id is not None:
        parse_snapshot_id(snapshot_id)
    statistics = getattr(request, "statistics", None)
    if statistics is not None:
        for name, figure, most in _figures(statistics):
            bounded(figure, 0, most, f"{place}.statistics.{name}")


def _figures(statistics: CollectionStatistics) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each term's figures, the figures and their maximum."""
    for index, entry in enumerate(statistics.terms):
        yield f"terms[{index}].chunks", entry.chunks, statistics.chunks
        yield f"terms[{index}].files", entry.files, statistics.files
