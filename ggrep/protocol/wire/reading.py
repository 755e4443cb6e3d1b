"""Decodes values from the wire into Structs, with checks of types and bounds.

Undeclared fields are ignored, so that messages of newer clients can be read. Missing fields get
their default, so that messages of older clients can be read. Annotations declare the bounds
(`ggrep.model.field_meta`); the JSON is checked before decoding.
"""

import re
from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields, replace

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import parse_snapshot_id
from ggrep.base.stable_json import DecodeError, decode
from ggrep.model.field_meta import MAX_INTEGER, Field, WireBounds
from ggrep.model.request import SearchRequest

T = TypeVar("T")

_SHOWN: Final = 60
"""Maximum number of characters of an invalid value in an error message."""


class Rule(Struct, frozen=True):
    """The type and the bounds of a value, computed once for each annotation.

    Attributes:
        json: allowed types of the JSON value.
        expected: description of types and bounds for messages.
        item: rule of an array's items, or of a mapping's values.
    """

    json: tuple[type, ...]
    expected: str
    bounds: WireBounds | None = None
    fields: tuple[tuple[str, "Rule"], ...] = ()
    item: "Rule | None" = None
    words: tuple[str, ...] = ()
    optional: bool = False


@cache
def rule_of(hint: Any) -> Rule:  # noqa: ANN401 - any annotation
    """Return the rule of an annotation; raise TypeError if a number or text has no bounds."""
    if isinstance(hint, UnionType):
        return replace(rule_of(get_args(hint)[0]), optional=True)
    hint, bounds = _declared(hint)
    if isinstance(hint, UnionType):
        return replace(rule_of(Annotated[get_args(hint)[0], bounds]), optional=True)
    kind = get_origin(hint) or hint
    limit = f" of at most {bounds.most} fields" if bounds else ""
    if isinstance(kind, type) and issubclass(kind, Struct):
        inner = ((each.name, rule_of(each.type)) for each in fields(hint))
        return Rule((dict,), f"an object{limit}", bounds, fields=tuple(inner))
    if kind not in {tuple, Mapping}:
        return _leaf(kind, hint, bounds)
    if bounds is None:
        raise TypeError(f"the type {hint} of a message field declares no maximum number of items")
    item: Any = get_args(hint)[0 if kind is tuple else 1]
    if any(bounds.each):
        item = Annotated[item, WireBounds(bounds.each[1], bounds.each[0], form=bounds.form)]
    json, expected = ((list,), "an array") if kind is tuple else ((dict,), f"an object{limit}")
    return Rule(json, expected, bounds, item=rule_of(item))


def _declared(hint: Any) -> tuple[Any, WireBounds | None]:  # noqa: ANN401 - any annotation
    """Return an annotation's type and its bounds."""
    if get_origin(hint) is not Annotated:
        return hint, None
    hint, *notes = get_args(hint)
    bounds = next((note for note in notes if isinstance(note, WireBounds)), None)
    field = next((note for note in notes if isinstance(note, Field)), None)
    if bounds is None and field is not None and field.most < MAX_INTEGER:
        bounds = WireBounds(field.most, field.least)
    return hint, bounds


def _leaf(kind: Any, hint: Any, bounds: WireBounds | None) -> Rule:  # noqa: ANN401 - annotations
    if kind is bool:
        return Rule((bool,), "true or false")
    if kind is Literal or issubclass(kind, Enum):
        words = get_args(hint) or tuple(str(member.value) for member in kind)
        return Rule((str,), f"one of {', '.join(words)}", words=words)
    if bounds is None:
        raise TypeError(f"the type {hint} of a message field declares no bounds")
    reach = f"{bounds.least} to {bounds.most}"
    if kind is str:
        shown = bounds.form == "shown"
        return Rule((str,), f"{reach} printable characters" if shown else "a string", bounds)
    if kind is int:
        return Rule((int,), f"a whole number from {reach}", bounds)
    return Rule((int, float), f"a number from {reach}", bounds)


def read(kind: type[T], value: object, place: str = "") -> T:
    """Return `value` decoded as a `kind`; `place` is the name of its field for messages.

    Raises:
        InvalidRequest: the value has a wrong type or is out of bounds; the message names the field.
    """
    hint: Any = kind
    fault = _fault(value, rule_of(hint))
    if not fault:
        try:
            return decode(kind, value, "")
        except DecodeError as error:
            fault = str(error)
    raise InvalidRequest(f"{place}{fault}".removeprefix(".").removeprefix(": "))


