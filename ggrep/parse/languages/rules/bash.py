"""Rules for shell scripts."""

from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.found import Found, Rules, body_of, field_text, text_of

_WRAPPERS: Final = frozenset(
    {
        "case_item",
        "case_statement",
        "compound_statement",
        "elif_clause",
        "else_clause",
        "if_statement",
        "list",
        "negated_command",
        "redirected_statement",
        "subshell",
    }
)
_SOURCE: Final = frozenset({b".", b"source"})


def describe(node: Node) -> Found | None:
    """Return what a command defines."""
    kind = node.type
    if kind in _WRAPPERS:
        return Found("", inside=(node,))
    reader = _READERS.get(kind)
    return None if reader is None else reader(node)


def _function(node: Node) -> Found | None:
    return Found("function", field_text(node, "name"), body_of(node))


def _assignment(node: Node) -> Found | None:
    return _constants([node])


def _declaration(node: Node) -> Found | None:
    return _constants(node.named_children)


def _constants(nodes: list[Node]) -> Found | None:
    names = [_variable(node) for node in nodes]
    kept = [name for name in names if name]
    if not kept:
        return None
    return Found("constant", kept[0], more_names=tuple(kept[1:]), loose=True)


def _variable(node: Node) -> str:
    if node.type == "variable_assignment":
        return field_text(node, "name").partition("[")[0]
    return text_of(node) if node.type == "variable_name" else ""


def _alias(node: Node) -> Found | None:
    """Return the aliases of an `alias` command."""
    if _command(node) != b"alias":
        return None
    given = [text_of(item) for item in node.children_by_field_name("argument")]
    names = [item.partition("=")[0] for item in given if "=" in item]
    return Found("function", names[0], more_names=tuple(names[1:]), loose=True) if names else None


def _command(node: Node) -> bytes:
    name = node.child_by_field_name("name")
    return b"" if name is None else name.text or b""


_READERS: Final = {
    "command": _alias,
    "declaration_command": _declaration,
    "function_definition": _function,
    "variable_assignment": _assignment,
}


def imported(node: Node) -> tuple[str, ...]:
    """Return the scripts that are sourced."""
    if node.type != "command" or _command(node) not in _SOURCE:
        return ()
    path = text_of(node.child_by_field_name("argument")).strip("\"'")
    return (path,) if path else ()


RULES: Final = Rules(describe, imported)
