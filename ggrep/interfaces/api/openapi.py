"""`/openapi.json`: the requests and responses of the HTTP surface, with all schemas."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import ggrep
from ggrep.base import stable_json
from ggrep.base.stable_json import Json
from ggrep.interfaces.api.page import page_files
from ggrep.interfaces.surfaces import body
from ggrep.model.operations import PUBLIC

SHIPPED: Final = tuple(
    sorted(
        {
            *("federated_error", "federated_slate", "federated_success"),
            *("health", "page_places", "page_session", "query_error", "status"),
            *(each.schema for each in PUBLIC),
            *(f"federated_{each.name}" for each in PUBLIC if each.workspace),
        }
    )
)
COMPONENTS: Final = "#/components/schemas/"

_OF_A_FILE: Final = frozenset({"$id", "$schema", "$defs"})


def shipped_schemas() -> dict[str, Json]:
    """Return the shipped schemas and the types that they refer to, by name.

    A type that several schemas use is included once.
    """
    folder = files("ggrep") / "model" / "schemas"
    definitions: dict[str, Json] = {}
    for name in SHIPPED:
        schema = stable_json.loads((folder / f"{name}.schema.json").read_bytes())
        whole = {key: value for key, value in schema.items() if key not in _OF_A_FILE}
        definitions |= {
            key: _moved(value) for key, value in {**schema.get("$defs", {}), name: whole}.items()
        }
    return definitions


def _moved(value: Json) -> Json:
    """Return a part of a schema with references moved to `#/components/schemas`."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {
            key: member.replace("#/$defs/", COMPONENTS)
            if key == "$ref" and isinstance(member, str)
            else _moved(member)
            for key, member in value.items()
        }
    if isinstance(value, Sequence):
        return [_moved(item) for item in value]
    return value


_FAILURES: Final = {
    "400": "The request is invalid; the reply names every issue.",
    "401": "The bearer token is missing or wrong.",
    "403": "The path is outside the allowed roots, or the request comes from a page of "
    "another site.",
    "405": "The route has no such method.",
    "408": "The body was not received in time.",
    "409": "There is no index, the index has another version, or a session cannot continue.",
    "413": "The body is too large.",
    "415": "The body is not application/json.",
    "421": "The Host header does not name this server.",
    "429": "Too many concurrent searches; Retry-After is the time to wait.",
    "500": "A store or the program failed.",
    "503": "The server was shut down during the request.",
    "504": "The deadline has passed.",
}
_OF_A_BODY: Final = frozenset({"408", "413", "415"})
_OF_ANY_ROUTE: Final = frozenset({"400", "401", "403", "405", "421", "500"})

_OWN_HEALTH: Final[Json] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["schema_version", "ok", "version"],
    "properties": {
        "schema_version": {"const": 1},
        "ok": {"const": True},
        "version": {"type": "string", "description": "Version of the program."},
    },
}
_ROOT: Final[Json] = {
    "name": "root",
    "in": "query",
    "description": "A directory in the repository, absolute.",
    "schema": {"type": "string"},
}


def _flag(name: str, description: str) -> Json:
    return {"name": name, "in": "query", "description": description, "schema": {"type": "boolean"}}


