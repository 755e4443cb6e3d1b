"""Rules for Python."""

from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    body_of,
    by_kind,
    constants,
    field_text,
    first_named,
    named_as,
    text_of,
    wrapper,
)

_PATTERNS: Final = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})
_ENUMS: Final = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def _function(node: Node) -> Construct | None:
    body = body_of(node)
    return Construct("function", field_text(node, "name"), body, doc=_docstring(body))


def _class(node: Node) -> Construct | None:
    body = body_of(node)
    return Construct(_class_type(node), field_text(node, "name"), body, doc=_docstring(body))


def _docstring(body: tuple[Node, ...]) -> Node | None:
    # A block can be empty if its text is not code, for example after a merge with conflicts.
    first = body[0].named_child(0) if body and body[0].named_child_count else None
    return first if first is not None and first.type == "string" else None


def _decorated(node: Node) -> Construct | None:
    inner = node.child_by_field_name("definition")
    return None if inner is None else describe(inner)


def _class_type(node: Node) -> str:
    bases = node.child_by_field_name("superclasses")
    if bases is None:
        return "class"
    words = {text_of(base).partition("[")[0].rpartition(".")[2] for base in bases.named_children}
    if words & _ENUMS:
        return "enum"
    return "interface" if "Protocol" in words else "class"


def _assignment(node: Node) -> Construct | None:
    inner = node if node.type == "assignment" else first_named(node)
    if inner is None or inner.type != "assignment":
        return None
    return constants(_targets(inner))


def _targets(assignment: Node) -> list[str]:
    """Return the plain names on the left, also of `a, b = pair` and `a = b = value`."""
    names: list[str] = []
    node: Node | None = assignment
    while node is not None and node.type == "assignment":
        left = node.child_by_field_name("left")
        if left is not None and left.type == "identifier":
            names.append(text_of(left))
        elif left is not None and left.type in _PATTERNS:
            names += [text_of(item) for item in left.named_children if item.type == "identifier"]
        node = node.child_by_field_name("right")
    return names


def _left(node: Node) -> str:
    return field_text(node, "left").partition("[")[0]


describe: Final = by_kind(
    {
        _assignment: "assignment expression_statement",
        _class: "class_definition",
        _decorated: "decorated_definition",
        _function: "function_definition",
        named_as("typealias", _left): "type_alias_statement",
        wrapper: "block elif_clause else_clause except_clause finally_clause if_statement"
        " try_statement with_statement",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return dotted names: `a.b` for `import a.b` and for `from a import b`."""
    if node.type == "import_statement":
        return tuple(_plain(name) for name in node.children_by_field_name("name"))
    if node.type != "import_from_statement":
        return ()
    module = field_text(node, "module_name")
    names = [_plain(name) for name in node.children_by_field_name("name")]
    joint = "" if module.endswith(".") else "."
    return tuple(f"{module}{joint}{name}" for name in names) or (module,)


def _plain(name: Node) -> str:
    return field_text(name, "name") if name.type == "aliased_import" else text_of(name)


RULES: Final = Rules(describe, imported, fields=True)
