"""Rules for C and C++."""

import re
from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    body_of,
    by_kind,
    field_text,
    last_named,
    named,
    named_as,
    text_of,
    wrapper,
)

_RECORDS: Final = {
    "class_specifier": "class",
    "struct_specifier": "class",
    "union_specifier": "class",
    "enum_specifier": "enum",
}
_WITH_ARGUMENTS: Final = frozenset({"template_function", "template_method", "template_type"})
"""A specialised template: `cast<short>`."""
_MAX_DECLARATOR_DEPTH: Final = 20
_TEST: Final = re.compile(r"[A-Z0-9_]*TEST[A-Z0-9_]*")
_MACRO: Final = re.compile(r"[A-Z][A-Z0-9]*(?:TEST|_)[A-Z0-9_]*|TEST[A-Z0-9_]*|SCENARIO")
_MAKING: Final = re.compile(r"(?:TRACE|DEFINE|DECLARE)_\w*|PyDoc_STRVAR\Z|[A-Z0-9_]*ATTR_[A-Z_]+\Z")


def _record(node: Node, name: str = "") -> Construct | None:
    """Return a record (such as a struct) with a body; a record without a name is a wrapper."""
    body = body_of(node)
    inner_name = _unscoped(field_text(node, "name"))
    if not body:
        return None
    if not inner_name and not name:
        return Construct("", inside=body)
    more = (inner_name,) if inner_name and name and inner_name != name else ()
    return Construct(_RECORDS[node.type], name or inner_name, body, more_names=more)


def _function(node: Node) -> Construct | None:
    declarator = node.child_by_field_name("declarator")
    names = _declared(declarator)
    if not names:
        return None
    if declarator is not None and declarator.type == "identifier":
        return Construct(
            "", inside=body_of(node)
        )  # a macro call that the grammar reads as a function
    if declarator is not None and node.child_by_field_name("type") is None:
        made = _made(node, declarator)
        if made is not None:
            return made if made.chunk_type else None
    kind = node.child_by_field_name("type")
    if kind is not None and declarator is not None and kind.type == "qualified_identifier":
        *owners, last = _scopes(kind)
        if last == "operator":  # parsed as a type before a function's name
            name = f"operator {text_of(declarator).partition('(')[0].strip()}"
            return Construct("function", name, body_of(node), owners=tuple(owners))
    return Construct("function", names[-1], body_of(node), owners=names[:-1])


def _made(node: Node, declarator: Node) -> Construct | None:
    """Return the function of `TEST_F(Suite, Case) { ... }` or `FUNCTION_X(name) { ... }`."""
    macro = field_text(declarator, "declarator")
    given = declarator.child_by_field_name("parameters")
    words = [] if given is None else given.named_children
    if not _is_macro(node, macro) or any(len(word.children) != 1 for word in words):
        return None
    if not words:
        return Construct("")  # a test that is named by a string
    tested = "TEST" in macro and "CASE" not in macro and len(words) > 1
    case = words[1 if tested else 0]
    owners = (text_of(words[0]),) if tested else ()
    span = (case.start_byte, case.end_byte)
    return Construct("function", text_of(case), body_of(node), owners, spans=(span,))


def _is_macro(node: Node, name: str) -> bool:
    """Return whether a function's name is the name of a macro, not of a constructor."""
    around = node.parent and node.parent.parent
    record = around is not None and around.type in _RECORDS and field_text(around, "name") == name
    return _MACRO.fullmatch(name) is not None and not record


def _called(node: Node) -> Construct | None:
    """Return the definition of a macro call in the first column: `TRACE_EVENT(name, ...)`."""
    call = None if node.start_point[1] else named(node, 0)
    if call is None or call.type != "call_expression":
        return None
    macro, given = field_text(call, "function"), call.child_by_field_name("arguments")
    test = _TEST.fullmatch(macro)
    name = named(given, 1 if test else 0)
    if name is None or name.type != "identifier" or not (test or _MAKING.match(macro)):
        return None
    return Construct(
        "constant", text_of(name), loose=True, spans=((name.start_byte, name.end_byte),)
    )


