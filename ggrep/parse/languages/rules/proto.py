"""Rules for protocol buffer definitions."""

from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.found import (
    Found,
    Rules,
    by_kind,
    field_text,
    last_named,
    named,
    text_of,
)


def _package(node: Node) -> Found | None:
    return Found("module", text_of(named(node, 0)), loose=True)


def _message(node: Node) -> Found | None:
    body = last_named(node)
    if body is None:
        return None
    return Found("class", text_of(named(node, 0)), (body,))


def _enum(node: Node) -> Found | None:
    body = last_named(node)
    return Found("enum", text_of(named(node, 0)), () if body is None else (body,))


def _service(node: Node) -> Found | None:
    return Found("interface", text_of(named(node, 0)), (node,))


def _rpc(node: Node) -> Found | None:
    return Found("function", text_of(named(node, 0)), loose=True)


def _field(node: Node) -> Found | None:
    inside = (node,) if node.type == "oneof" else ()
    return Found("constant", _identifier(node), inside, loose=True)


def _identifier(node: Node) -> str:
    return next((text_of(item) for item in node.named_children if item.type == "identifier"), "")


describe: Final = by_kind(
    {
        _package: "package",
        _message: "extend message",
        _enum: "enum",
        _service: "service",
        _rpc: "rpc",
        _field: "enum_field field map_field oneof oneof_field",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return the paths of imported files."""
    if node.type != "import":
        return ()
    return (field_text(node, "path").strip("\"'"),)


RULES: Final = Rules(describe, imported, fields=True)
