"""JSON Schema of the bodies of slates, names and places; `surfaces.navigation_body` judges them."""

from typing import Final

from ggrep.api.request_schemas import search_settings
from ggrep.api.schema_parts import (
    MAX_INTEGER,
    flag,
    integer,
    many,
    nullable,
    object_of,
    query,
    root,
)
from ggrep.api.slate_schema import slate_settings
from ggrep.stable_json import Json
from ggrep.surfaces.navigation_body import BOUNDARIES, MAX_TARGETS, NEW_SESSION, SESSION_OPS
from ggrep.surfaces.search_fields import DEFAULT_TIMEOUT_MS

_SCOPE: Final[dict[str, Json]] = {
    "type": ["string", "null"],
    "description": "Directory or file below the root that the answer is narrowed to.",
}


def slate_body() -> dict[str, Json]:
    """Return the schema of `POST /context`."""
    properties: dict[str, Json] = {
        "query": query(),
        "root": root(),
        "search": nullable(search_settings(least_top=1, scoped=True)),
        "slate": nullable(slate_settings()),
        "session": nullable(_session()),
    }
    return object_of(properties, required=("query",))


def symbol_body() -> dict[str, Json]:
    """Return the schema of `POST /symbol`."""
    return object_of(_named("Most definitions; 0 for as many as there may be."), required=("name",))


def references_body() -> dict[str, Json]:
    """Return the schema of `POST /references`."""
    properties: dict[str, Json] = {
        **_named("Most mentions; 0 for as many as there may be."),
        "strings": flag("Return mentions inside of string literals too."),
        "comments": flag("Return mentions inside of comments and documents too."),
    }
    return object_of(properties, required=("name",))


def expand_body() -> dict[str, Json]:
    """Return the schema of `POST /expand`."""
    properties: dict[str, Json] = {
        "root": root(),
        "target": {
            "type": "string",
            "pattern": r"\S",
            "description": "A row_id or 8 of its first digits, `path:line`, `path:line-line`,"
            " or `path`.",
        },
        "boundary": {
            "enum": [*BOUNDARIES, None],
            "description": "How far to go; the widest that the bytes allow by default.",
        },
        "maxBytes": integer(1, MAX_INTEGER, "Most bytes of the text."),
        **_answering(),
    }
    return object_of(properties, required=("target",))


def _session() -> dict[str, Json]:
    about = "Files or `path:line` places to open further, for `expand`."
    several: dict[str, Json] = {"type": "array", "items": {"type": "string"}}
    return object_of(
        {
            "token": {
                "type": ["string", "null"],
                "description": f"From the answer before; none, or `{NEW_SESSION}`, to begin.",
            },
            "op": {
                "enum": [*SESSION_OPS, None],
                "description": "`start` without a token and `refine` with one, unless said.",
            },
            "targets": {
                "description": about,
                "anyOf": [
                    {"type": "string"},
                    {**several, "maxItems": MAX_TARGETS},
                    {"type": "null"},
                ],
            },
            "deltaOnly": flag("Leave out files that the session has returned before."),
        }
    )


def _named(most: str) -> dict[str, Json]:
    return {
        "root": root(),
        "name": {
            "type": "string",
            "pattern": r"\S",
            "description": "A name, or `container.name` with dots, `::`, `#` or `/`.",
        },
        "scope": _SCOPE,
        "filter": many("Filters as `key:value`, negated with a leading `-`."),
        "limit": integer(0, MAX_INTEGER, most),
        **_answering(),
    }


def _answering() -> dict[str, Json]:
    return {
        "deterministic": flag("Equal bytes for equal state."),
        "timeoutMs": integer(
            0, MAX_INTEGER, f"Deadline, end to end; 0 for the default of {DEFAULT_TIMEOUT_MS}."
        ),
    }
