"""Makes the output schemas of the tools of MCP, of the types in `ggrep/model/schemas`.

Clients hold the structured part of each result against them, failures as well. They say types, keys
that must be there, nested objects and closed sets of words; texts, patterns and bounds stand in the
schemas that ship in full.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, Final

from ggrep.model import maintenance
from ggrep.model.schemas import answers, failure, federated, federated_names, slate, stores
from tests.contract.schema_making import Maker, Schema, Texts

RETURNED: Final[Mapping[str, tuple[type, ...]]] = {
    "search": (answers.SearchJson, failure.ToolFailureJson),
    "context": (slate.SlateAnswerJson, failure.ToolFailureJson),
    "search_workspace": (
        federated.FederatedJson,
        federated.FederatedSlateJson,
        federated.ToolWorkspaceFailureJson,
    ),
    "symbol": (
        answers.SymbolJson,
        federated_names.FederatedSymbolJson,
        federated.ToolWorkspaceFailureJson,
        failure.ToolFailureJson,
    ),
    "references": (
        answers.ReferencesJson,
        federated_names.FederatedReferencesJson,
        federated.ToolWorkspaceFailureJson,
        failure.ToolFailureJson,
    ),
    "expand": (
        answers.ExpandJson,
        federated_names.FederatedExpandJson,
        federated.ToolWorkspaceFailureJson,
        failure.ToolFailureJson,
    ),
    "outline": (answers.OutlineJson, answers.TourJson, failure.ToolFailureJson),
    "ggrep_status": (
        stores.ServedStatusJson,
        stores.UnservedStatusJson,
        failure.ToolFailureJson,
    ),
    "ggrep_health": (maintenance.Health, failure.ToolFailureJson),
    "good_search": (answers.SearchJson, failure.ToolFailureJson),
}
"""What each tool may return: answers, then failures."""
SEVERAL: Final = frozenset({"symbol", "references", "expand"})
"""Tools that answer several questions in one document: `answers`, each one of the above."""
TOOLS_FILE: Final = "tool_outputs.json"

_ASKED_FOR: Final = {"explain", "stats", "timings_ms"}
"""Keys of figures for people who tune: objects, and no more is said of them."""
_LEFT_OUT: Final = {"matches", "matching_lines", "matchingLines"}
"""Keys of exact text, which would stand in many places; its text says all of it."""
_KEPT: Final = ("type", "enum", "const", "required")
_HELD: Final = ("items", "additionalProperties")


def returned(name: str, texts: Texts) -> Schema:
    """Return what a tool returns: an object of one of several sets of required keys.

    There is no reference, as clients exist that take the definitions away and then cannot resolve
    one; and no union but that of the sets, so that each key has one place and one meaning.
    """
    maker = Maker(texts)
    forms = [_whole(maker.fields_of(kind), maker) for kind in RETURNED[name]]
    result = reduce(_either, forms)
    sets = [form.get("required", []) for form in forms]
    properties = result["properties"]
    if name in SEVERAL:
        # What is below the first keys stands once, where a question is alone.
        heads = {key: _head(each) for key, each in properties.items()}
        first = {"type": "object", "properties": heads}
        properties = {**properties, "answers": {"type": "array", "items": first}}
        sets.append(sorted(answers.AnswersJson.__required_keys__))
    return {
        "type": "object",
        "properties": properties,
        "anyOf": [{"required": each} for each in sets],
    }


def _head(form: Schema) -> Schema:
    return {key: form[key] for key in _KEPT if key in form}


def _whole(form: Schema, maker: Maker) -> Schema:
    """Return a schema without references, texts, patterns and bounds."""
    if "$ref" in form:
        return _whole(maker.defs[form["$ref"].rpartition("/")[2]], maker)
    several = form.get("anyOf", form.get("oneOf"))
    if several is not None:
        return reduce(_either, (_whole(each, maker) for each in several))
    results = {key: form[key] for key in _KEPT if key in form}
    results |= {
        key: _whole(form[key], maker) for key in _HELD if isinstance(form.get(key), Mapping)
    }
    if "properties" in form:
        results["properties"] = {
            key: {"type": "object"} if key in _ASKED_FOR else _whole(each, maker)
            for key, each in form["properties"].items()
            if key not in _LEFT_OUT and not (key == "lines" and "items" in each)
        }
    return results


def _either(one: Schema, other: Schema) -> Schema:
    """Return a schema that admits what either of two admits, and little else."""
    if one == other:
        return one
    if {"enum", "const"} & (one.keys() | other.keys()):
        return _words_or_type(one, other)
    results: Schema = {"type": _types(one, other)}
    for key in _HELD:
        kept = [form[key] for form in (one, other) if key in form]
        if kept:
            results[key] = reduce(_either, kept)
    objects = [form for form in (one, other) if "object" in _types_of(form)]
    if objects and all("properties" in form for form in objects):
        results["properties"] = reduce(_joined, (form["properties"] for form in objects))
        needed = [set(form.get("required", ())) for form in objects]
        if common := [key for key in results["properties"] if all(key in each for each in needed)]:
            results["required"] = common
    return results


def _words_or_type(one: Schema, other: Schema) -> Schema:
    words = [
        form.get("enum", [form["const"]] if "const" in form else None) for form in (one, other)
    ]
    if None not in words:
        return {"enum": [*dict.fromkeys(word for each in words for word in each)]}
    # A set that is open on one side is open.
    return {"type": _types(one, other)}


def _joined(one: Schema, other: Schema) -> Schema:
    both = one.keys() & other.keys()
    return {**one, **other, **{key: _either(one[key], other[key]) for key in one if key in both}}


def _types(one: Schema, other: Schema) -> Any:
    results = [*dict.fromkeys([*_types_of(one), *_types_of(other)])]
    return results[0] if len(results) == 1 else results


def _types_of(form: Schema) -> Sequence[str]:
    names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    if "type" not in form:
        return [names[type(word)] for word in form.get("enum", [form.get("const")])]
    return [form["type"]] if isinstance(form["type"], str) else form["type"]
