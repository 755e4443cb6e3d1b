"""Rules for Haskell."""

from collections.abc import Callable
from typing import Final, cast

from msgspec.structs import replace
from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    by_kind,
    constants,
    field_text,
    last_named,
    named,
    named_as,
    text_of,
    words,
)
from ggrep.parse.languages.runs import APART, BETWEEN, Run, grouped, inside_of, run_construct

_BETWEEN: Final = frozenset({"comment", "haddock", "pragma"})
_CONSTRUCTED: Final = words(
    "binding_list data_constructor data_constructors field fields gadt_constructor"
    " gadt_constructors infix newtype_constructor prefix record"
)
_CONSTRUCTOR_NAMES: Final = frozenset({"constructor", "constructor_operator", "field_name"})
_MAX_CONSTRUCTED: Final = 2000
"""Maximum number of nodes of one data type that are searched for names."""


def describe(node: Node) -> Construct | None:
    """Return the definition in a declaration."""
    construct = _plain(node)
    if construct is None or not construct.chunk_type or construct.doc is not None:
        return construct
    first = cast("Run", node).clauses[0] if node.type == "run" else node
    before = first.prev_named_sibling
    if before is None or before.type != "haddock":
        return construct
    return replace(construct, doc=before)


def _group(node: Node) -> Construct:
    nodes = [*_comments_before(node), *node.named_children]
    return Construct("", inside=grouped(node, nodes, _roles()))


def _comments_before(declarations: Node) -> list[Node]:
    """Return the comments of the first declaration, which in the grammar belong to the imports."""
    before = declarations.prev_named_sibling
    comments: list[Node] = []
    node = last_named(before) if before is not None and before.type == "imports" else before
    while node is not None and node.type in _BETWEEN:
        comments.append(node)
        node = node.prev_named_sibling
    return comments[::-1]


def _roles() -> Callable[[Node], str]:
    """Return the function `role` for `grouped`; each signature begins a new definition."""
    signatures = 0

    def role(node: Node) -> str:
        nonlocal signatures
        kind = node.type
        if kind in {"function", "signature", "bind"}:
            names = _names(node)
            signatures += kind == "signature"
            return f"{signatures} {names[0]}" if names else APART
        if kind in _BETWEEN:
            return BETWEEN
        return f"pattern {_pattern_name(node)}" if kind == "pattern_synonym" else APART

    return role


def _run(node: Node) -> Construct | None:
    """Return the function that consists of a signature and equations."""
    run, definition = run_construct(node, _plain)
    if definition is None:
        return None
    equations = [item for item in run.clauses if item.type in {"function", "bind"}]
    inside = (equations[0],) if len(equations) == 1 else ()
    return replace(definition, inside=inside, loose=False)


def _header(node: Node) -> Construct:
    return Construct("module", field_text(node, "module"), inside_of(node.end_byte, ()))


def _function(node: Node) -> Construct | None:
    names = _names(node)
    return Construct("function", names[0], (node,), more_names=names[1:]) if names else None


def _signature(node: Node) -> Construct | None:
    names = _names(node)
    return Construct("function", names[0], more_names=names[1:], loose=True) if names else None


def _bind(node: Node) -> Construct | None:
    if node.child_by_field_name("name") is not None:
        return _function(node)
    pattern = node.child_by_field_name("pattern")
    parts = [] if pattern is None else pattern.named_children
    names = [text_of(item) for item in parts if item.type == "variable"]
    return constants(names)


def _names(node: Node) -> tuple[str, ...]:
    """Return the names that a signature or an equation defines, operators without brackets."""
    single = node.child_by_field_name("name")
    if single is not None:
        return (_bare(single),)
    several = node.child_by_field_name("names")
    if several is not None:
        return tuple(_bare(item) for item in several.named_children)
    for child in node.named_children:
        if child.type == "infix":
            return (_bare(child.child_by_field_name("operator")),)
    return ()


def _bare(node: Node | None) -> str:
    return text_of(node).strip("()` ")


def _data(node: Node) -> Construct | None:
    names: list[str] = []
    roots = [*node.children_by_field_name("constructor"), node.child_by_field_name("constructors")]
    pending = [root for root in roots if root is not None]
    for _ in range(_MAX_CONSTRUCTED):
        if not pending:
            break
        part = pending.pop()
        if part.type in _CONSTRUCTOR_NAMES:
            names.append(text_of(part))
        elif part.type in _CONSTRUCTED:
            pending += reversed(part.named_children)
    return Construct("class", field_text(node, "name"), more_names=tuple(dict.fromkeys(names)))


def _data_instance(node: Node) -> Construct | None:
    inner = named(node, 0)
    return None if inner is None else _data(inner)


def _instance(node: Node) -> Construct:
    """Return an instance by its class and types: `Show Int`."""
    class_name = field_text(node, "name").rpartition(".")[2]
    name = f"{class_name} {field_text(node, 'patterns')}".strip()
    inside = _declared(node)
    return Construct("class", name, inside, loose=not inside, thin=True)


def _declared(node: Node) -> tuple[Node, ...]:
    body = node.child_by_field_name("declarations")
    return () if body is None else grouped(body, body.named_children, _roles())


def _foreign(node: Node) -> Construct | None:
    signature = node.child_by_field_name("signature")
    return None if signature is None else _signature(signature)


def _pattern_name(node: Node) -> str:
    inner = named(node, 0)
    name = None if inner is None else inner.child_by_field_name("synonym")
    head = None if name is None else name.child_by_field_name("function")
    return text_of(head or name).partition(" ")[0]


_plain: Final = by_kind(
    {
        _bind: "bind",
        named_as("interface", inside=_declared): "class",
        named_as("typealias"): "data_family type_family",
        _data_instance: "data_instance",
        _data: "data_type newtype",
        _group: "declarations local_binds",
        _instance: "deriving_instance instance",
        _foreign: "foreign_import",
        _function: "function",
        _header: "header",
        named_as("function", _pattern_name): "pattern_synonym",
        _run: "run",
        _signature: "signature",
        named_as("typealias", loose=True): "type_instance type_synomym type_synonym",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return the modules that are imported."""
    items = node.named_children if node.type == "imports" else (node,)
    return tuple(field_text(item, "module") for item in items if item.type == "import")


RULES: Final = Rules(describe, imported)