def parse_search_request(value: object, place: str) -> SearchRequest:
    """Return a decoded search request; only types and bounds are checked."""
    return read(SearchRequest, value, place)


def check_scored(request: Any, place: str) -> None:  # noqa: ANN401 - of any operation
    """Raise InvalidRequest if the statistics for scoring a query are inconsistent.

    A term cannot occur in more chunks or files than the collection contains.
    """
    snapshot_id = getattr(request, "snapshot_id", None)
    if snapshot_id is not None:
        parse_snapshot_id(snapshot_id)
    statistics = getattr(request, "statistics", None)
    for index, term in enumerate(statistics.terms if statistics else ()):
        for name in ("chunks", "files"):
            most, figure = getattr(statistics, name), getattr(term, name)
            if figure > most:
                where = f"{place}.statistics.terms[{index}].{name}"
                raise misfit(where, figure, f"a whole number from 0 to {most}")


def misfit(place: str, value: object, expected: str) -> InvalidRequest:
    """Return the error for an invalid value; long values are truncated."""
    return InvalidRequest(f"{place}: expected {expected}, found {_shown(value)}")


def _fault(value: object, rule: Rule) -> str:
    """Return the error of an invalid value as `.name: reason`; empty for a valid value."""
    if value is None and rule.optional:
        return ""
    fits = isinstance(value, rule.json) and (not isinstance(value, bool) or rule.json == (bool,))
    fault = ""
    match value:
        case dict() if fits:
            fault = _object_fault(value, rule)
        case list() if fits:
            fault = _array_fault(value, rule)
        case str() if fits and not rule.words:
            fault = _text_fault(value, rule)
        case str():
            fits = value in rule.words
        case int() | float() if fits and rule.bounds:
            fits = rule.bounds.least <= value <= rule.bounds.most
    return fault if fits else _expected(rule, value)


def _array_fault(value: list[object], rule: Rule) -> str:
    assert rule.bounds is not None  # noqa: S101 - as `rule_of` makes them
    assert rule.item is not None  # noqa: S101
    if len(value) > rule.bounds.most:
        return f": {len(value)} items are more than the maximum of {rule.bounds.most}"
    if len(value) < rule.bounds.least:
        return f": {len(value)} items are fewer than the minimum of {rule.bounds.least}"
    for index, item in enumerate(value):
        if fault := _fault(item, rule.item):
            return f"[{index}]{fault}"
    return ""


def _object_fault(value: dict[str, object], rule: Rule) -> str:
    bounds = rule.bounds
    if bounds and len(value) > bounds.most:
        return _expected(rule, value)
    inner = [(name, rule.item) for name in sorted(value)] if rule.item else rule.fields
    for name, each in inner:
        if bounds and bounds.keys and not re.fullmatch(bounds.keys, name):
            return f": {_shown(name)} is not a valid name"
        if name in value and (fault := _fault(value[name], each)):
            return f".{name}{fault}"
    return ""


def _text_fault(value: str, rule: Rule) -> str:
    bounds = rule.bounds
    assert bounds is not None  # noqa: S101 - as `rule_of` makes them
    if bounds.form == "shown":
        fits = bounds.least <= len(value) <= bounds.most and value.isprintable()
        return "" if fits else _expected(rule, value)
    try:
        size = len(value) if value.isascii() else len(value.encode())
    except UnicodeEncodeError:
        return ": contains a lone surrogate, which is not valid text"
    if size > bounds.most:
        quoted = "" if bounds.form == "secret" else f": {_shown(value)}"
        return f": {size} bytes are more than the maximum of {bounds.most}{quoted}"
    is_path = bounds.form == "path" and (value or bounds.least)
    if is_path and ("\0" in value or not value.startswith("/")):
        return f": expected an absolute path, found {_shown(value)}"
    return ""


def _expected(rule: Rule, value: object) -> str:
    return f": expected {rule.expected}, found {_shown(value)}"


def _shown(value: object) -> str:
    """Return an invalid value for a message: shortened, and containers only by type."""
    match value:
        case str() if len(value) > _SHOWN:
            return f"{value[:_SHOWN]!r}... ({len(value)} characters)"
        case None:
            return "null"
        case bool() | int() | float() | str():
            return repr(value)[: 2 * _SHOWN]
        case list():
            return f"an array of {len(value)} items"
        case _:
            return "an object"
