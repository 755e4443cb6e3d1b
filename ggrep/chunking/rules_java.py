"""How Java is read."""

from typing import Final

from tree_sitter import Node

from ggrep.chunking.found import Found, Rules, body_of, field_text, text_of

_TYPES: Final = {
    "class_declaration": "class",
    "record_declaration": "class",
    "interface_declaration": "interface",
    "annotation_type_declaration": "interface",
    "enum_declaration": "enum",
    "method_declaration": "method",
    "constructor_declaration": "method",
    "compact_constructor_declaration": "method",
}


def describe(node: Node) -> Found | None:
    """Return what a declaration defines."""
    kind = node.type
    if kind in _TYPES:
        loose = kind == "method_declaration" and not body_of(node)
        return Found(_TYPES[kind], field_text(node, "name"), body_of(node), loose=loose)
    return Found("", inside=(node,)) if kind == "enum_body_declarations" else None


def imported(node: Node) -> tuple[str, ...]:
    """Return the dotted name of an import or of the package."""
    if node.type not in {"import_declaration", "package_declaration"}:
        return ()
    name = text_of(node).removeprefix("package ").removeprefix("import ")
    return (name.removeprefix("static ").rstrip("; "),)


RULES: Final = Rules(describe, imported)
