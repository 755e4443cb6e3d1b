"""Classifies a name by the kind of its syntax node, for all grammars."""

from typing import Final, Literal

Edge = Literal["name", "parameter", "content"]

_INSERTED: Final = frozenset(
    {
        "arithmetic_expansion",
        "command_substitution",
        "expansion",
        "interpolated_expression",
        "interpolated_identifier",
        "interpolation",
        "process_substitution",
        "raw_str_interpolation",
        "simple_expansion",
        "string_interpolation",
        "template_substitution",
    }
)
"""Code inside of a string."""
_STRINGS: Final = frozenset(
    {
        "CHAR_LITERAL",
        "LINESTRING",
        "char",
        "char_literal",
        "character",
        "character_literal",
        "charlist",
        "jsx_text",
        "quasiquote_body",
        "quoted_atom",
        "regex",
        "regex_literal",
        "rune_literal",
        "sigil",
        "text",
        "uninterpreted",
    }
)
_COMMENTS: Final = frozenset({"haddock", "hash_bang_line", "shebang", "shebang_line"})
_VARIABLES: Final = frozenset({"variable_name"})
"""What stands in a string as it is and yet is code: `"$name"`."""

_CONTENT: Final = frozenset(
    {
        "alternative",
        "arguments",
        "block",
        "body",
        "bounds",
        "condition",
        "consequence",
        "constraint",
        "decorator",
        "default",
        "default_value",
        "extend",
        "function",
        "initializer",
        "interfaces",
        "module_name",
        "object",
        "receiver",
        "result",
        "return_type",
        "returns",
        "right",
        "scope",
        "size",
        "superclass",
        "superclasses",
        "table",
        "trait",
        "type",
        "type_arguments",
        "value",
    }
)
"""Fields of a definition that do not hold its name."""
_CONTENT_WORDS: Final = (
    *("annotation", "argument", "attribute", "base", "block", "body", "call", "clause"),
    *("decorator", "delegation", "expression", "heritage", "initializer", "literal", "modifier"),
    *("specifier", "type_parameter", "user_type", "constraint", "inherit"),
)
"""Words in the kinds of nodes that hold no name of what is around them, where no field says so."""
_RECORDS: Final = frozenset(
    {"class_specifier", "enum_specifier", "struct_specifier", "union_specifier"}
)
"""Named like what only qualifies, but what a C++ template is a template of."""
_REDIRECTS: Final = frozenset({"heredoc_redirect", "herestring_redirect"})
"""They hold the commands behind a here-document too."""
_PARAMETER_FIELDS: Final = frozenset({"parameters", "parameter", "class_parameters"})
_PARAMETER_WORDS: Final = ("parameter", "primary_constructor")


def literal_kind(kind: str) -> Literal["string", "comment", "code", ""]:
    """Return what all text of a node of that kind is; empty where its parents tell."""
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
    """Return what a child may hold of what its parent defines: its name, parameters, or neither.

    Args:
        field: the child's field in its parent, if it has one.
        kind: the child's own kind.
    """
    if field in _PARAMETER_FIELDS or any(word in kind for word in _PARAMETER_WORDS):
        return "content" if "type_parameter" in kind else "parameter"
    if field is not None:
        return "content" if field in _CONTENT else "name"
    if kind in _RECORDS:
        return "name"
    return "content" if any(word in kind for word in _CONTENT_WORDS) else "name"
