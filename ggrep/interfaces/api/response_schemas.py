"""The shipped schemas, combined so that one document holds all that they refer to."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

from ggrep.base import stable_json
from ggrep.base.stable_json import Json

SHIPPED: Final = (
    "expand_success",
    "federated_error",
    "federated_slate",
    "federated_success",
    "health",
    "query_error",
    "query_success",
    "references_success",
    "slate_success",
    "status",
    "symbol_success",
)
COMPONENTS: Final = "#/components/schemas/"

_OF_A_FILE: Final = frozenset({"$id", "$schema", "$defs"})


def shipped_schemas() -> dict[str, Json]:
    """Return the shipped schemas and the types they are made of, by name.

    A type has one name in all of them, and is told once.
    """
    folder = files("ggrep") / "model" / "schemas"
    found: dict[str, Json] = {}
    for name in SHIPPED:
        schema = stable_json.loads((folder / f"{name}.schema.json").read_bytes())
        whole = {key: held for key, held in schema.items() if key not in _OF_A_FILE}
        found |= {key: _moved(held) for key, held in {**schema["$defs"], name: whole}.items()}
    return found


def _moved(value: Json) -> Json:
    """Return a part of a schema whose references lead to the components."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {
            key: held.replace("#/$defs/", COMPONENTS)
            if key == "$ref" and isinstance(held, str)
            else _moved(held)
            for key, held in value.items()
        }
    if isinstance(value, Sequence):
        return [_moved(item) for item in value]
    return value
