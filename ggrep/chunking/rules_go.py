"""How Go is read."""

from typing import Final

from tree_sitter import Node

from ggrep.chunking.found import Found, Rules, body_of, field_text, text_of

_TYPES: Final = {"struct_type": "class", "interface_type": "interface"}
_LISTS: Final = frozenset({"var_spec_list", "import_spec_list"})


def describe(node: Node) -> Found | None:
    """Return what a declaration defines."""
    reader = _READERS.get(node.type)
    return None if reader is None else reader(node)


def _function(node: Node) -> Found | None:
    return Found("function", field_text(node, "name"), body_of(node))


def _method(node: Node) -> Found | None:
    return Found("method", field_text(node, "name"), body_of(node), owners=_receiver(node))


def _types(node: Node) -> Found | None:
    specs = [child for child in node.named_children if child.type != "comment"]
    return describe(specs[0]) if len(specs) == 1 else Found("", inside=(node,))


def _type(node: Node) -> Found | None:
    kind = node.child_by_field_name("type")
    chunk_type = "typealias" if kind is None else _TYPES.get(kind.type, "typealias")
    return Found(chunk_type, field_text(node, "name"))


def _values(node: Node) -> Found | None:
    names = tuple(_spec_names(node))
    return Found("constant", names[0], more_names=names[1:], loose=True) if names else None


_READERS: Final = {
    "const_declaration": _values,
    "function_declaration": _function,
    "method_declaration": _method,
    "type_alias": _type,
    "type_declaration": _types,
    "type_spec": _type,
    "var_declaration": _values,
}


def _receiver(node: Node) -> tuple[str, ...]:
    """Return the bare type a method belongs to: `T` for `(s *T[K])`."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None or not receiver.named_children:
        return ()
    declared = receiver.named_children[-1].child_by_field_name("type")
    name = text_of(declared).strip("*() ").partition("[")[0].strip()
    return (name,) if name else ()


def _spec_names(node: Node) -> list[str]:
    names: list[str] = []
    for child in node.named_children:
        if child.type in _LISTS:
            names += _spec_names(child)
        else:
            names += [text_of(name) for name in child.children_by_field_name("name")]
    return [name for name in names if name not in {"_", ","}]


def imported(node: Node) -> tuple[str, ...]:
    """Return import paths without their quotes."""
    if node.type == "import_spec":
        return (field_text(node, "path").strip('"`'),)
    if node.type == "import_declaration" or node.type in _LISTS:
        return tuple(path for child in node.named_children for path in imported(child))
    return ()


RULES: Final = Rules(describe, imported)
