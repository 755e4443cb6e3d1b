"""Rules for PHP."""

import re
from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.found import Found, Rules, body_of, field_text, first_named, text_of

_TYPES: Final = {
    "class_declaration": "class",
    "enum_declaration": "enum",
    "interface_declaration": "interface",
    "trait_declaration": "class",
}
_WRAPPERS: Final = frozenset(
    {
        "compound_statement",
        "else_clause",
        "else_if_clause",
        "if_statement",
        "try_statement",
    }
)
_CLOSURES: Final = frozenset({"anonymous_function", "arrow_function"})
_INCLUDES: Final = frozenset(
    {"include_expression", "include_once_expression", "require_expression"}
    | {"require_once_expression"}
)
_QUOTED: Final = re.compile(r"""["']([^"']{1,200})["']""")
_MAX_PRELUDE: Final = 8
"""How many nodes of a file are searched for the namespace of all that follows."""


def describe(node: Node) -> Found | None:
    """Return what a statement or a class member defines; names go without their `$`."""
    kind = node.type
    if kind in _WRAPPERS:
        return Found("", inside=(node,))
    reader = _READERS.get(kind)
    return None if reader is None else reader(node)


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
    return _values([text_of(first_named(item)) for item in elements])


def _properties(node: Node) -> Found | None:
    elements = [item for item in node.named_children if item.type == "property_element"]
    return _values([field_text(item, "name").lstrip("$") for item in elements])


def _values(names: list[str]) -> Found | None:
    return Found("constant", names[0], more_names=tuple(names[1:]), loose=True) if names else None


def _case(node: Node) -> Found | None:
    return Found("constant", field_text(node, "name"), loose=True)


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


_READERS: Final[dict[str, Callable[[Node], Found | None]]] = {
    **dict.fromkeys(_TYPES, _type),
    "const_declaration": _constants,
    "enum_case": _case,
    "expression_statement": _statement,
    "function_definition": _function,
    "method_declaration": _method,
    "namespace_definition": _namespace,
    "property_declaration": _properties,
    "return_statement": _returned,
}


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
