"""Reads ranking weights from a JSON object, to measure the effect of each weight.

Keys are the names in `search/query/weights.py`; values are numbers, or 0 and 1 for switches.
`fields` has an object with `boost`, `b` or both for each field. Missing weights keep defaults.
"""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import asdict, replace

from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Json
from ggrep.index.lexical.bm25 import FieldWeights
from ggrep.search.query.weights import DEFAULT_WEIGHTS, Weights

FIELDS: Final = ("body", "name", "crumb", "doc")
"""Names of the lexical fields, in the layout's order."""

_SWITCHES: Final = frozenset({"priors", "passage", "learned", "kinds"})
_FIELD_PARTS: Final = ("boost", "b")


def weights_from(values: Mapping[str, Json]) -> Weights:
    """Return the default weights, of which `values` replaces some.

    Raises:
        InvalidRequest: a name is not the name of a weight, or a value is not allowed.
    """
    usual = asdict(DEFAULT_WEIGHTS)
    for name in sorted(values):
        if name not in usual:
            raise InvalidRequest(
                f"unknown weight {name!r}; known weights: {', '.join(sorted(usual))}"
            )
    read: dict[str, object] = {
        name: _number(name, value) for name, value in values.items() if name != "fields"
    }
    for name in _SWITCHES & read.keys():
        if read[name] not in (0, 1):
            raise InvalidRequest(f"{name} must be 0 or 1, is {values[name]}")
        read[name] = int(values[name] == 1)
    if read.get("k1") == 0:
        raise InvalidRequest("k1 must be above 0")
    if "fields" in values:
        read["fields"] = _fields(values["fields"])
    return replace(DEFAULT_WEIGHTS, **read)


def _fields(value: Json) -> tuple[FieldWeights, ...]:
    if not isinstance(value, dict):
        raise InvalidRequest("fields must be an object whose keys are field names")
    for name in sorted(value):
        if name not in FIELDS:
            raise InvalidRequest(f"unknown field {name!r}; known fields: {', '.join(FIELDS)}")
    usual = zip(FIELDS, DEFAULT_WEIGHTS.fields, strict=True)
    return tuple(_field(name, weights, value.get(name, {})) for name, weights in usual)


def _field(name: str, usual: FieldWeights, value: Json) -> FieldWeights:
    if not isinstance(value, dict) or not value.keys() <= set(_FIELD_PARTS):
        raise InvalidRequest(f"fields.{name} must be an object of {' and '.join(_FIELD_PARTS)}")
    parts = {part: _number(f"fields.{name}.{part}", each) for part, each in value.items()}
    if parts.get("b", 0.0) > 1.0:
        raise InvalidRequest(f"fields.{name}.b must be between 0 and 1")
    return replace(usual, **parts)


def _number(name: str, value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise InvalidRequest(f"{name} must be a number of at least 0")
    return float(value)
