"""Rules for Java."""

from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.found import Found, Rules, body_of, field_text, text_of

_TYPES: Final = {
    "class_declaration": "class",
    "record_declaration": "class",
    "interface_declaration": "interface",
    "annotation_type_declaration": "interface",
    "enum_declaration": "enum",
    "method_declaration": "method",
    "constructor_declaration": "method",
    "compact_constructor_declaration": "method",
    "annotation_type_element_declaration": "method",
}
_SIGNATURES: Final = frozenset({"method_declaration", "annotation_type_element_declaration"})
_FIELDS: Final = frozenset({"constant_declaration", "field_declaration"})


def describe(node: Node) -> Found | None:
    """Return what a declaration defines."""
    kind = node.type
    if kind in _TYPES:
        loose = kind in _SIGNATURES and not body_of(node)
        return Found(_TYPES[kind], field_text(node, "name"), body_of(node), loose=loose)
    if kind in _FIELDS:
        return _field(node)
    if kind == "enum_constant":
        return Found("constant", field_text(node, "name"), body_of(node), loose=True)
    return Found("", inside=(node,)) if kind == "enum_body_declarations" else None


def _field(node: Node) -> Found | None:
    names = [field_text(item, "name") for item in node.children_by_field_name("declarator")]
    return Found("constant", names[0], more_names=tuple(names[1:]), loose=True) if names else None


def imported(node: Node) -> tuple[str, ...]:
    """Return the dotted name of an import or of the package."""
    if node.type not in {"import_declaration", "package_declaration"}:
        return ()
    name = text_of(node).removeprefix("package ").removeprefix("import ")
    return (name.removeprefix("static ").rstrip("; "),)


RULES: Final = Rules(describe, imported, fields=True)
