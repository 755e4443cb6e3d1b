"""Rules for Swift."""

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
    named_as,
    text_of,
)

_TYPES: Final = {"enum": "enum", "protocol": "interface"}
_UNNAMED: Final = {
    "deinit_declaration": "deinit",
    "init_declaration": "init",
    "subscript_declaration": "subscript",
}
_PATTERN_NAME: Final = re.compile(r"[^\W\d]\w*")
_PATTERN_WORDS: Final = frozenset({"let", "var", "_"})


def _type(node: Node) -> Construct | None:
    name, word = _bare(field_text(node, "name")), field_text(node, "declaration_kind")
    if word == "extension":
        return Construct("class", name, body_of(node), thin=True)
    return Construct(_TYPES.get(word, "class"), name, body_of(node))


def _function(node: Node) -> Construct | None:
    inside = body_of(node)
    return Construct("function", _bare(field_text(node, "name")), inside, loose=not inside)


def _unnamed(node: Node) -> Construct | None:
    inside = body_of(node)
    loose = not inside and node.type == "init_declaration"
    return Construct("method", _UNNAMED[node.type], inside, loose=loose)


def _property(node: Node) -> Construct | None:
    patterns = node.children_by_field_name("name")
    words = [word for item in patterns for word in _PATTERN_NAME.findall(text_of(item))]
    return constants([word for word in words if word not in _PATTERN_WORDS])


def _cases(node: Node) -> Construct | None:
    return constants([_bare(text_of(name)) for name in node.children_by_field_name("name")])


def _identifier(node: Node) -> str:
    return _first_text(node, "simple_identifier")


def _operator(node: Node) -> str:
    return _first_text(node, "custom_operator")


describe: Final = by_kind(
    {
        _type: "class_declaration",
        named_as("interface"): "protocol_declaration",
        _function: "function_declaration protocol_function_declaration",
        _unnamed: "deinit_declaration init_declaration subscript_declaration",
        _property: "property_declaration protocol_property_declaration",
        _cases: "enum_entry",
        named_as("function", _identifier): "macro_declaration",
        named_as("constant", _operator, loose=True): "operator_declaration",
        named_as("constant", _identifier, loose=True): "precedence_group_declaration",
        named_as("typealias", loose=True): "associatedtype_declaration typealias_declaration",
    }
)


def _bare(name: str) -> str:
    """Return a name without type arguments and quoting backticks."""
    return name.partition("<")[0].strip("` ") or name


def _first_text(node: Node, kind: str) -> str:
    return next((text_of(child) for child in node.named_children if child.type == kind), "")


def imported(node: Node) -> tuple[str, ...]:
    """Return the dotted name of an imported module or symbol."""
    if node.type != "import_declaration":
        return ()
    return (_first_text(node, "identifier"),)


RULES: Final = Rules(describe, imported, fields=True)
