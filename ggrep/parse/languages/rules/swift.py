"""Rules for Swift."""

import re
from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.found import Found, Rules, body_of, field_text, text_of

_TYPES: Final = {"enum": "enum", "protocol": "interface"}
_UNNAMED: Final = {
    "deinit_declaration": "deinit",
    "init_declaration": "init",
    "subscript_declaration": "subscript",
}
_PATTERN_NAME: Final = re.compile(r"[^\W\d]\w*")
_PATTERN_WORDS: Final = frozenset({"let", "var", "_"})


def describe(node: Node) -> Found | None:
    """Return what a declaration defines; an extension goes by the name of its type."""
    reader = _READERS.get(node.type)
    return None if reader is None else reader(node)


def _type(node: Node) -> Found | None:
    name, word = _bare(field_text(node, "name")), field_text(node, "declaration_kind")
    if word == "extension":
        return Found("class", name, body_of(node), thin=True)
    return Found(_TYPES.get(word, "class"), name, body_of(node))


def _protocol(node: Node) -> Found | None:
    return Found("interface", field_text(node, "name"), body_of(node))


def _function(node: Node) -> Found | None:
    inside = body_of(node)
    return Found("function", _bare(field_text(node, "name")), inside, loose=not inside)


def _unnamed(node: Node) -> Found | None:
    inside = body_of(node)
    loose = not inside and node.type == "init_declaration"
    return Found("method", _UNNAMED[node.type], inside, loose=loose)


def _property(node: Node) -> Found | None:
    patterns = node.children_by_field_name("name")
    words = [word for item in patterns for word in _PATTERN_NAME.findall(text_of(item))]
    return _values([word for word in words if word not in _PATTERN_WORDS])


def _cases(node: Node) -> Found | None:
    return _values([_bare(text_of(name)) for name in node.children_by_field_name("name")])


def _values(names: list[str]) -> Found | None:
    return Found("constant", names[0], more_names=tuple(names[1:]), loose=True) if names else None


def _alias(node: Node) -> Found | None:
    return Found("typealias", field_text(node, "name"), loose=True)


def _macro(node: Node) -> Found | None:
    return Found("function", _first_text(node, "simple_identifier"))


def _operator(node: Node) -> Found | None:
    return Found("constant", _first_text(node, "custom_operator"), loose=True)


def _precedence(node: Node) -> Found | None:
    return Found("constant", _first_text(node, "simple_identifier"), loose=True)


_READERS: Final[dict[str, Callable[[Node], Found | None]]] = {
    "associatedtype_declaration": _alias,
    "class_declaration": _type,
    "deinit_declaration": _unnamed,
    "enum_entry": _cases,
    "function_declaration": _function,
    "init_declaration": _unnamed,
    "macro_declaration": _macro,
    "operator_declaration": _operator,
    "precedence_group_declaration": _precedence,
    "property_declaration": _property,
    "protocol_declaration": _protocol,
    "protocol_function_declaration": _function,
    "protocol_property_declaration": _property,
    "subscript_declaration": _unnamed,
    "typealias_declaration": _alias,
}


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
