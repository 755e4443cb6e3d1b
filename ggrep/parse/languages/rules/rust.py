"""Rules for Rust."""

from dataclasses import replace
from functools import partial
from typing import Final

from tree_sitter import Node, Point, Range

from ggrep.parse.languages.found import Found, Rules, body_of, field_text, text_of
from ggrep.parse.languages.trees import parse_parts

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
    if kind == "const_item" and node.child_by_field_name("type") is None:
        return None
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


_ITEMS: Final = frozenset({"source_file", "declaration_list"})
"""What holds items, and not statements."""
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


def with_macros(data: bytes) -> Rules:
    """Return how a file is read, the items that stand inside of macros included."""
    return replace(RULES, island=partial(_items, data), with_text=None)


def _items(data: bytes, node: Node) -> Node | None:
    """Return the root of the items that a macro is given in braces: `cfg_x! { fn a() {} }`."""
    around = node.parent
    if node.type != "macro_invocation" or around is None or around.type not in _ITEMS:
        return None
    given = node.named_children[-1]
    if not _is_braced(given):
        return None
    inner = given.children
    if [child.type for child in inner[1:3]] == ["if", "#"]:  # cfg_if! { if #[cfg(unix)] { ... } }
        parts = [_inside(branch) for branch in inner if _is_braced(branch)]
    else:
        parts = [_inside(given)]
    return parse_parts("rust", data, parts)


def _is_braced(node: Node) -> bool:
    return node.type == "token_tree" and node.children[0].type == "{"


def _inside(tree: Node) -> Range:
    """Return what stands between a tree's brackets."""
    start, end = tree.children[0], tree.children[-1]
    stop = end if end.start_byte >= start.end_byte else start
    low, high = start.end_point, stop.start_point
    return Range(Point(*low), Point(*high), start.end_byte, max(start.end_byte, stop.start_byte))


RULES: Final = Rules(describe, imported, fields=True, with_text=with_macros)
