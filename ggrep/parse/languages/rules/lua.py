"""Rules for Lua."""

import re
from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    body_of,
    by_kind,
    field_text,
    named,
    text_of,
    wrapper,
)

_IN_BRACKETS: Final = re.compile(r"""\[\s*["']([^"'.:]+)["']\s*\]$""")
_REQUIRE: Final = re.compile(r"""\brequire\s*\(?\s*["']([^"']+)["']""")


def _function(node: Node) -> Construct | None:
    return _callable(node, node.child_by_field_name("name"))


def _callable(node: Node, target: Node | None) -> Construct | None:
    """Return the function `node` with the name `target`; the tables in the name are its owners."""
    method = target is not None and target.type == "method_index_expression"
    path = _IN_BRACKETS.sub(r".\1", text_of(target)).replace(":", ".").split(".")
    kind = "method" if method else "function"
    return Construct(kind, path[-1], body_of(node), owners=tuple(path[:-1]))


def _local(node: Node) -> Construct | None:
    inner = named(node, 0)
    if inner is None:
        return None
    return _names(inner) if inner.type == "variable_list" else _assignment(inner)


def _assignment(node: Node) -> Construct | None:
    if node.type != "assignment_statement":
        return None
    left, right = named(node, 0), named(node, 1)
    value = named(right, 0)
    if left is None or value is None:
        return None
    if value.type == "function_definition":
        return _callable(value, named(left, 0))
    if value.type == "table_constructor":
        variables = _names(left)
        return variables and Construct(
            "constant", variables.name, (value,), variables.owners, variables.more_names, loose=True
        )
    return None if _REQUIRE.search(text_of(value)) else _names(left)


def _names(node: Node) -> Construct | None:
    """Return the variables of a list; the tables in the first name are its owners."""
    names = [text_of(item) for item in node.children_by_field_name("name")]
    if not names or "[" in names[0] or "(" in names[0]:
        return None
    *owners, first = names[0].split(".")
    return Construct(
        "constant", first, owners=tuple(owners), more_names=tuple(names[1:]), loose=True
    )


def _field(node: Node) -> Construct | None:
    value = node.child_by_field_name("value")
    if value is None or value.type != "function_definition":
        return None
    return Construct("method", field_text(node, "name").strip("\"'"), body_of(value))


def _returned(node: Node) -> Construct | None:
    given = named(node, 0)
    value = named(given, 0)
    if value is None or value.type != "table_constructor":
        return None
    return wrapper(value)


describe: Final = by_kind(
    {
        _assignment: "assignment_statement",
        _field: "field",
        _function: "function_declaration",
        _local: "variable_declaration",
        _returned: "return_statement",
        wrapper: "block do_statement else_statement elseif_statement if_statement",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return the modules that a statement requires."""
    if node.type == "comment":
        return ()
    return tuple(_REQUIRE.findall(text_of(node)))


RULES: Final = Rules(describe, imported)
