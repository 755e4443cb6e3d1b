"""Rules for protocol buffer definitions."""

from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Rules,
    by_kind,
    field_text,
    itself,
    last_named,
    named,
    named_as,
    text_of,
)


def _name(node: Node) -> str:
    return text_of(named(node, 0))


def _last(node: Node) -> tuple[Node, ...]:
    body = last_named(node)
    return () if body is None else (body,)


def _identifier(node: Node) -> str:
    return next((text_of(item) for item in node.named_children if item.type == "identifier"), "")


describe: Final = by_kind(
    {
        named_as("module", _name, loose=True): "package",
        named_as("class", _name, _last): "extend message",
        named_as("enum", _name, _last): "enum",
        named_as("interface", _name, itself): "service",
        named_as("function", _name, loose=True): "rpc",
        named_as("constant", _identifier, loose=True): "enum_field field map_field oneof_field",
        named_as("constant", _identifier, itself, loose=True): "oneof",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return the paths of imported files."""
    if node.type != "import":
        return ()
    return (field_text(node, "path").strip("\"'"),)


RULES: Final = Rules(describe, imported, fields=True)
