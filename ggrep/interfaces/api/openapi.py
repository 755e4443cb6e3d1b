"""`/openapi.json`: the requests and responses of this surface, and all schemas they refer to."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import ggrep
from ggrep.base import stable_json
from ggrep.base.stable_json import Json
from ggrep.interfaces.surfaces import body
from ggrep.model.operations import PUBLIC

SHIPPED: Final = tuple(
    sorted(
        {
            *("federated_error", "federated_slate", "federated_success"),
            *("health", "query_error", "status"),
            *(each.schema for each in PUBLIC),
            *(f"federated_{each.name}" for each in PUBLIC if each.workspace),
        }
    )
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


_FAILURES: Final = {
    "400": "The request is invalid; the reply names every issue.",
    "401": "The bearer token is missing or wrong.",
    "403": "A path outside the allowed roots, or a page of another site.",
    "405": "The route has no such method.",
    "408": "The body did not arrive in time.",
    "409": "Nothing is indexed, the index has another version, or a session cannot continue.",
    "413": "The body is too large.",
    "415": "The body is not application/json.",
    "421": "The Host header does not name this server.",
    "429": "Too many searches at once; Retry-After says when to try again.",
    "500": "A store or the program failed.",
    "503": "A shutdown ended the request.",
    "504": "The deadline has passed.",
}
_OF_A_BODY: Final = frozenset({"408", "413", "415"})
_OF_ANY_ROUTE: Final = frozenset({"400", "401", "403", "405", "421", "500"})


@cache
def openapi_document() -> dict[str, Json]:
    """Return the OpenAPI document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "ggrep",
            "version": ggrep.__version__,
            "description": "Search of one repository, or of a workspace of them.",
        },
        "paths": {
            "/search/federated": {"post": _federated()},
            "/search/federated/stream": {"post": _stream()},
            **{
                each.path: _of_one(each.path[1:], each.summary, f"{each.name}_body", each.schema)
                for each in PUBLIC
            },
            **{
                f"{each.path}/federated": _of_one(
                    f"{each.name}Federated",
                    each.workspace_summary,
                    f"federated_{each.name}_body",
                    f"federated_{each.name}",
                )
                for each in PUBLIC
                if each.workspace
            },
            "/status": {"get": _status()},
            "/health": {"get": _health()},
            "/metrics": {"get": _metrics()},
            "/openapi.json": {"get": _openapi()},
        },
        "components": {
            "schemas": {
                **shipped_schemas(),
                "federated_body": body.FEDERATED.schema(),
                **{f"{name}_body": shape.schema() for name, shape in body.REPOSITORY.items()},
                **{
                    f"federated_{name}_body": shape.schema()
                    for name, shape in body.WORKSPACE.items()
                },
                "own_health": _own_health(),
            },
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"bearer": []}, {}],
    }


def _federated() -> dict[str, Json]:
    return {
        "operationId": "searchFederated",
        "summary": "Search a workspace.",
        "requestBody": _body("federated_body"),
        "responses": {
            "200": _json(
                "The merged answer; with the format `slate`, a slate in the place of its lists.",
                {"oneOf": [_ref("federated_success"), _ref("federated_slate")]},
            ),
            **_failures(*_FAILURES),
        },
    }


def _stream() -> dict[str, Json]:
    told = (
        "Events `repo`, one for each repository that is done, then one `answer` or `error`, whose"
        " data is the document of the plain search. Only the last is contractual."
    )
    event: dict[str, Json] = {
        "type": "object",
        "additionalProperties": False,
        "required": ["event", "data"],
        "properties": {
            "event": {"enum": ["repo", "answer", "error"]},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
    }
    stream: dict[str, Json] = {"text/event-stream": {"schema": event}}
    return {
        "operationId": "searchFederatedStream",
        "summary": "Search a workspace and report each repository.",
        "requestBody": _body("federated_body"),
        "responses": {"200": {"description": told, "content": stream}, **_failures(*_FAILURES)},
    }


def _of_one(operation: str, summary: str, body: str, answer: str) -> dict[str, Json]:
    """Return the operation that puts a question to one repository, or about a name to several."""
    return {
        "post": {
            "operationId": operation,
            "summary": summary,
            "requestBody": _body(body),
            "responses": {"200": _json("The answer.", _ref(answer)), **_failures(*_FAILURES)},
        }
    }


def _status() -> dict[str, Json]:
    return {
        "operationId": "status",
        "summary": "Show the index of a repository.",
        "parameters": [_root_parameter(), _paths_parameter()],
        "responses": {
            "200": _json("The state of the index; paths are redacted.", {"type": "object"}),
            **_failures(*(_FAILURES.keys() - _OF_A_BODY)),
        },
    }


def _health() -> dict[str, Json]:
    deep = _flag_parameter("deep", "Read every artifact again.")
    either: dict[str, Json] = {"anyOf": [_ref("own_health"), _ref("health")]}
    return {
        "operationId": "health",
        "summary": "Check a repository's store, or that the server answers.",
        "parameters": [_root_parameter(), deep, _paths_parameter()],
        "responses": {
            "200": _json("The checks; without a root, the server's own.", either),
            **_failures(*(_FAILURES.keys() - _OF_A_BODY)),
        },
    }


def _metrics() -> dict[str, Json]:
    text: dict[str, Json] = {"text/plain": {"schema": {"type": "string"}}}
    return {
        "operationId": "metrics",
        "summary": "Return metrics for Prometheus.",
        "responses": {
            "200": {"description": "The figures.", "content": text},
            **_failures(*_OF_ANY_ROUTE),
        },
    }


def _openapi() -> dict[str, Json]:
    return {
        "operationId": "openapi",
        "summary": "Return this document.",
        "responses": {
            "200": _json("This document.", {"type": "object"}),
            **_failures(*_OF_ANY_ROUTE),
        },
    }


def _own_health() -> dict[str, Json]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["schema_version", "ok", "version"],
        "properties": {
            "schema_version": {"const": 1},
            "ok": {"const": True},
            "version": {"type": "string", "description": "Of the program."},
        },
    }


def _body(name: str) -> dict[str, Json]:
    return {"required": True, "content": {"application/json": {"schema": _ref(name)}}}


def _failures(*statuses: str) -> dict[str, Json]:
    return {
        status: _json(_FAILURES[status], _ref("federated_error")) for status in sorted(statuses)
    }


def _json(description: str, schema: dict[str, Json]) -> dict[str, Json]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _ref(name: str) -> dict[str, Json]:
    return {"$ref": COMPONENTS + name}


def _root_parameter() -> dict[str, Json]:
    return {
        "name": "root",
        "in": "query",
        "description": "A directory in the repository, absolute.",
        "schema": {"type": "string"},
    }


def _paths_parameter() -> dict[str, Json]:
    return _flag_parameter("includePaths", "Show absolute paths; needs the token.")


def _flag_parameter(name: str, description: str) -> dict[str, Json]:
    schema: dict[str, Json] = {"type": "boolean"}
    return {"name": name, "in": "query", "description": description, "schema": schema}
