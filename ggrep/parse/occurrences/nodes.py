"""Classifies a name by the kind of its syntax node, for all grammars."""

import re
from typing import Final, Literal

from msgspec.structs import replace
from tree_sitter import Node

from ggrep.parse.languages.constructs import Construct, body_of, field_text, text_of, words

Edge = Literal["name", "parameter", "content"]

_INSERTED: Final = words(
    "arithmetic_expansion command_substitution expansion interpolated_expression"
    " interpolated_identifier interpolation process_substitution raw_str_interpolation"
    " simple_expansion string_interpolation template_substitution"
)
"""Code inside a string."""
_STRINGS: Final = words(
    "CHAR_LITERAL LINESTRING char char_literal character character_literal charlist jsx_text"
    " quasiquote_body quoted_atom regex regex_literal rune_literal sigil text uninterpreted"
)
_COMMENTS: Final = frozenset({"haddock", "hash_bang_line", "shebang", "shebang_line"})
_VARIABLES: Final = frozenset({"variable_name"})
"""Nodes of code directly in a string: `"$name"`."""

_CONTENT: Final = words(
    "alternative arguments block body bounds condition consequence constraint decorator default"
    " default_value extend function initializer interfaces module_name object receiver result"
    " return_type returns right scope size superclass superclasses table trait type"
    " type_arguments value"
)
"""Fields of a definition that do not contain its name."""
_CONTENT_WORDS: Final = (
    *("annotation", "argument", "attribute", "base", "block", "body", "call", "clause"),
    *("decorator", "delegation", "expression", "heritage", "initializer", "literal", "modifier"),
    *("specifier", "type_parameter", "user_type", "constraint", "inherit"),
)
"""Parts of the kinds of nodes without a field that do not contain the definition's name."""
_RECORDS: Final = frozenset(
    {"class_specifier", "enum_specifier", "struct_specifier", "union_specifier"}
)
"""Kinds that look like qualifiers, although a C++ template defines them."""
_REDIRECTS: Final = frozenset({"heredoc_redirect", "herestring_redirect"})
"""Kinds that also contain the commands after a here-document."""
_PARAMETER_FIELDS: Final = frozenset({"parameters", "parameter", "class_parameters"})
_PARAMETER_WORDS: Final = ("parameter", "primary_constructor")


def literal_kind(kind: str) -> Literal["string", "comment", "code", ""]:
    """Return the kind of text in nodes of a type; empty if this depends on the parent nodes."""
    if kind in _INSERTED or kind in _VARIABLES:
        return "code"
    if kind in _COMMENTS or "comment" in kind:
        return "comment"
    if kind in _REDIRECTS:
        return ""
    lowered = kind.lower()
    if kind in _STRINGS or "string" in lowered or "heredoc" in lowered or "nowdoc" in lowered:
        return "string"
    return ""


def edge_kind(field: str | None, kind: str) -> Edge:
    """Return whether a child is the name, a parameter or the content of its parent's definition.

    Args:
        field: the child's field in its parent; None without a field.
        kind: kind of the child's node.
    """
    if field in _PARAMETER_FIELDS or any(word in kind for word in _PARAMETER_WORDS):
        return "content" if "type_parameter" in kind else "parameter"
    if field is not None:
        return "content" if field in _CONTENT else "name"
    if kind in _RECORDS:
        return "name"
    return "content" if any(word in kind for word in _CONTENT_WORDS) else "name"


SCRIPTS: Final = frozenset({"javascript", "tsx", "typescript"})

_EXPRESSIONS: Final = {
    "class": "class",
    "function_expression": "function",
    "generator_function": "function",
}
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "generator_function"})
_MACROS: Final = frozenset({"preproc_def", "preproc_function_def"})
_IMPORTED: Final = re.compile(r"(?:\w+\()?require\(")
_CLASS: Final = re.compile(r"[\w$.]+\.prototype|(?:[\w$]+\.)*[A-Z][\w$]*")
_KEYS: Final = frozenset({"field", "key", "name", "property"})
"""Fields of a member or pair that contain its name, quoted or not."""


def described(language: str, node: Node) -> Construct | None:
    """Return the definition at a node that the language's rules do not cover."""
    kind = node.type
    if kind in _EXPRESSIONS:
        name = field_text(node, "name")
        return Construct(_EXPRESSIONS[kind], name, body_of(node)) if name else None
    if language in SCRIPTS:
        reader = _READERS.get(kind)
        return None if reader is None else reader(node)
    return None


def with_more(language: str, node: Node, definition: Construct | None) -> Construct | None:
    """Return `definition`; if a named class is assigned to a member, add the member's name."""
    inner = node.named_children[0] if node.named_children else None
    if language not in SCRIPTS or node.type != "expression_statement" or inner is None:
        return definition
    left = inner.child_by_field_name("left")
    name = "" if left is None else field_text(left, "property")
    if (
        definition is None
        or definition.chunk_type != "class"
        or name in {"", "exports", definition.name}
    ):
        return definition
    return replace(definition, more_names=(*definition.more_names, name))


def anywhere(node: Node) -> bool:
    """Return whether a definition can be inside any node, because it has no scope (a macro)."""
    return node.type in _MACROS


def is_key(node: Node, field: str | None, name: str) -> bool:
    """Return whether a string is the key of an object's member: `{ "a b": 1 }`."""
    return field in _KEYS and node.type == "string" and text_of(node)[1:-1] == name


def _statement(node: Node) -> Construct | None:
    """Return the member of a prototype or class that is assigned from outside: `Box.MAX = 3`."""
    inner = node.named_children[0] if node.named_children else None
    if inner is None or inner.type != "assignment_expression":
        return None
    left, value = inner.child_by_field_name("left"), inner.child_by_field_name("right")
    if left is None or value is None or left.type != "member_expression":
        return None
    name = field_text(left, "property")
    owner = text_of(left.child_by_field_name("object"))
    if not name or not _CLASS.fullmatch(owner):
        return None
    kind = "method" if _callback(value) is not None else "constant"
    last = owner.removesuffix(".prototype").rpartition(".")[2]
    return Construct(kind, name, owners=(last,), loose=True)


def _variables(node: Node) -> Construct | None:
    """Return the variables of a declaration, without variables that import another file."""
    names = [field_text(item, "name") for item in node.named_children if _is_defined_here(item)]
    return (
        Construct("constant", names[0], more_names=tuple(names[1:]), loose=True) if names else None
    )


def _is_defined_here(node: Node) -> bool:
    name = node.child_by_field_name("name")
    if node.type != "variable_declarator" or name is None or name.type != "identifier":
        return False
    return _IMPORTED.match(text_of(node.child_by_field_name("value"))) is None


def _variable(node: Node) -> Construct | None:
    """Return the function that is assigned to a variable in a declaration of several variables."""
    value, name = node.child_by_field_name("value"), field_text(node, "name")
    alone = node.parent is None or node.parent.named_child_count == 1
    if alone or value is None or value.type not in _FUNCTIONS or not name:
        return None
    return Construct("function", name, body_of(value))


def _callback(value: Node) -> Node | None:
    given = value.child_by_field_name("arguments")
    parts = [] if given is None else given.named_children
    return next((part for part in parts if part.type in _FUNCTIONS), None)


_READERS: Final = {
    "expression_statement": _statement,
    "lexical_declaration": _variables,
    "variable_declaration": _variables,
    "variable_declarator": _variable,
}