def _declaration(node: Node) -> Construct | None:
    """Return a prototype, a variable, or the record in a variable's declaration."""
    kind = node.child_by_field_name("type")
    if kind is not None and kind.type in _RECORDS and body_of(kind):
        names = _declared(node.child_by_field_name("declarator"))
        return _record(kind, names[-1] if names else "")
    declarators = node.children_by_field_name("declarator")
    if kind is None and declarators and _is_macro(node, field_text(declarators[0], "declarator")):
        return None
    named = [names for names in map(_declared, declarators) if names]
    if not named:
        return None
    first = named[0]
    chunk_type = "function" if _is_function(declarators[0]) else "constant"
    more = tuple(names[-1] for names in named[1:])
    return Construct(chunk_type, first[-1], owners=first[:-1], more_names=more, loose=True)


def _typedef(node: Node) -> Construct | None:
    kind = node.child_by_field_name("type")
    names = [_declared(item) for item in node.children_by_field_name("declarator")]
    flat = [name[-1] for name in names if name]
    if kind is None or not flat:
        return None
    if kind.type not in _RECORDS or not body_of(kind):
        return Construct("typealias", flat[0], more_names=tuple(flat[1:]), loose=True)
    tag = field_text(kind, "name")
    more = (*flat[1:], tag) if tag and tag not in flat else tuple(flat[1:])
    return Construct(_RECORDS[kind.type], flat[0], body_of(kind), more_names=more)


def _namespace(node: Node) -> Construct | None:
    name = field_text(node, "name").replace("::", ".")
    if not name:
        return Construct("", inside=body_of(node))
    return Construct("module", name, body_of(node), thin=True, always_open=True)


def _template(node: Node) -> Construct | None:
    inner = node.named_children
    return describe(inner[-1]) if inner else None


def _friend(node: Node) -> Construct | None:
    """Return a friend that is defined within the class."""
    inner = last_named(node)
    return _function(inner) if inner is not None and inner.type == "function_definition" else None


def _linkage(node: Node) -> Construct | None:
    body = node.child_by_field_name("body")
    if body is None or body.type == "declaration_list":
        return Construct("", inside=body_of(node))
    return describe(body)


describe: Final = by_kind(
    {
        _record: " ".join(_RECORDS),
        named_as("typealias", loose=True): "alias_declaration",
        named_as("interface"): "concept_definition",
        named_as("constant", loose=True): "enumerator preproc_def preproc_function_def",
        _called: "expression_statement",
        _declaration: "declaration field_declaration",
        _friend: "friend_declaration",
        _function: "function_definition",
        _linkage: "linkage_specification",
        _namespace: "namespace_definition",
        _template: "template_declaration",
        _typedef: "type_definition",
        wrapper: "declaration_list labeled_statement preproc_elif preproc_elifdef preproc_else"
        " preproc_if preproc_ifdef",
    }
)


def _is_function(node: Node | None) -> bool:
    for _ in range(_MAX_DECLARATOR_DEPTH):
        if node is None:
            return False
        if node.type in {"function_declarator", "operator_cast"}:
            return True
        node = _inner_declarator(node)
    return False


def _declared(node: Node | None) -> tuple[str, ...]:
    """Return the parts of the name in nested declarators: three parts for `a::B::c`."""
    for _ in range(_MAX_DECLARATOR_DEPTH):
        inner = None if node is None else _inner_declarator(node)
        if inner is None or (node is not None and node.type == "operator_cast"):
            break
        node = inner
    if node is None or node.type in {"parameter_list", "abstract_function_declarator"}:
        return ()
    return tuple(part for part in _scopes(node) if part)


def _inner_declarator(node: Node) -> Node | None:
    inner = node.child_by_field_name("declarator")
    if inner is None and node.type in {"parenthesized_declarator", "reference_declarator"}:
        inner = node.named_child(node.named_child_count - 1) if node.named_child_count else None
    return inner


def _scopes(node: Node) -> list[str]:
    parts: list[str] = []
    while node.type == "qualified_identifier":
        parts.append(_unscoped(field_text(node, "scope")))
        name = node.child_by_field_name("name")
        if name is None:
            return parts
        node = name
    if node.type in _WITH_ARGUMENTS:
        return [*parts, field_text(node, "name")]
    text = text_of(node)
    return [*parts, text.partition("(")[0].strip() if node.type == "operator_cast" else text]


def _unscoped(name: str) -> str:
    """Return the plain name of a type: `X` for `ns::X<T>`."""
    return name.partition("<")[0].rpartition("::")[2].strip()


def imported(node: Node) -> tuple[str, ...]:
    """Return the included path, without brackets or quotes."""
    if node.type != "preproc_include":
        return ()
    return (field_text(node, "path").strip('<>"'),)


RULES: Final = Rules(describe, imported, fields=True, prototypes=True)
