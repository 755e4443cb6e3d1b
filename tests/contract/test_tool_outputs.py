"""The output schemas of tools are true of every answer, and of little else."""

from collections.abc import Iterator
from functools import cache, reduce
from operator import getitem
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
CHECKED = [(tool, name) for tool, names in RETURNS.items() for name in names]
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
def goldens(name: str) -> list[Any]:
    """Return the published documents of a schema."""
    return [stable_json.loads(path.read_bytes()) for (of, _), path in GOLDENS.items() if of == name]


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


def changed(document: Any, *, gone: bool, seen: set[object]) -> Iterator[tuple[Any, ...]]:
    """Yield each place of a new shape while the document has another type there, or nothing."""
    for path in [*places(document)]:
        *above, last = path
        holder = reduce(getitem, above, document)
        kept = dict(holder) if isinstance(holder, dict) else holder[last]
        value = holder[last]
        shape = tuple("" if isinstance(key, int) else key for key in path)
        kind = (shape, type(value), frozenset(kept) if isinstance(holder, dict) else None)
        if kind in seen or (gone and isinstance(last, int)):
            continue
        seen.add(kind)
        if gone:
            del holder[last]
        else:
            holder[last] = 7.5 if isinstance(value, dict) else {"of": "another type"}
        yield path
        holder[last] = value


def test_every_tool_is_held_against_what_it_returns() -> None:
    """The tests below must not pass for want of anything to check."""
    assert {*RETURNS} == {*RETURNED} == {tool.name for tool in TOOLS}
    assert all(goldens(name) for _, name in CHECKED)


@pytest.mark.parametrize(("tool", "name"), CHECKED)
def test_a_document_is_accepted_and_none_with_another_type_in_it(tool: str, name: str) -> None:
    seen: set[object] = set()
    for document in (returned(tool, each) for each in goldens(name)):
        assert accepts(tool, document)
        wrong = [
            path for path in changed(document, gone=False, seen=seen) if accepts(tool, document)
        ]
        assert wrong == []


@pytest.mark.parametrize(("tool", "name"), CHECKED)
def test_a_key_that_is_always_there_is_required(tool: str, name: str) -> None:
    """The client's schema requires all keys that the schema in full requires."""
    full, seen = full_schema(name), set[object]()
    lacking = [
        path
        for document in goldens(name)
        for path in changed(document, gone=True, seen=seen)
        if not (name == "federated_error" and path[0] in TOGETHER)
        and path not in SHARED.get(tool, ())
        and not full.is_valid(document)
        and accepts(tool, returned(tool, document))
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
