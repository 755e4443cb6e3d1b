"""Decodes values from the wire by their Structs: each of its type, within bounds.

Fields without a declaration are ignored, so that a newer client can be read; missing ones get their
default, so that an older one can. Bounds stand in annotations (`ggrep.model.field_meta`) and are
checked before anything is made of a value; `base.stable_json` checks the types.
"""

import re
from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin

from msgspec import Struct
from msgspec.structs import fields

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import parse_snapshot_id
from ggrep.base.stable_json import DecodeError, decode
from ggrep.model.field_meta import MAX_INTEGER, Field, WireBounds
from ggrep.model.request import SearchRequest

T = TypeVar("T")

_SHOWN: Final = 60
"""Characters of a refused value that its message quotes."""


class Rule(Struct, frozen=True):
    """The bounds of a value, worked out once for each annotation.

    Attributes:
        kind: Struct, tuple, Mapping or type of a leaf.
        item: of an array, or of the values of a mapping.
    """

    kind: Any
    bounds: WireBounds | None = None
    fields: tuple[tuple[str, "Rule"], ...] = ()
    item: "Rule | None" = None
    words: tuple[str, ...] = ()


@cache
def rule_of(hint: Any) -> Rule:  # noqa: ANN401 - any annotation
    """Return the bounds that an annotation declares; TypeError where a figure or text has none."""
    hint, bounds = _declared(hint)
    kind = get_origin(hint) or hint
    if kind is Literal:
        rule = Rule(kind, words=get_args(hint))
    elif kind is bool:
        rule = Rule(kind)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        rule = Rule(kind, words=tuple(str(member.value) for member in kind))
    elif isinstance(kind, type) and issubclass(kind, Struct):
        inner = ((each.name, rule_of(each.type)) for each in fields(hint))
        rule = Rule(kind, bounds, fields=tuple(inner))
    elif bounds is None:
        raise TypeError(f"nothing says how far a {hint} of a message may go")
    elif kind in {tuple, Mapping}:
        item: Any = get_args(hint)[0 if kind is tuple else 1]
        if any(bounds.each):
            item = Annotated[item, WireBounds(bounds.each[1], bounds.each[0], form=bounds.form)]
        rule = Rule(kind, bounds, item=rule_of(item))
    else:
        rule = Rule(kind, bounds)
    return rule


def _declared(hint: Any) -> tuple[Any, WireBounds | None]:  # noqa: ANN401 - any annotation
    """Return an annotation's type without None, and its bounds."""
    bounds = None
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        bounds = next((note for note in notes if isinstance(note, WireBounds)), None)
        field = next((note for note in notes if isinstance(note, Field)), None)
        if bounds is None and field is not None and field.most < MAX_INTEGER:
            bounds = WireBounds(field.most, field.least)
    return get_args(hint)[0] if isinstance(hint, UnionType) else hint, bounds


def read(kind: type[T], value: object, place: str = "") -> T:
    """Return `value`, which lies at `place` in its message, as a `kind`.

    Raises:
        InvalidRequest: it does not fit, or is out of bounds; the message names the field.
    """
    hint: Any = kind
    fault = _fault(value, rule_of(hint))
    if not fault:
        try:
            return decode(kind, value, "")
        except DecodeError as error:
            fault = _with_value(str(error), value)
    raise InvalidRequest(f"{place}{fault}".removeprefix(".").removeprefix(": "))


def parse_search_request(value: object, place: str) -> SearchRequest:
    """Return a query; its values are validated where it is answered."""
    return read(SearchRequest, value, place)


def check_scored(request: Any, place: str) -> None:  # noqa: ANN401 - of any operation
    """Raise InvalidRequest unless the fields that a query is scored by fit together.

    No term occurs in more chunks or files than the collection has.
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
    """Return where and how a value exceeds its bounds, as `.name: reason`; empty if it does not."""
    fault = ""
    match value:
        case str() if rule.words:
            if value not in rule.words:
                fault = _expected(f"one of {', '.join(rule.words)}", value)
        case str() if rule.bounds and rule.kind is str:
            fault = _text_fault(value, rule.bounds)
        case dict():
            fault = _object_fault(value, rule)
        case list() if rule.bounds and rule.item:
            fault = _array_fault(value, rule.bounds, rule.item)
        case int() | float() if rule.bounds and rule.kind in {int, float} and value is not True:
            least, most = rule.bounds.least, rule.bounds.most
            if not least <= value <= most:
                number = "whole number" if rule.kind is int else "number"
                fault = _expected(f"a {number} from {least} to {most}", value)
    return fault


def _array_fault(value: list[object], bounds: WireBounds, rule: Rule) -> str:
    if len(value) > bounds.most:
        return f": {len(value)} items exceed {bounds.most}"
    if len(value) < bounds.least:
        return f": {len(value)} items are fewer than {bounds.least}"
    for index, item in enumerate(value):
        if fault := _fault(item, rule):
            return f"[{index}]{fault}"
    return ""


def _object_fault(value: dict[str, object], rule: Rule) -> str:
    bounds = rule.bounds
    if bounds and len(value) > bounds.most:
        return _expected(f"an object of at most {bounds.most} fields", value)
    inner = [(name, rule.item) for name in value] if rule.item else rule.fields
    for name, each in inner:
        if bounds and bounds.keys and not re.fullmatch(bounds.keys, name):
            return f": {_shown(name)} is no name"
        if name in value and (fault := _fault(value[name], each)):
            return f".{name}{fault}"
    return ""


def _text_fault(value: str, bounds: WireBounds) -> str:
    try:
        size = len(value) if value.isascii() else len(value.encode())
    except UnicodeEncodeError:
        return ": holds a lone surrogate, which is no text"
    if bounds.form == "shown":
        if not bounds.least <= len(value) <= bounds.most or not value.isprintable():
            return _expected(f"{bounds.least} to {bounds.most} printable characters", value)
    elif size > bounds.most:
        quoted = "" if bounds.form == "secret" else f": {_shown(value)}"
        return f": {size} bytes exceed {bounds.most}{quoted}"
    elif (
        bounds.form == "path"
        and (value or bounds.least)
        and ("\0" in value or not value.startswith("/"))
    ):
        return _expected("an absolute path", value)
    return ""


def _with_value(fault: str, value: Any) -> str:  # noqa: ANN401 - JSON
    """Return a fault of a type with the value that was found, in the place of its type."""
    place, _, reason = fault.partition(": ")
    expected, kind, _ = reason.partition(", found ")
    if not kind or "[...]" in place:
        return fault
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", place):
        value = value[name or int(index)]
    return f"{place}: {expected}, found {_shown(value)}"


def _expected(what: str, value: object) -> str:
    return f": expected {what}, found {_shown(value)}"


def _shown(value: object) -> str:
    """Return a refused value for a message: short, and containers only by their type."""
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
