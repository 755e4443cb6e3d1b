"""The output schemas of tools are true of every answer, and of little else."""

from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from ggrep.base import stable_json
from ggrep.base.errors import Busy, Issue, NoIndex, WorkspaceError
from ggrep.interfaces.mcp.tool_calls import failure, federated_failure
from ggrep.interfaces.mcp.tools import BY_NAME, TOOLS
from tests.contract.tool_schemas import RETURNED
from tests.fakes.golden_documents import GOLDENS

RETURNS = {
    "search": ("query_success",),
    "good_search": ("query_success",),
    "context": ("slate_success",),
    "search_workspace": ("federated_success", "federated_slate", "federated_error"),
    "symbol": ("symbol_success",),
    "references": ("references_success",),
    "expand": ("expand_success",),
    "outline": ("outline_success", "tour_success"),
    "ggrep_status": ("status",),
    "ggrep_health": ("health",),
}
"""The schemas in full of what each tool returns."""
RETURNED_GOLDENS = [
    pytest.param(tool, name, path, id=f"{tool}-{name}-{case}")
    for tool, names in RETURNS.items()
    for (name, case), path in GOLDENS.items()
    if name in names
]
SHIPPED = Path(__file__).parents[2] / "ggrep/model/schemas"
UNTOLD = {"explain", "stats", "timings_ms"}
"""Figures of which nothing but their place is said."""

TOGETHER = {"meta", "repos", "limits_hit"}
"""A failed search of a workspace has all of these or none; that stands in the schema in full."""


SHARED = {
    "search_workspace": {("meta", key) for key in ("cohort", "limits", "merge", "statistics")},
    "outline": {("limits", key) for key in ("depth", "max_outline_bytes", "max_tour_bytes")},
}
"""Keys of an object that another document of the tool has under the same name without them."""


@cache
def client_schema(tool: str) -> jsonschema_rs.Draft7Validator:
    """Return the schema that a client checks a tool's documents with."""
    return jsonschema_rs.Draft7Validator(BY_NAME[tool].returns)


@cache
def full_schema(name: str) -> Any:
    """Return the validator of a schema that ships."""
    return jsonschema_rs.validator_for(
        stable_json.loads((SHIPPED / f"{name}.schema.json").read_bytes())
    )


def accepts(tool: str, document: object) -> bool:
    """Return whether a client takes a document for what the tool returns."""
    return client_schema(tool).is_valid(document)


def returned(tool: str, document: Any) -> Any:
    """Return a document as the tool returns it."""
    return {"running": True, **document} if tool == "ggrep_status" else document


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield every place below a value that the schemas say something of."""
    inner = value.items() if isinstance(value, dict) else ()
    for key, each in enumerate(value) if isinstance(value, list) else inner:
        yield (*path, key)
        if key not in UNTOLD:
            yield from places(each, (*path, key))


def changed(document: Any, path: tuple[str | int, ...], *, gone: bool) -> Any:
    """Return a document with another type at one place, or without it."""
    copy = deepcopy(document)
    *above, last = path
    holder = copy
    for key in above:
        holder = holder[key]
    if gone:
        del holder[last]
    else:
        holder[last] = 7.5 if isinstance(holder[last], dict) else {"of": "another type"}
    return copy


def test_every_tool_is_held_against_what_it_returns() -> None:
    """The tests below must not pass for want of anything to check."""
    assert {*RETURNS} == {*RETURNED} == {tool.name for tool in TOOLS}
    assert {param.values[0] for param in RETURNED_GOLDENS} == {*RETURNS}


@pytest.mark.parametrize(("tool", "name", "path"), RETURNED_GOLDENS)
def test_a_document_is_accepted_and_none_with_another_type_in_it(
    tool: str, name: str, path: Path
) -> None:
    document = returned(tool, stable_json.loads(path.read_bytes()))

    assert accepts(tool, document)
    wrong = [
        each for each in places(document) if accepts(tool, changed(document, each, gone=False))
    ]
    assert wrong == []


@pytest.mark.parametrize(("tool", "name", "path"), RETURNED_GOLDENS)
def test_a_key_that_is_always_there_is_required(tool: str, name: str, path: Path) -> None:
    """What the schema in full requires, this one does, wherever answers have it."""
    document = stable_json.loads(path.read_bytes())
    full = full_schema(name)

    lacking = [
        each
        for each in places(document)
        if isinstance(each[-1], str)
        and not (name == "federated_error" and each[0] in TOGETHER)
        and each not in SHARED.get(tool, ())
        and not full.is_valid(changed(document, each, gone=True))
        and accepts(tool, returned(tool, changed(document, each, gone=True)))
    ]
    assert lacking == []


@pytest.mark.parametrize("tool", RETURNS)
def test_failures_are_accepted_and_an_empty_document_is_not(tool: str) -> None:
    envelope = federated_failure if tool == "search_workspace" else failure
    errors = (
        NoIndex("a: nothing"),
        Busy(retry_after_ms=5),
        WorkspaceError((Issue("ERR_WORKSPACE_INVALID", "no"),)),
    )

    for error in errors:
        reported = stable_json.loads(stable_json.dumps(envelope(error, shows_paths=True)))
        assert accepts(tool, reported)
        assert not accepts(tool, {key: reported[key] for key in reported.keys() - {"message"}})
    assert not accepts(tool, {})
