"""Rules for shell scripts."""

from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    by_kind,
    constants,
    field_text,
    named_as,
    text_of,
    wrapper,
)

_SOURCE: Final = frozenset({b".", b"source"})


def _assignment(node: Node) -> Construct | None:
    return constants([_variable(node)])


def _declaration(node: Node) -> Construct | None:
    return constants(list(filter(None, map(_variable, node.named_children))))


def _variable(node: Node) -> str:
    if node.type == "variable_assignment":
        return field_text(node, "name").partition("[")[0]
    return text_of(node) if node.type == "variable_name" else ""


def _alias(node: Node) -> Construct | None:
    if _command(node) != b"alias":
        return None
    given = [text_of(item) for item in node.children_by_field_name("argument")]
    names = [item.partition("=")[0] for item in given if "=" in item]
    return (
        Construct("function", names[0], more_names=tuple(names[1:]), loose=True) if names else None
    )


def _command(node: Node) -> bytes:
    name = node.child_by_field_name("name")
    return b"" if name is None else name.text or b""


describe: Final = by_kind(
    {
        _alias: "command",
        _assignment: "variable_assignment",
        _declaration: "declaration_command",
        named_as("function"): "function_definition",
        wrapper: "case_item case_statement compound_statement elif_clause else_clause"
        " if_statement list negated_command redirected_statement subshell",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return the names of the sourced scripts."""
    if node.type != "command" or _command(node) not in _SOURCE:
        return ()
    path = text_of(node.child_by_field_name("argument")).strip("\"'")
    return (path,) if path else ()


RULES: Final = Rules(describe, imported)
