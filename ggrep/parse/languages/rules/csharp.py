"""Rules for C#."""

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.found import Found, Rules, body_of, field_text, text_of

_TYPES: Final = {
    "class_declaration": "class",
    "enum_declaration": "enum",
    "interface_declaration": "interface",
    "record_declaration": "class",
    "record_struct_declaration": "class",
    "struct_declaration": "class",
}
_FUNCTIONS: Final = {
    "constructor_declaration": "method",
    "local_function_statement": "function",
    "method_declaration": "method",
}
_WRAPPERS: Final = frozenset({"preproc_if", "preproc_elif", "preproc_else", "global_statement"})
_MAX_USINGS: Final = 64
"""How many nodes in front of a type are searched for the namespace of the whole file."""


def describe(node: Node) -> Found | None:
    """Return what a declaration defines."""
    kind = node.type
    if kind in _WRAPPERS:
        return Found("", inside=(node,))
    reader = _READERS.get(kind)
    return None if reader is None else reader(node)


def _type(node: Node) -> Found | None:
    fields: tuple[str, ...] = ()
    if node.type.startswith("record"):
        fields = tuple(_parameters(node))
    kind, name = _TYPES[node.type], field_text(node, "name")
    return Found(kind, name, body_of(node), owners=_file_namespace(node), more_names=fields)


def _parameters(node: Node) -> list[str]:
    """Return a record's parameters, which are its properties."""
    lists = [child for child in node.named_children if child.type == "parameter_list"]
    return [field_text(item, "name") for part in lists for item in part.named_children]


def _file_namespace(node: Node) -> tuple[str, ...]:
    """Return the namespace that the file declares for all that follows, if this is outermost."""
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


def _namespace(node: Node) -> Found | None:
    name, inside = field_text(node, "name"), body_of(node)
    if not inside:
        return Found("module", name, loose=True)
    return Found("module", name, inside, thin=True, always_open=True)


def _function(node: Node) -> Found | None:
    inside = body_of(node)
    return Found(_FUNCTIONS[node.type], field_text(node, "name"), inside, loose=not inside)


def _destructor(node: Node) -> Found | None:
    return Found("method", f"~{field_text(node, 'name')}", body_of(node))


def _operator(node: Node) -> Found | None:
    return Found("method", f"operator {field_text(node, 'operator')}", body_of(node))


def _conversion(node: Node) -> Found | None:
    return Found("method", f"operator {field_text(node, 'type')}", body_of(node))


def _indexer(_node: Node) -> Found | None:
    return Found("method", "this", loose=True)


def _property(node: Node) -> Found | None:
    return Found("constant", field_text(node, "name"), loose=True)


def _fields(node: Node) -> Found | None:
    declared = [item for item in node.named_children if item.type == "variable_declaration"]
    variables = [item for part in declared for item in part.named_children]
    names = [field_text(item, "name") for item in variables if item.type == "variable_declarator"]
    return Found("constant", names[0], more_names=tuple(names[1:]), loose=True) if names else None


def _delegate(node: Node) -> Found | None:
    return Found("typealias", field_text(node, "name"), owners=_file_namespace(node), loose=True)


_READERS: Final[dict[str, Callable[[Node], Found | None]]] = {
    **dict.fromkeys(_TYPES, _type),
    **dict.fromkeys(_FUNCTIONS, _function),
    "conversion_operator_declaration": _conversion,
    "delegate_declaration": _delegate,
    "destructor_declaration": _destructor,
    "enum_member_declaration": _property,
    "event_declaration": _property,
    "event_field_declaration": _fields,
    "field_declaration": _fields,
    "file_scoped_namespace_declaration": _namespace,
    "indexer_declaration": _indexer,
    "namespace_declaration": _namespace,
    "operator_declaration": _operator,
    "property_declaration": _property,
}


def imported(node: Node) -> tuple[str, ...]:
    """Return the name that a `using` brings in, not the alias it may give it."""
    if node.type != "using_directive" or not node.named_children:
        return ()
    return (text_of(node.named_children[-1]),)


RULES: Final = Rules(describe, imported, fields=True)
