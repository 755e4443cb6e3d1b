"""Rules for Java."""

from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    by_kind,
    constants,
    field_text,
    named_as,
    text_of,
    wrapper,
)


def _fields(node: Node) -> Construct | None:
    names = [field_text(item, "name") for item in node.children_by_field_name("declarator")]
    return constants(names)


describe: Final = by_kind(
    {
        named_as("class"): "class_declaration record_declaration",
        named_as("interface"): "annotation_type_declaration interface_declaration",
        named_as("enum"): "enum_declaration",
        named_as("method"): "compact_constructor_declaration constructor_declaration",
        named_as("method", loose=None): "annotation_type_element_declaration method_declaration",
        named_as("constant", loose=True): "enum_constant",
        _fields: "constant_declaration field_declaration",
        wrapper: "enum_body_declarations",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return the dotted name of an import or of the package."""
    if node.type not in {"import_declaration", "package_declaration"}:
        return ()
    name = text_of(node).removeprefix("package ").removeprefix("import ")
    return (name.removeprefix("static ").rstrip("; "),)


RULES: Final = Rules(describe, imported, fields=True)
