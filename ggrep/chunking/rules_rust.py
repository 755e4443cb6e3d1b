"""How Rust is read."""

from typing import Final

from tree_sitter import Node

from ggrep.chunking.found import Found, Rules, body_of, field_text, text_of

_NAMED: Final = {
    "function_item": "function",
    "struct_item": "class",
    "union_item": "class",
    "enum_item": "enum",
    "trait_item": "interface",
    "type_item": "typealias",
    "macro_definition": "function",
}
_LOOSE: Final = {
    "function_signature_item": "function",
    "associated_type": "typealias",
    "const_item": "constant",
    "static_item": "constant",
}
_WITH_MEMBERS: Final = frozenset({"function_item", "trait_item"})


def describe(node: Node) -> Found | None:
    """Return what an item defines; an `impl` goes by the name of its type."""
    kind = node.type
    if kind in _NAMED:
        inside = body_of(node) if kind in _WITH_MEMBERS else ()
        return Found(_NAMED[kind], field_text(node, "name"), inside)
    if kind in _LOOSE:
        return Found(_LOOSE[kind], field_text(node, "name"), loose=True)
    if kind == "impl_item":
        return Found("class", _type_name(node), body_of(node), thin=True)
    if kind == "mod_item" and body_of(node):
        return Found("module", field_text(node, "name"), body_of(node), thin=True, always_open=True)
    return Found("", inside=body_of(node)) if kind == "foreign_mod_item" else None


def _type_name(node: Node) -> str:
    target = node.child_by_field_name("type")
    while target is not None and target.type in {"generic_type", "reference_type"}:
        target = target.child_by_field_name("type")
    return text_of(target).rpartition("::")[2]


def imported(node: Node) -> tuple[str, ...]:
    """Return what `use`, `extern crate` and bodiless `mod` name."""
    match node.type:
        case "use_declaration":
            return (field_text(node, "argument"),)
        case "extern_crate_declaration" | "mod_item":
            return (field_text(node, "name"),)
        case _:
            return ()


RULES: Final = Rules(describe, imported)
