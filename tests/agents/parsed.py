"""What real parsers read in a file, and what they read at the place of our entry."""

import tomllib
from copy import deepcopy
from typing import Any

import json5

from ggrep.interfaces.agents.clients import CLIENTS, ConfigFile, Scope
from ggrep.interfaces.agents.text_edit import JsonEntry, Piece, TomlTable

START = "ggrep"
TARGETS: dict[str, tuple[Scope, ConfigFile]] = {
    f"{client.name}-{scope}-{target.paths[0]}": (scope, target)
    for client in CLIENTS.values()
    for scope in ("user", "project")
    for target in client.targets(scope)
}
"""Each file of each client."""


def read(data: bytes, piece: Piece) -> Any:
    """Return what a real parser of the format reads."""
    text = data.decode().removeprefix("\ufeff")
    match piece:
        case JsonEntry():
            return json5.loads(text) if text.strip() and has_value(text) else None
        case TomlTable():
            return tomllib.loads(text)
        case _:
            return text


def has_value(text: str) -> bool:
    """Return whether a JSON text holds more than comments."""
    return "{" in text or "[" in text or any(c.isalnum() for c in text.partition("//")[0])


def split(value: Any, piece: Piece) -> tuple[Any, Any]:
    """Return our entry and all the rest; objects that hold nothing are none."""
    rest = deepcopy(value) or {}
    match piece:
        case JsonEntry() | TomlTable():
            return _of_tables(rest, piece.keys), rest
        case _:
            return None, None


def _of_tables(rest: Any, keys: tuple[str, ...]) -> Any:
    inner = rest
    for key in keys:
        inner = inner.get(key) or {}
    ours = inner.pop("ggrep", None)
    for key in keys:
        if not rest.get(key, True):
            del rest[key]
    return ours


def expected(piece: Piece) -> Any:
    """Return what a parser has to read at the place of our entry."""
    match piece:
        case JsonEntry():
            lists = {key: list(item) for key, item in piece.value.items() if key == "args"}
            return {**piece.value, **lists}
        case TomlTable():
            return {"command": START, "args": ["mcp"]}
        case _:
            return None
