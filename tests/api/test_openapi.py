"""The document of the surface says what the surface does."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.api.http_app import ApiRules, make_app
from ggrep.interfaces.api.openapi import openapi_document
from ggrep.interfaces.surfaces.body import parse_federated_body, parse_repo_body
from ggrep.interfaces.surfaces.http_server import AccessRules
from ggrep.service.workspace_access import Allowlist
from tests.fakes.desks import FakeDesk, row
from tests.fakes.sites import WORKSPACE, Site

CHECKS = [
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
    content_type_conformance,
]


def document() -> dict[str, Any]:
    return dict(stable_json.loads(stable_json.dumps(openapi_document())))


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, kept in value.items():
            if key == "$ref":
                yield kept
            else:
                yield from references(kept)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)


def body_schema(name: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(document()["components"]["schemas"][name])


async def test_the_document_is_served_as_it_is(site: Site) -> None:
    response = await site.client.get("/openapi.json")

    assert response.json() == document()
    served = {
        (method, route.path)
        for route in site.app.router.routes  # type: ignore[attr-defined] # of Starlette
        for method in route.methods - {"HEAD"}
    }
    described = {
        (method.upper(), path)
        for path, methods in document()["paths"].items()
        for method in methods
    }
    assert served == described


def test_every_reference_leads_somewhere_inside() -> None:
    whole = document()
    results = set(references(whole))

    assert results
    for reference in results:
        kept: Any = whole
        for part in reference.removeprefix("#/").split("/"):
            kept = kept[part]
        assert isinstance(kept, dict)


def test_no_reference_is_taken_for_a_property() -> None:
    """The shipped schemas have no property of that name, which would be rewritten as well."""
    text = stable_json.dumps(openapi_document()).decode()

    assert not re.search(r'"\$ref":\{', text)
    assert "ggrep://" not in text


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"search": {"mode": ["code"], "intent": "debug", "top": 0, "filter": "lang:python"}},
        {"select": "a", "merge": "rrf", "limits": {"perRepoTop": 0}},
        {"select": {"repo-filter": ["x"]}, "merge": {"strategy": None, "fold": True}},
        {"cohorts": {"policy": "strict"}, "cohort": "k", "debug": {"includePaths": False}},
    ],
)
def test_what_is_understood_is_described(fields: dict[str, object]) -> None:
    body = {"query": "q", "workspacePath": "/w", **fields}

    parse_federated_body(body)
    body_schema("federated_body").validate(body)


@pytest.mark.parametrize(
    "fields",
    [
        {"query": " "},
        {"nonsense": 1},
        {"search": {"top": 501}},
        {"search": {"mode": "debug"}},
        {"search": {"scope": "src"}},
        {"limits": {"concurrency": 33}},
        {"tags": ["a"] * 257},
        {"select": {"only": ["a"] * 257}},
        {"merge": "nonsense"},
    ],
)
def test_what_is_not_understood_is_not_described(fields: dict[str, object]) -> None:
    with pytest.raises(jsonschema_rs.ValidationError):
        body_schema("federated_body").validate({"query": "q", "workspacePath": "/w", **fields})


def test_a_search_of_one_repository_is_described() -> None:
    body = {"query": "q", "root": "/r", "search": {"scope": "src", "top": 1}}

    parse_repo_body("search", body)
    body_schema("search_body").validate(body)
    with pytest.raises(jsonschema_rs.ValidationError):
        body_schema("search_body").validate({"query": "q", "search": {"top": 0}})


@pytest.mark.parametrize(
    ("name", "parse", "body"),
    [
        (
            "slate_body",
            partial(parse_repo_body, "slate"),
            {
                "query": "q",
                "search": {"scope": "src"},
                "slate": {"level": 3, "maxBytes": 1, "anchors": None, "graph": True},
                "session": {"token": "t", "op": "expand", "targets": ["a"], "deltaOnly": True},
            },
        ),
        (
            "symbol_body",
            partial(parse_repo_body, "symbol"),
            {"name": "n", "filter": "lang:go", "limit": 0},
        ),
        (
            "references_body",
            partial(parse_repo_body, "references"),
            {"name": "n", "strings": True, "scope": "s"},
        ),
        (
            "expand_body",
            partial(parse_repo_body, "expand"),
            {"target": "t", "boundary": "file", "maxBytes": 1},
        ),
        (
            "outline_body",
            partial(parse_repo_body, "outline"),
            {"path": ["a.py", "src"], "depth": 1},
        ),
        ("tour_body", partial(parse_repo_body, "tour"), {"maxBytes": 9}),
    ],
)
def test_what_leads_on_from_a_search_is_described(
    name: str, parse: Callable[[Any], object], body: dict[str, object]
) -> None:
    parse(body)
    body_schema(name).validate(body)
    for key in body:
        wrong: dict[str, object] = {**body, key: {"surprise": 1}}
        with pytest.raises(InvalidRequest):
            parse(wrong)
        assert not body_schema(name).is_valid(wrong)


@pytest.mark.parametrize(
    ("name", "parse", "body"),
    [
        ("slate_body", partial(parse_repo_body, "slate"), {"query": "q", "slate": {"level": 4}}),
        (
            "slate_body",
            partial(parse_repo_body, "slate"),
            {"query": "q", "session": {"targets": ["a"] * 33}},
        ),
        ("slate_body", partial(parse_repo_body, "slate"), {"query": "q", "session": {"op": "end"}}),
        ("symbol_body", partial(parse_repo_body, "symbol"), {"name": " "}),
        ("symbol_body", partial(parse_repo_body, "symbol"), {"name": "n", "root": " "}),
        ("references_body", partial(parse_repo_body, "references"), {}),
        ("expand_body", partial(parse_repo_body, "expand"), {"target": "t", "maxBytes": -1}),
        ("outline_body", partial(parse_repo_body, "outline"), {"path": 3}),
        ("tour_body", partial(parse_repo_body, "tour"), {"maxBytes": 0}),
    ],
)
def test_neither_surface_nor_document_takes_what_is_out_of_bounds(
    name: str, parse: Callable[[Any], object], body: dict[str, object]
) -> None:
    with pytest.raises(InvalidRequest):
        parse(body)
    assert not body_schema(name).is_valid(body)


def explore(place: Path, examples: int) -> None:
    """Ask whatever the document allows, and look at what comes back.

    Raises:
        Exception: a response is not as described, or a 5xx.
    """
    for name in ("ws", "a", "b"):
        (place / name).mkdir()
    file = place / "ws" / "w.jsonc"
    file.write_text(WORKSPACE.replace("../../out/c", "../b/none"))
    (place / "b" / "none").mkdir()
    service = FakeDesk({name: (row(f"{name}1"), row(f"{name}2")) for name in "ab"})
    rules = ApiRules(AccessRules(), Allowlist([place]), default_root=place / "a")
    app = make_app(service, rules, SystemClock())
    schema = schemathesis.openapi.from_dict(document())
    operations = [item.ok() for item in schema.get_all_operations()]
    for operation in operations:

        @settings(
            max_examples=examples // len(operations),
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            # Half of them mean what is there, else none would get past the first check.
            if isinstance(case.body, dict) and len(str(case.body.get("query", ""))) % 2:
                if "workspacePath" in case.body:
                    case.body["workspacePath"] = str(file)
                elif "root" in case.body:
                    case.body["root"] = str(place / "a")
            response = case.call(base_url="http://127.0.0.1", app=app)
            case.validate_response(response, checks=CHECKS)

        ask()
    assert service.asked


@pytest.mark.slow
@pytest.mark.parametrize("number", [40, pytest.param(2_000, marks=pytest.mark.deep)])
def test_whatever_is_asked_is_answered_as_described(tmp_path: Path, number: int) -> None:
    """No request that fits the document finds a bug."""
    explore(tmp_path.resolve(), number)
