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
    "field_declaration": "constant",
}


def describe(node: Node) -> Found | None:
    """Return what an item defines; an `impl` goes by the name of its type."""
    kind = node.type
    if kind in _NAMED:
        return Found(_NAMED[kind], field_text(node, "name"), body_of(node))
    if kind in _LOOSE:
        return Found(_LOOSE[kind], field_text(node, "name"), loose=True)
    reader = _READERS.get(kind)
    return None if reader is None else reader(node)


def _implementation(node: Node) -> Found | None:
    return Found("class", _type_name(node), body_of(node), thin=True)


def _variant(node: Node) -> Found | None:
    return Found("constant", field_text(node, "name"), body_of(node), loose=True)


def _foreign(node: Node) -> Found | None:
    return Found("", inside=body_of(node))


def _module(node: Node) -> Found | None:
    name, body = field_text(node, "name"), body_of(node)
    if not body:
        return Found("module", name, loose=True)
    return Found("module", name, body, thin=True, always_open=True)


def _type_name(node: Node) -> str:
    target = node.child_by_field_name("type")
    while target is not None and target.type in {"generic_type", "reference_type"}:
        target = target.child_by_field_name("type")
    return text_of(target).rpartition("::")[2]


_READERS: Final = {
    "enum_variant": _variant,
    "foreign_mod_item": _foreign,
    "impl_item": _implementation,
    "mod_item": _module,
}


def imported(node: Node) -> tuple[str, ...]:
    """Return what `use` and `extern crate` name."""
    match node.type:
        case "use_declaration":
            return (field_text(node, "argument"),)
        case "extern_crate_declaration":
            return (field_text(node, "name"),)
        case _:
            return ()


RULES: Final = Rules(describe, imported, fields=True)
