"""How JavaScript and TypeScript are read."""

import re
from typing import Final

from tree_sitter import Node

from ggrep.chunking.found import Found, Rules, body_of, field_text, first_named, text_of

_NAMED: Final = {
    "abstract_class_declaration": "class",
    "class_declaration": "class",
    "enum_declaration": "enum",
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "interface_declaration": "interface",
    "method_definition": "method",
    "type_alias_declaration": "typealias",
}
_SIGNATURES: Final = {
    "abstract_method_signature": "method",
    "function_signature": "function",
    "method_signature": "method",
}
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "generator_function"})
_COVERS: Final = frozenset({"as_expression", "satisfies_expression", "parenthesized_expression"})
_REQUIRE: Final = re.compile(r"""\brequire\([ ]?["'`]([^"'`]{1,200})["'`]""")


def describe(node: Node) -> Found | None:
    """Return what a statement, class member or object property defines."""
    kind = node.type
    if kind in _NAMED:
        return Found(_NAMED[kind], _key(node.child_by_field_name("name")), body_of(node))
    if kind in _SIGNATURES:
        return Found(_SIGNATURES[kind], _key(node.child_by_field_name("name")), loose=True)
    reader = _READERS.get(kind)
    return None if reader is None else reader(node)


def _export(node: Node) -> Found | None:
    inner = node.child_by_field_name("declaration")
    if inner is not None:
        return describe(inner)
    value = node.child_by_field_name("value")
    return None if value is None else _value(value, "default", "constant")


def _ambient(node: Node) -> Found | None:
    inner = node.named_children
    return describe(inner[-1]) if inner else None


def _statement(node: Node) -> Found | None:
    inner = first_named(node)
    if inner is None:
        return None
    if inner.type == "internal_module":
        return describe(inner)
    return _assigned(inner) if inner.type == "assignment_expression" else None


def _assigned(node: Node) -> Found | None:
    """Return what `a.b.c = value` defines: `c` if it is callable, or any export."""
    left = node.child_by_field_name("left")
    value = node.child_by_field_name("right")
    while value is not None and value.type == "assignment_expression":
        value = value.child_by_field_name("right")
    if left is None or value is None or left.type not in {"identifier", "member_expression"}:
        return None
    name = _key(left.child_by_field_name("property")) or text_of(left)
    owners = _prototype_owner(left)
    exported = text_of(left).startswith(("exports.", "module.exports"))
    return _value(value, name, "constant" if exported else "", owners)


def _prototype_owner(left: Node) -> tuple[str, ...]:
    """Return `Foo` for `Foo.prototype.bar`."""
    outer, dot, _ = text_of(left.child_by_field_name("object")).rpartition(".prototype")
    return (outer.rpartition(".")[2],) if dot and outer else ()


def _variables(node: Node) -> Found | None:
    declared = [item for item in node.named_children if item.type == "variable_declarator"]
    names = [_declarator_name(item) for item in declared]
    value = declared[0].child_by_field_name("value") if declared else None
    if len(declared) == 1 and value is not None:
        return _value(value, names[0], "constant")
    kept = [name for name in names if name]
    if not kept:
        return None
    return Found("constant", kept[0], more_names=tuple(kept[1:]), loose=True)


def _declarator_name(node: Node) -> str:
    name = node.child_by_field_name("name")
    return text_of(name) if name is not None and name.type == "identifier" else ""


def _property(node: Node) -> Found | None:
    """Return the method that a class field or an object's pair is, if it is callable."""
    field = {"public_field_definition": "name", "field_definition": "property", "pair": "key"}
    value = node.child_by_field_name("value")
    if value is None or value.type not in _FUNCTIONS:
        return None
    return Found("method", _key(node.child_by_field_name(field[node.type])), body_of(value))


def _value(value: Node, name: str, otherwise: str, owners: tuple[str, ...] = ()) -> Found | None:
    """Return the definition of `name` as `value`; `otherwise` is its type if not callable."""
    while value.type in _COVERS and value.named_children:
        value = value.named_children[0]
    kind = value.type
    if kind in _FUNCTIONS:
        own = field_text(value, "name") if name in {"exports", "default", ""} else name
        return Found("method" if owners else "function", own or name, body_of(value), owners)
    if kind in {"class", "class_declaration"}:
        return Found("class", field_text(value, "name") or name, body_of(value), owners)
    if not otherwise or not name or _REQUIRE.search(text_of(value)):
        return None
    callback = _callback(value)
    if callback is not None:
        return Found("function", name, body_of(callback), owners)
    inside = (value,) if kind == "object" else ()
    return Found(otherwise, name, inside, owners, loose=True)


def _callback(value: Node) -> Node | None:
    """Return the function handed to a call: `memo(() => ...)` defines a function as well."""
    if value.type != "call_expression":
        return None
    arguments = value.child_by_field_name("arguments")
    given = [] if arguments is None else arguments.named_children
    return next((item for item in given if item.type in _FUNCTIONS), None)


def _module(node: Node) -> Found | None:
    name = _key(node.child_by_field_name("name"))
    return Found("module", name, body_of(node), thin=True, always_open=True)


_READERS: Final = {
    "ambient_declaration": _ambient,
    "export_statement": _export,
    "expression_statement": _statement,
    "field_definition": _property,
    "internal_module": _module,
    "lexical_declaration": _variables,
    "module": _module,
    "pair": _property,
    "public_field_definition": _property,
    "variable_declaration": _variables,
}


def _key(node: Node | None) -> str:
    return text_of(node).strip("\"'`")


def imported(node: Node) -> tuple[str, ...]:
    """Return module specifiers of imports, re-exports and `require` calls."""
    match node.type:
        case "import_statement" | "export_statement":
            source = field_text(node, "source") or _required_clause(node)
            return (source.strip("\"'`"),) if source else ()
        case "lexical_declaration" | "variable_declaration" | "expression_statement":
            return tuple(_REQUIRE.findall(text_of(node)))
        case _:
            return ()


def _required_clause(node: Node) -> str:
    clauses = [child for child in node.named_children if child.type == "import_require_clause"]
    return field_text(clauses[0], "source") if clauses else ""


RULES: Final = Rules(describe, imported)
