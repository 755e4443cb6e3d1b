"""Rules for Go."""

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

_TYPES: Final = {"struct_type": "class", "interface_type": "interface"}
_LISTS: Final = frozenset({"var_spec_list", "import_spec_list"})
_SPECS: Final = frozenset({"const_spec", "var_spec"})


def _method(node: Node) -> Construct | None:
    return Construct("method", field_text(node, "name"), body_of(node), owners=_receiver(node))


def _types(node: Node) -> Construct | None:
    specs = [child for child in node.named_children if child.type != "comment"]
    return describe(specs[0]) if len(specs) == 1 else wrapper(node)


def _type(node: Node) -> Construct | None:
    kind = node.child_by_field_name("type")
    chunk_type = "typealias" if kind is None else _TYPES.get(kind.type, "typealias")
    inside = () if kind is None or chunk_type == "typealias" else (_members(kind),)
    return Construct(chunk_type, field_text(node, "name"), inside)


def _members(kind: Node) -> Node:
    """Return the node whose children are a struct's fields or an interface's methods."""
    lists = [child for child in kind.named_children if child.type == "field_declaration_list"]
    return lists[0] if lists else kind


def _field(node: Node) -> Construct | None:
    names = [text_of(name) for name in node.children_by_field_name("name")]
    kind = node.child_by_field_name("type")
    if not names:
        bare = text_of(kind).lstrip("*").partition("[")[0].rpartition(".")[2]
        names = [bare] if bare else []
    inside = (_members(kind),) if kind is not None and kind.type == "struct_type" else ()
    return constants(names, inside)


def _values(node: Node) -> Construct | None:
    """Return the constants of a statement; a group of statements is a wrapper."""
    if node.type not in _SPECS and _several(node):
        return wrapper(node)
    names = _spec_names(node)
    return constants(names)


def _several(node: Node) -> bool:
    specs = [child for child in node.named_children if child.type != "comment"]
    return len(specs) > 1 or any(child.type in _LISTS for child in specs)


def _receiver(node: Node) -> tuple[str, ...]:
    """Return the plain type of a method's receiver: `T` for `(s *T[K])`."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None or not receiver.named_children:
        return ()
    declared = receiver.named_children[-1].child_by_field_name("type")
    name = text_of(declared).strip("*() ").partition("[")[0].strip()
    return (name,) if name else ()


def _spec_names(node: Node) -> list[str]:
    names: list[str] = []
    for child in node.named_children:
        names += [text_of(name) for name in child.children_by_field_name("name")]
    names += [text_of(name) for name in node.children_by_field_name("name")]
    return [name for name in names if name not in {"_", ","}]


describe: Final = by_kind(
    {
        named_as("function"): "function_declaration",
        _method: "method_declaration",
        named_as("method", loose=True): "method_elem method_spec",
        _types: "type_declaration",
        _type: "type_alias type_spec",
        _field: "field_declaration",
        _values: "const_declaration const_spec var_declaration var_spec",
        wrapper: "var_spec_list",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return the imported paths without quotes."""
    if node.type == "import_spec":
        return (field_text(node, "path").strip('"`'),)
    if node.type == "import_declaration" or node.type in _LISTS:
        return tuple(path for child in node.named_children for path in imported(child))
    return ()


RULES: Final = Rules(describe, imported, fields=True)
