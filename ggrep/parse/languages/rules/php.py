"""Rules for PHP."""

import re
from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
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
"""Maximum number of nodes of a file that are searched for the namespace of the whole file."""


def _type(node: Node) -> Construct | None:
    name = field_text(node, "name")
    return Construct(_TYPES[node.type], name, body_of(node), owners=_file_namespace(node))


def _file_namespace(node: Node) -> tuple[str, ...]:
    """Return the namespace of the whole file, if this node is an outermost definition."""
    parent = node.parent
    if parent is None or parent.type != "program":
        return ()
    for index in range(min(_MAX_PRELUDE, parent.named_child_count)):
        before = parent.named_child(index)
        if before.type == "namespace_definition" and not body_of(before):
            return (_dotted(field_text(before, "name")),)
    return ()


def _namespace(node: Node) -> Construct | None:
    """Return a namespace with its dotted name and its name as written."""
    written, inside = field_text(node, "name"), body_of(node)
    name = _dotted(written)
    if not inside:
        return Construct("module", name, more_names=(written,), loose=True)
    if not name:
        return Construct("", inside=inside)
    return Construct("module", name, inside, more_names=(written,), thin=True, always_open=True)


def _function(node: Node) -> Construct | None:
    owners = _file_namespace(node)
    return Construct("function", field_text(node, "name"), body_of(node), owners=owners)


def _method(node: Node) -> Construct | None:
    name, inside = field_text(node, "name"), body_of(node)
    fields = tuple(_promoted(node)) if name == "__construct" else ()
    return Construct("method", name, inside, more_names=fields, loose=not inside)


def _promoted(node: Node) -> list[str]:
    """Return the constructor's parameters that are also properties."""
    parameters = node.child_by_field_name("parameters")
    given = [] if parameters is None else parameters.named_children
    return [
        field_text(item, "name").strip("&$")
        for item in given
        if item.type == "property_promotion_parameter"
    ]


def _constants(node: Node) -> Construct | None:
    elements = [item for item in node.named_children if item.type == "const_element"]
    return constants([text_of(first_named(item)) for item in elements])


def _properties(node: Node) -> Construct | None:
    elements = [item for item in node.named_children if item.type == "property_element"]
    return constants([field_text(item, "name").lstrip("$") for item in elements])


def _statement(node: Node) -> Construct | None:
    inner = first_named(node)
    if inner is None:
        return None
    if inner.type == "assignment_expression":
        return _assigned(inner)
    if inner.type == "function_call_expression" and field_text(inner, "function") == "define":
        named = _QUOTED.search(field_text(inner, "arguments"))
        return Construct("constant", named[1], loose=True) if named else None
    return None


def _assigned(node: Node) -> Construct | None:
    """Return the variable that a statement sets, or a function if the value is a closure."""
    left, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or left.type != "variable_name" or value is None:
        return None
    name = text_of(left).lstrip("$")
    if value.type in _CLOSURES:
        return Construct("function", name, body_of(value))
    return Construct("constant", name, loose=True)


def _returned(node: Node) -> Construct | None:
    """Return the members of `return new class {...}`, which has no name."""
    made = first_named(node)
    if made is None or made.type != "object_creation_expression":
        return None
    unnamed = first_named(made)
    return (
        None if unnamed is None or not body_of(unnamed) else Construct("", inside=body_of(unnamed))
    )


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
    """Return the dotted names that `use` imports, and the files that are included."""
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
    """Return the dotted name of each used item, alone or in braces."""
    words = text_of(node).removeprefix("use ").rstrip("; ")
    words = words.removeprefix("function ").removeprefix("const ")
    stem, brace, rest = words.partition("{")
    listed = (rest.rstrip("} ") if brace else words).split(",")
    names = [item.strip().partition(" as ")[0] for item in listed]
    return tuple(_dotted(f"{stem if brace else ''}{name}") for name in names if name)


RULES: Final = Rules(describe, imported, fields=True)
