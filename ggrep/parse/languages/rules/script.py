"""Rules for JavaScript and TypeScript."""

import re
from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    body_of,
    by_kind,
    field_text,
    first_named,
    text_of,
    wrapper,
)

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
_LITERALS: Final = frozenset({"array", "object"})
_PATTERNS: Final = frozenset({"array_pattern", "object_pattern", "rest_pattern"})
_BOUND: Final = frozenset({"identifier", "shorthand_property_identifier_pattern"})
_PROPERTY_MARKS: Final = frozenset({"accessibility_modifier", "override_modifier", "readonly"})
_COVERS: Final = frozenset({"as_expression", "satisfies_expression", "parenthesized_expression"})
_REQUIRE: Final = re.compile(r"""\brequire\([ ]?["'`]([^"'`]{1,200})["'`]""")


def _named(node: Node) -> Construct:
    name = _key(node.child_by_field_name("name"))
    more = _parameter_properties(node) if name == "constructor" else ()
    return Construct(_NAMED[node.type], name, body_of(node), more_names=more)


def _signature(node: Node) -> Construct:
    return Construct(_SIGNATURES[node.type], _key(node.child_by_field_name("name")), loose=True)


def _export(node: Node) -> Construct | None:
    inner = node.child_by_field_name("declaration")
    if inner is not None:
        return describe(inner)
    value = node.child_by_field_name("value")
    return None if value is None else _value(value, "default", "constant")


def _ambient(node: Node) -> Construct | None:
    """Return the declaration after `declare`, or the content of `declare global { ... }`."""
    inner = node.named_children
    if inner and inner[-1].type == "statement_block":
        return wrapper(inner[-1])
    return describe(inner[-1]) if inner else None


def _parameter_properties(node: Node) -> tuple[str, ...]:
    """Return the fields that a constructor's parameters declare: `private x: number`."""
    parameters = node.child_by_field_name("parameters")
    given = [] if parameters is None else parameters.named_children
    marked = [
        item for item in given if any(child.type in _PROPERTY_MARKS for child in item.children)
    ]
    return tuple(filter(None, (field_text(item, "pattern") for item in marked)))


def _statement(node: Node) -> Construct | None:
    inner = first_named(node)
    if inner is None:
        return None
    if inner.type == "internal_module":
        return describe(inner)
    return _assigned(inner) if inner.type == "assignment_expression" else None


def _assigned(node: Node) -> Construct | None:
    """Return the definition of `c` in `a.b.c = value`, if the value is callable or exported."""
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


def _variables(node: Node) -> Construct | None:
    declared = [item for item in node.named_children if item.type == "variable_declarator"]
    bound = [name for item in declared for name in _bound(item.child_by_field_name("name"))]
    value = declared[0].child_by_field_name("value") if declared else None
    alone = len(declared) == 1 and declared[0].named_children[0].type == "identifier"
    if alone and value is not None:
        return _value(value, text_of(bound[0]), "constant")
    if value is not None and _REQUIRE.search(text_of(value)):
        return None
    return _several(bound)


def _reactive(node: Node) -> Construct | None:
    """Return the variables of a reactive statement: `$: area = side * side`."""
    inner = node.child_by_field_name("body")
    while inner is not None and inner.type in {"expression_statement", "parenthesized_expression"}:
        inner = first_named(inner)
    if field_text(node, "label") != "$" or inner is None or inner.type != "assignment_expression":
        return None
    return _several(_bound(inner.child_by_field_name("left")))


def _several(bound: list[Node]) -> Construct | None:
    if not bound:
        return None
    names = [text_of(name) for name in bound]
    spans = tuple((name.start_byte, name.end_byte) for name in bound)
    return Construct("constant", names[0], more_names=tuple(names[1:]), loose=True, spans=spans)


def _bound(target: Node | None) -> list[Node]:
    """Return the names that a left side binds: `x`, or the names in `{ a, b: c, d = 1, ...e }`."""
    names: list[Node] = []
    left = [target]
    while left:
        node = left.pop()
        if node is None:
            continue
        inner = node.child_by_field_name("value") or node.child_by_field_name("left")
        if inner is not None:
            left.append(inner)
        elif node.type in _PATTERNS:
            left += reversed(node.named_children)
        elif node.type in _BOUND:
            names.append(node)
    return names


def _property(node: Node) -> Construct | None:
    """Return the member that a class field or an object's pair defines; functions are methods."""
    field = {"field_definition": "property", "pair": "key"}.get(node.type, "name")
    name = _key(node.child_by_field_name(field))
    value = node.child_by_field_name("value")
    if value is not None and value.type in _FUNCTIONS:
        return Construct("method", name, body_of(value))
    inside = (value,) if value is not None and value.type in _LITERALS else ()
    return Construct("constant", name, inside, loose=True)


def _bare(node: Node) -> Construct | None:
    """Return a member of an enum or an object that has no value."""
    return Construct("constant", _key(node), loose=True)


def _value(
    value: Node, name: str, otherwise: str, owners: tuple[str, ...] = ()
) -> Construct | None:
    """Return the definition in `name = value`; `otherwise` is its kind if not callable."""
    while value.type in _COVERS and value.named_children:
        value = value.named_children[0]
    kind = value.type
    if kind in _FUNCTIONS:
        shown = field_text(value, "name") if name in {"exports", "default", ""} else name
        return Construct("method" if owners else "function", shown or name, body_of(value), owners)
    if kind in {"class", "class_declaration"}:
        return Construct("class", field_text(value, "name") or name, body_of(value), owners)
    if not otherwise or not name or _REQUIRE.search(text_of(value)):
        return None
    callback = _callback(value)
    if callback is not None:
        return Construct("function", name, body_of(callback), owners)
    inside = (value,) if kind in _LITERALS else ()
    return Construct(otherwise, name, inside, owners, loose=True)


def _callback(value: Node) -> Node | None:
    """Return the function among a call's arguments: `memo(() => ...)` defines a function."""
    if value.type != "call_expression":
        return None
    arguments = value.child_by_field_name("arguments")
    given = [] if arguments is None else arguments.named_children
    return next((item for item in given if item.type in _FUNCTIONS), None)


def _module(node: Node) -> Construct | None:
    name = _key(node.child_by_field_name("name"))
    return Construct("module", name, body_of(node), thin=True, always_open=True)


describe: Final = by_kind(
    {
        _named: " ".join(_NAMED),
        _signature: " ".join(_SIGNATURES),
        _ambient: "ambient_declaration",
        _bare: "property_identifier shorthand_property_identifier",
        _export: "export_statement",
        _module: "internal_module module",
        _property: "enum_assignment field_definition pair property_signature"
        " public_field_definition",
        _reactive: "labeled_statement",
        _statement: "expression_statement",
        _variables: "lexical_declaration variable_declaration",
        wrapper: "object",
    }
)


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


RULES: Final = Rules(describe, imported, fields=True)
