"""Pieces of JSON Schema that descriptions of request bodies are put together from."""

from typing import Final

from ggrep.stable_json import Json

MAX_INTEGER: Final = 2**53 - 1
"""Largest integer that every JSON reader takes for what it is."""


def query() -> dict[str, Json]:
    """Return the schema of what is looked for."""
    return {
        "type": "string",
        "pattern": r"\S",
        "description": "What to look for, in words or names.",
    }


def root() -> dict[str, Json]:
    """Return the schema of the repository's place."""
    about = "A directory in the repository, absolute; the server's own where none is given."
    return {"type": ["string", "null"], "minLength": 1, "description": about}


def object_of(properties: dict[str, Json], *, required: tuple[str, ...] = ()) -> dict[str, Json]:
    """Return the schema of an object that has these keys and no others."""
    found: dict[str, Json] = {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }
    return {**found, "required": list(required)} if required else found


def nullable(schema: dict[str, Json]) -> dict[str, Json]:
    """Return the schema with null beside it, which says nothing."""
    return {"anyOf": [schema, {"type": "null"}]}


def many(description: str) -> dict[str, Json]:
    """Return the schema of a string, or of an array of them."""
    return {"anyOf": texts(description)}


def texts(description: str) -> list[Json]:
    """Return the ways of saying some strings."""
    text: dict[str, Json] = {"type": "string", "description": description}
    return [text, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]


def flag(description: str) -> dict[str, Json]:
    """Return the schema of true or false."""
    return {"type": ["boolean", "null"], "description": description}


def integer(least: int, most: int, description: str) -> dict[str, Json]:
    """Return the schema of a whole number within bounds."""
    return {
        "type": ["integer", "null"],
        "minimum": least,
        "maximum": most,
        "description": description,
    }
