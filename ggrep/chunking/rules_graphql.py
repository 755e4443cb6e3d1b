"""How GraphQL schemas and operations are read."""

from typing import Final, cast

from tree_sitter import Node

from ggrep.chunking.children import named
from ggrep.chunking.found import Found, Rules, text_of
from ggrep.chunking.runs import Run, inside_of

_COVERS: Final = frozenset(
    {
        "definition",
        "executable_definition",
        "type_definition",
        "type_extension",
        "type_system_definition",
        "type_system_extension",
    }
)
_KINDS: Final = {
    "directive_definition": "function",
    "enum_type_definition": "enum",
    "enum_type_extension": "enum",
    "fragment_definition": "class",
    "input_object_type_definition": "class",
    "input_object_type_extension": "class",
    "interface_type_definition": "interface",
    "interface_type_extension": "interface",
    "object_type_definition": "class",
    "object_type_extension": "class",
    "operation_definition": "function",
    "scalar_type_definition": "typealias",
    "scalar_type_extension": "typealias",
    "union_type_definition": "typealias",
    "union_type_extension": "typealias",
}
_MEMBERS: Final = frozenset(
    {"enum_values_definition", "fields_definition", "input_fields_definition"}
)


def describe(node: Node) -> Found | None:
    """Return what a definition or an extension defines."""
    if node.type == "document":
        return Found("", inside=(node,))
    if node.type == "run":
        return _definition(cast("Run", node).clauses[0].parent)
    inner: Node | None = node
    while inner is not None and inner.type in _COVERS:
        inner = named(inner, 0)
    return None if inner is None or inner.type not in _KINDS else _undescribed(inner)


def _undescribed(node: Node) -> Found | None:
    """Return the definition; one with a description is made a run that the latter leads."""
    first = named(node, 0)
    if first is None or first.type != "description":
        return _definition(node)
    run = cast("Node", Run((first,), node.children[1:]))
    return Found("", inside=inside_of(node.start_byte, (run,)))


def _definition(node: Node | None) -> Found | None:
    if node is None:
        return None
    name, doc = "", None
    inside: tuple[Node, ...] = ()
    members: tuple[str, ...] = ()
    for child in node.named_children:
        if child.type == "description":
            doc = child
        elif child.type in {"name", "fragment_name"}:
            name = text_of(child)
        elif child.type in _MEMBERS:
            inside = (child,)
            members = tuple(_member(item) for item in child.named_children)
    kind = _KINDS[node.type]
    return Found(kind, name, inside, more_names=members, loose=kind == "typealias", doc=doc)


def _member(node: Node) -> str:
    """Return the name of a field or value, behind its description."""
    for child in node.named_children:
        if child.type == "name":
            return text_of(child)
        if child.type == "enum_value":
            return text_of(child)
    return ""


def imported(node: Node) -> tuple[str, ...]:
    """Return nothing: GraphQL has no imports of its own."""
    del node
    return ()


RULES: Final = Rules(describe, imported)
