"""The shipped schemas, arranged so that one document holds all that it refers to."""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Final

from ggrep import stable_json
from ggrep.stable_json import Json

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

_OTHER_FILE = re.compile(r"([a-z_]+)\.schema\.json(?:#(.*))?")


def shipped_schemas() -> dict[str, Json]:
    """Return the shipped schemas by name; references lead from one component to another."""
    folder = files("ggrep") / "schemas"
    found: dict[str, Json] = {}
    for name in SHIPPED:
        schema = stable_json.loads((folder / f"{name}.schema.json").read_bytes())
        found[name] = _moved(
            {key: value for key, value in schema.items() if key not in {"$id", "$schema"}}, name
        )
    return found


def _moved(value: Json, name: str) -> Json:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {
            key: _reference(held, name)
            if key == "$ref" and isinstance(held, str)
            else _moved(held, name)
            for key, held in value.items()
        }
    if isinstance(value, Sequence):
        return [_moved(item, name) for item in value]
    return value


def _reference(reference: str, name: str) -> str:
    """Return where a reference of the schema `name` leads inside the components."""
    if reference.startswith("#"):
        return f"{COMPONENTS}{name}{reference[1:]}"
    other = _OTHER_FILE.fullmatch(reference)
    if other is None:
        raise ValueError(f"{name}: {reference!r} leads to no schema of ours")
    return f"{COMPONENTS}{other[1]}{other[2] or ''}"
