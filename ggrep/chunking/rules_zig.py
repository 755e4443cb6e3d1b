"""How Zig is read."""

import re
from dataclasses import replace
from typing import Final, cast

from tree_sitter import Node

from ggrep.chunking.children import last_named, named
from ggrep.chunking.found import Found, Rules, field_text, text_of
from ggrep.chunking.runs import Run, as_node, inside_of, run_found

_IMPORT: Final = re.compile(r'@(?:import|cImport|cInclude|embedFile)\(\s*"([^"]+)"')
_COMMENTS: Final = frozenset({"doc_comment", "line_comment"})
_MAX_LEAD: Final = 400
"""Most comment lines in front of a definition that are taken for its own."""


def describe(node: Node) -> Found | None:
    """Return what a declaration, a field or a test defines."""
    reader = _READERS.get(node.type)
    return None if reader is None else reader(node)


def _declaration(node: Node) -> Found | None:
    """Return the declaration, as a run when `pub` stands before it as a node of its own."""
    before = node.prev_sibling
    if before is None or before.type != "pub":
        return _declared(node)
    run = as_node(Run(_lead(before), (node,)))
    return Found("", inside=inside_of(node.start_byte, (run,)))


def _lead(pub: Node) -> list[Node]:
    """Return `pub` behind the comments right above it."""
    lead = [pub]
    while len(lead) < _MAX_LEAD:
        node = lead[-1].prev_sibling
        if node is None or node.type not in _COMMENTS:
            break
        end = node.end_point
        if lead[-1].start_point[0] - end[0] > (1 if end[1] else 0):
            break
        lead.append(node)
    last = lead[-1].prev_sibling
    if last is not None and last.end_point[0] == lead[-1].start_point[0] and last.end_point[1]:
        lead.pop()
    return lead[::-1] or [pub]


def _run(node: Node) -> Found | None:
    run, found = run_found(node, _declared)
    comment = run.lead[0]
    if found is None or comment.type not in _COMMENTS:
        return found
    return replace(found, doc=comment)


def _declared(node: Node) -> Found | None:
    head = named(node, 0)
    if head is None:
        return None
    if head.type == "FnProto":
        return _function(node, head)
    return _variable(head) if head.type == "VarDecl" else None


def _function(node: Node, head: Node) -> Found:
    """Return a function; one that returns a type is read like that type."""
    block = named(node, 1)
    name = field_text(head, "function")
    return Found("function", name, () if block is None else (block,), loose=block is None)


def _variable(node: Node) -> Found | None:
    name = field_text(node, "variable_type_function").removeprefix("@").strip('"')
    value = last_named(node)
    value = None if value is None else _container(value)
    if value is None:
        imports = _IMPORT.search(text_of(node))
        return None if imports else Found("constant", name, loose=True)
    if value.type == "ErrorSetDecl":
        errors = tuple(text_of(item) for item in value.named_children if item.type == "IDENTIFIER")
        return Found("enum", name, more_names=errors)
    kind = text_of(named(value, 0))
    kind = "enum" if kind.startswith("enum") else "class"
    return Found(kind, name, (value,), more_names=_fields(value))


def _fields(container: Node) -> tuple[str, ...]:
    """Return the names of a type's fields or values."""
    fields = [item for item in container.named_children if item.type == "ContainerField"]
    return tuple(text_of(named(item, 0)) for item in fields)


def _container(value: Node) -> Node | None:
    """Return the type that an expression spells out, if it is one."""
    while value.type in {"ErrorUnionExpr", "SuffixExpr"}:
        inner = named(value, 0)
        if inner is None or value.named_child_count > 1:
            return None
        value = inner
    return value if value.type in {"ContainerDecl", "ErrorSetDecl"} else None


def _test(node: Node) -> Found | None:
    name = named(node, 0)
    if name is None or name.type == "Block":
        return Found("function", "test")
    return Found("function", text_of(name).strip('"'))


def _within(node: Node) -> Found | None:
    """Return what a function's block returns, as if the function were that type."""
    container = _returned(node)
    return None if container is None else Found("", inside=(container,))


def _returned(node: Node) -> Node | None:
    value: Node | None = node
    for _ in range(2):
        value = named(value, 0)
    return None if value is None else _container(value)


_READERS: Final = {
    "Decl": _declaration,
    "Statement": _within,
    "TestDecl": _test,
    "run": _run,
}


def imported(node: Node) -> tuple[str, ...]:
    """Return what `@import` and its like name."""
    if node.type == "run":
        return imported(cast("Run", node).clauses[0])
    return tuple(_IMPORT.findall(text_of(node))) if node.type == "Decl" else ()


RULES: Final = Rules(describe, imported)
