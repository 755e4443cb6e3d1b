"""Rules for Rust."""

from functools import partial
from typing import Final

from msgspec.structs import replace
from tree_sitter import Node, Point, Range

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    body_of,
    by_kind,
    field_text,
    named_as,
    text_of,
)
from ggrep.parse.languages.trees import parse_parts


def _constant(node: Node) -> Construct | None:
    return None if node.child_by_field_name("type") is None else _value(node)


def _implementation(node: Node) -> Construct | None:
    return Construct("class", _type_name(node), body_of(node), thin=True)


def _foreign(node: Node) -> Construct | None:
    return Construct("", inside=body_of(node))


def _module(node: Node) -> Construct | None:
    name, body = field_text(node, "name"), body_of(node)
    if not body:
        return Construct("module", name, loose=True)
    return Construct("module", name, body, thin=True, always_open=True)


def _type_name(node: Node) -> str:
    target = node.child_by_field_name("type")
    while target is not None and target.type in {"generic_type", "reference_type"}:
        target = target.child_by_field_name("type")
    return text_of(target).rpartition("::")[2]


_value: Final = named_as("constant", loose=True)
_ITEMS: Final = frozenset({"source_file", "declaration_list"})
"""Nodes that contain items and no statements."""
describe: Final = by_kind(
    {
        named_as("function"): "function_item macro_definition",
        named_as("class"): "struct_item union_item",
        named_as("enum"): "enum_item",
        named_as("interface"): "trait_item",
        named_as("typealias"): "type_item",
        named_as("function", loose=True): "function_signature_item",
        named_as("typealias", loose=True): "associated_type",
        _value: "enum_variant field_declaration static_item",
        _constant: "const_item",
        _foreign: "foreign_mod_item",
        _implementation: "impl_item",
        _module: "mod_item",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return the names in `use` and `extern crate`."""
    match node.type:
        case "use_declaration":
            return (field_text(node, "argument"),)
        case "extern_crate_declaration":
            return (field_text(node, "name"),)
        case _:
            return ()


def with_macros(data: bytes) -> Rules:
    """Return the rules for a file, which also read the items inside its macros."""
    return replace(RULES, island=partial(_items, data), with_text=None)


def _items(data: bytes, node: Node) -> Node | None:
    """Return the root of the items in a macro's braces: `cfg_x! { fn a() {} }`."""
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
    """Return the range inside the brackets of a token tree."""
    start, end = tree.children[0], tree.children[-1]
    stop = end if end.start_byte >= start.end_byte else start
    low, high = start.end_point, stop.start_point
    return Range(Point(*low), Point(*high), start.end_byte, max(start.end_byte, stop.start_byte))


RULES: Final = Rules(describe, imported, fields=True, with_text=with_macros)
