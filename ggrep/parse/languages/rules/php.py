"""Rules for PHP."""

import re
from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.found import (
    Found,
    Rules,
    body_of,
    by_kind,
    constants,
    field_text,
    first_named,
    named_as,
    text_of,
    wrapper,
)

_TYPES: Final = {
    "class_declaration": "class",
    "enum_declaration": "enum",
    "interface_declaration": "interface",
    "trait_declaration": "class",
}
_CLOSURES: Final = frozenset({"anonymous_function", "arrow_function"})
_INCLUDES: Final = frozenset(
    {"include_expression", "include_once_expression", "require_expression"}
    | {"require_once_expression"}
)
_QUOTED: Final = re.compile(r"""["']([^"']{1,200})["']""")
_MAX_PRELUDE: Final = 8
"""How many nodes of a file are searched for the namespace of all that follows."""


def _type(node: Node) -> Found | None:
    name = field_text(node, "name")
    return Found(_TYPES[node.type], name, body_of(node), owners=_file_namespace(node))


def _file_namespace(node: Node) -> tuple[str, ...]:
    """Return the namespace declared for the whole file, if this is an outermost definition."""
    parent = node.parent
    if parent is None or parent.type != "program":
        return ()
    for index in range(min(_MAX_PRELUDE, parent.named_child_count)):
        before = parent.named_child(index)
        if before.type == "namespace_definition" and not body_of(before):
            return (_dotted(field_text(before, "name")),)
    return ()


def _namespace(node: Node) -> Found | None:
    """Return a namespace, dotted and as it is written; it may be that of the whole file."""
    written, inside = field_text(node, "name"), body_of(node)
    name = _dotted(written)
    if not inside:
        return Found("module", name, more_names=(written,), loose=True)
    if not name:
        return Found("", inside=inside)
    return Found("module", name, inside, more_names=(written,), thin=True, always_open=True)


def _function(node: Node) -> Found | None:
    owners = _file_namespace(node)
    return Found("function", field_text(node, "name"), body_of(node), owners=owners)


def _method(node: Node) -> Found | None:
    name, inside = field_text(node, "name"), body_of(node)
    fields = tuple(_promoted(node)) if name == "__construct" else ()
    return Found("method", name, inside, more_names=fields, loose=not inside)


def _promoted(node: Node) -> list[str]:
    """Return the constructor's parameters that are properties as well."""
    parameters = node.child_by_field_name("parameters")
    given = [] if parameters is None else parameters.named_children
    return [
        field_text(item, "name").strip("&$")
        for item in given
        if item.type == "property_promotion_parameter"
    ]


def _constants(node: Node) -> Found | None:
    elements = [item for item in node.named_children if item.type == "const_element"]
    return constants([text_of(first_named(item)) for item in elements])


def _properties(node: Node) -> Found | None:
    elements = [item for item in node.named_children if item.type == "property_element"]
    return constants([field_text(item, "name").lstrip("$") for item in elements])


def _statement(node: Node) -> Found | None:
    inner = first_named(node)
    if inner is None:
        return None
    if inner.type == "assignment_expression":
        return _assigned(inner)
    if inner.type == "function_call_expression" and field_text(inner, "function") == "define":
        named = _QUOTED.search(field_text(inner, "arguments"))
        return Found("constant", named[1], loose=True) if named else None
    return None


def _assigned(node: Node) -> Found | None:
    """Return the variable that a statement sets; one that holds a closure is a function."""
    left, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or left.type != "variable_name" or value is None:
        return None
    name = text_of(left).lstrip("$")
    if value.type in _CLOSURES:
        return Found("function", name, body_of(value))
    return Found("constant", name, loose=True)


def _returned(node: Node) -> Found | None:
    """Return the members of `return new class {...}`, which has no name."""
    made = first_named(node)
    if made is None or made.type != "object_creation_expression":
        return None
    unnamed = first_named(made)
    return None if unnamed is None or not body_of(unnamed) else Found("", inside=body_of(unnamed))


describe: Final = by_kind(
    {
        _type: " ".join(_TYPES),
        _constants: "const_declaration",
        named_as("constant", loose=True): "enum_case",
        _statement: "expression_statement",
        _function: "function_definition",
        _method: "method_declaration",
        _namespace: "namespace_definition",
        _properties: "property_declaration",
        _returned: "return_statement",
        wrapper: "compound_statement else_clause else_if_clause if_statement try_statement",
    }
)


def _dotted(name: str) -> str:
    return name.strip("\\").replace("\\", ".")


def imported(node: Node) -> tuple[str, ...]:
    """Return names brought in by `use`, dotted, and files that are included."""
    match node.type:
        case "namespace_use_declaration":
            return _used(node)
        case "expression_statement":
            inner = first_named(node)
            if inner is None or inner.type not in _INCLUDES:
                return ()
            return tuple(_QUOTED.findall(text_of(inner)))
        case _:
            return ()


def _used(node: Node) -> tuple[str, ...]:
    """Return a dotted name for each that is used, alone or in a group of braces."""
    words = text_of(node).removeprefix("use ").rstrip("; ")
    words = words.removeprefix("function ").removeprefix("const ")
    stem, brace, rest = words.partition("{")
    listed = (rest.rstrip("} ") if brace else words).split(",")
    names = [item.strip().partition(" as ")[0] for item in listed]
    return tuple(_dotted(f"{stem if brace else ''}{name}") for name in names if name)


RULES: Final = Rules(describe, imported, fields=True)