_PATHS: Final = _flag("includePaths", "Show absolute paths; needs the token.")


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
            "/search/federated": {
                "post": _operation(
                    "searchFederated",
                    "Search a workspace.",
                    _json(
                        "The merged answer; with the format `slate`, a slate in the place of its"
                        " lists.",
                        {"oneOf": [_ref("federated_success"), _ref("federated_slate")]},
                    ),
                    body="federated_body",
                )
            },
            "/search/federated/stream": {"post": _stream()},
            **{
                each.path: _question(each.path[1:], each.summary, f"{each.name}_body", each.schema)
                for each in PUBLIC
            },
            **{
                f"{each.path}/federated": _question(
                    f"{each.name}Federated",
                    each.workspace_summary,
                    f"federated_{each.name}_body",
                    f"federated_{each.name}",
                )
                for each in PUBLIC
                if each.workspace
            },
            "/status": {
                "get": _operation(
                    "status",
                    "Show the index of a repository.",
                    _json("The state of the index; paths are redacted.", {"type": "object"}),
                    _FAILURES.keys() - _OF_A_BODY,
                    parameters=[_ROOT, _PATHS],
                )
            },
            "/health": {
                "get": _operation(
                    "health",
                    "Check a repository's store, or that the server answers.",
                    _json(
                        "The checks of the store; without a root, those of the server.",
                        {"anyOf": [_ref("own_health"), _ref("health")]},
                    ),
                    _FAILURES.keys() - _OF_A_BODY,
                    parameters=[_ROOT, _flag("deep", "Verify the hash of every file."), _PATHS],
                )
            },
            "/metrics": {
                "get": _operation(
                    "metrics",
                    "Return metrics for Prometheus.",
                    {
                        "description": "The figures.",
                        "content": {"text/plain": {"schema": {"type": "string"}}},
                    },
                    _OF_ANY_ROUTE,
                )
            },
            **{path: {"get": _asset(path, kind)} for path, kind in page_files().items()},
            "/session": {
                "post": _operation(
                    "session",
                    "Exchange the code from the printed address, or the token, for a key "
                    "of the page.",
                    _json("The key.", _ref("page_session")),
                    _OF_ANY_ROUTE,
                )
            },
            "/places": {
                "get": _operation(
                    "places",
                    "List the repositories and workspaces that the page can search.",
                    _json(
                        "The repositories and workspaces; paths are only for callers "
                        "with the token.",
                        _ref("page_places"),
                    ),
                    _OF_ANY_ROUTE,
                )
            },
            "/openapi.json": {
                "get": _operation(
                    "openapi",
                    "Return this document.",
                    _json("This document.", {"type": "object"}),
                    _OF_ANY_ROUTE,
                )
            },
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
                "own_health": _OWN_HEALTH,
            },
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"bearer": []}, {}],
    }


def _asset(path: str, media_type: str) -> dict[str, Json]:
    file: dict[str, Json] = {
        "description": "The file.",
        "content": {media_type: {"schema": {"type": "string"}}},
    }
    name = "page" if path == "/" else path.rpartition("/")[2]
    return _operation(name, "Return a file of the page for browsers.", file, _OF_ANY_ROUTE)


def _stream() -> dict[str, Json]:
    description = (
        "One event `repo` for each finished repository, then one event `answer` or `error`, whose"
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
    answer: dict[str, Json] = {
        "description": description,
        "content": {"text/event-stream": {"schema": event}},
    }
    return _operation(
        "searchFederatedStream",
        "Search a workspace and report each repository.",
        answer,
        body="federated_body",
    )


def _question(name: str, summary: str, body: str, answer: str) -> dict[str, Json]:
    return {"post": _operation(name, summary, _json("The answer.", _ref(answer)), body=body)}


def _operation(
    name: str,
    summary: str,
    answer: dict[str, Json],
    failures: Collection[str] = _FAILURES,
    *,
    body: str = "",
    parameters: Sequence[Json] = (),
) -> dict[str, Json]:
    """Return an operation that returns `answer`, or fails with one of `failures`."""
    operation: dict[str, Json] = {
        "operationId": name,
        "summary": summary,
        "responses": {
            "200": answer,
            **{status: _json(_FAILURES[status], _ref("federated_error")) for status in failures},
        },
    }
    if body:
        content = {"application/json": {"schema": _ref(body)}}
        operation["requestBody"] = {"required": True, "content": content}
    if parameters:
        operation["parameters"] = parameters
    return operation


def _json(description: str, schema: dict[str, Json]) -> dict[str, Json]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _ref(name: str) -> dict[str, Json]:
    return {"$ref": COMPONENTS + name}
