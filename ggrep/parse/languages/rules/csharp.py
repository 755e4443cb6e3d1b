"""Rules for C#."""

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    body_of,
    by_kind,
    constants,
    field_text,
    named_as,
    text_of,
    wrapper,
)

_TYPES: Final = {
    "class_declaration": "class",
    "enum_declaration": "enum",
    "interface_declaration": "interface",
    "record_declaration": "class",
    "record_struct_declaration": "class",
    "struct_declaration": "class",
}
_MAX_USINGS: Final = 64
"""Maximum number of nodes before a type that are searched for the namespace of the whole file."""


def _type(node: Node) -> Construct | None:
    fields: tuple[str, ...] = ()
    if node.type.startswith("record"):
        fields = tuple(_parameters(node))
    kind, name = _TYPES[node.type], field_text(node, "name")
    return Construct(kind, name, body_of(node), owners=_file_namespace(node), more_names=fields)


def _parameters(node: Node) -> list[str]:
    """Return a record's parameters, which are its properties."""
    lists = [child for child in node.named_children if child.type == "parameter_list"]
    return [field_text(item, "name") for part in lists for item in part.named_children]


def _file_namespace(node: Node) -> tuple[str, ...]:
    """Return the namespace that the file declares for all types, if this node is outermost."""
    parent = node.parent
    if parent is None or parent.type != "compilation_unit":
        return ()
    for index in range(min(_MAX_USINGS, parent.named_child_count)):
        before = parent.named_child(index)
        if before.type in _TYPES:
            break
        if before.type == "file_scoped_namespace_declaration":
            return (field_text(before, "name"),)
    return ()


def _namespace(node: Node) -> Construct | None:
    name, inside = field_text(node, "name"), body_of(node)
    if not inside:
        return Construct("module", name, loose=True)
    return Construct("module", name, inside, thin=True, always_open=True)


def _fields(node: Node) -> Construct | None:
    declared = [item for item in node.named_children if item.type == "variable_declaration"]
    variables = [item for part in declared for item in part.named_children]
    names = [field_text(item, "name") for item in variables if item.type == "variable_declarator"]
    return constants(names)


def _delegate(node: Node) -> Construct | None:
    return Construct(
        "typealias", field_text(node, "name"), owners=_file_namespace(node), loose=True
    )


def _behind(word: str, field: str) -> Callable[[Node], str]:
    return lambda node: f"{word}{field_text(node, field)}"


describe: Final = by_kind(
    {
        _type: " ".join(_TYPES),
        named_as("method", loose=None): "constructor_declaration method_declaration",
        named_as("function", loose=None): "local_function_statement",
        named_as("method", _behind("operator ", "type")): "conversion_operator_declaration",
        _delegate: "delegate_declaration",
        named_as("method", _behind("~", "name")): "destructor_declaration",
        _fields: "event_field_declaration field_declaration",
        named_as("method", lambda _: "this", loose=True): "indexer_declaration",
        _namespace: "file_scoped_namespace_declaration namespace_declaration",
        named_as("method", _behind("operator ", "operator")): "operator_declaration",
        named_as("constant", loose=True): "enum_member_declaration event_declaration"
        " property_declaration",
        wrapper: "global_statement preproc_elif preproc_else preproc_if",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return the name that a `using` imports, not its alias."""
    if node.type != "using_directive" or not node.named_children:
        return ()
    return (text_of(node.named_children[-1]),)


RULES: Final = Rules(describe, imported, fields=True)
