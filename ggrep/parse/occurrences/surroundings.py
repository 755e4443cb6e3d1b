"""Facts about a name from the surrounding syntax: imports, receivers, base types."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from tree_sitter import Node

from ggrep.parse.occurrences.words import Role

MAX_HEAD_BYTES: Final = 600
"""Maximum bytes of a type's head to search for base types."""
MAX_BASES: Final = 20

_IMPORTS: Final = (
    "import_",
    "use_declaration",
    "using_directive",
    "namespace_use_",
    "preproc_include",
)
"""Prefixes of the kinds of nodes that import a name."""
_WORD: Final = re.compile(r"[^\W\d]\w*")
_NO_BASES: Final = frozenset(
    {
        *("abstract", "as", "class", "def", "default", "enum", "export", "extends", "final", "for"),
        *("fun", "impl", "implements", "in", "interface", "internal", "mut", "object", "open"),
        *("out", "override", "private", "protected", "pub", "public", "sealed", "static"),
        *("struct", "trait", "type", "virtual", "where", "with"),
    }
)
_HERITAGE: Final = frozenset(
    {
        *("base_class_clause", "base_clause", "base_list", "class_heritage"),
        *("class_interface_clause", "delegation_specifier", "extends_clause"),
        *("extends_interfaces", "extends_type_clause", "implements_clause"),
        *("inheritance_specifier", "interfaces", "mixin_application", "mixins"),
        *("super_interfaces", "superclass"),
    }
)
"""Kinds of the nodes that list the types which a type implements or extends."""
_ASIDE: Final = re.compile(
    r"annotation|argument|call|parameter|bound|body|block|statement|constraint"
)
"""Kinds of nodes, in a list of base types, whose names are not base types."""
_PARTS: Final = frozenset({"subscript", "scope", "object", "path", "qualifier", "module"})
"""Fields of a name in front of its last part, or of an index."""
_QUOTED: Final = re.compile(r"[\"'<]([^\"'<>\n]+)[\"'>]")
_FROM: Final = re.compile(r"\s*from\s+(\.*[\w.]*)\s+import\b")
_MODULE: Final = re.compile(
    r"\s*(?:(?:pub(?:\([\w: ]+\))?|global|import|use|using|static|typealias|class|func|struct)\s+"
    r"|\w+\s*=\s*)*([\w.:\\]+)"
)
Way: TypeAlias = Sequence[tuple[Node, str | None]]
"""Nodes from the root to a position, each with its field in its parent."""


def role_of(way: Way) -> Role:
    """Return the role of a usage; empty if the syntax shows none.

    Roles: a type whose methods are declared (`receiver`), and a type that another type implements
        or extends (`implements`). For imports, see `imported_from`.
    """
    if is_base(way):
        return "implements"
    for (node, _), (_, field) in pairwise(way):
        if field == "receiver" and node.type == "method_declaration":
            return "receiver"
        if node.type == "impl_item" and field == "type":
            return "receiver"
    return ""


def _import_of(way: Way) -> Node | None:
    """Return the import statement that contains the name; None for other positions."""
    for node, _ in way:
        if node.type == "import" or (node.type.startswith(_IMPORTS) and node.type != "import_list"):
            return node
        if node.type == "export_statement" and node.child_by_field_name("source") is not None:
            return node
        if node.type == "variable_declarator" and _requires(node, way[-1][0]):
            return node
    return None


def imported_from(way: Way, start: int, data: bytes) -> str:
    """Return the module, package or header that an import names, as written; empty for no import.

    Args:
        way: the nodes from the root to a name in the import.
        start: the name's offset in bytes.
        data: the file.
    """
    statement = _import_of(way)
    specs = [node for node, _ in way if node.type == "import_spec"]
    statement = specs[0] if specs else statement
    if statement is None:
        return ""
    end = min(statement.end_byte, statement.start_byte + MAX_HEAD_BYTES)
    text = data[statement.start_byte : end].decode("utf-8", "replace")
    if quoted := _QUOTED.findall(text):
        return str(quoted[-1])
    if module := _FROM.match(text):
        return module[1]
    first, begin = statement.start_byte, data.rfind(b",", statement.start_byte, start) + 1
    if begin > first and b"{" not in data[first:begin]:
        text = data[begin:end].decode("utf-8", "replace")
    path = _MODULE.match(text)
    return "" if path is None else path[1].strip(".:")


def is_base(way: Way) -> bool:
    """Return whether a position names a type that the surrounding type implements or extends."""
    for place in range(len(way) - 1, 0, -1):
        (node, field), parent = way[place], way[place - 1][0]
        if field in {"superclass", "superclasses"} or node.type in _HERITAGE:
            return True
        if parent.type == "impl_item":
            return field == "trait" and all(child.type != "!" for child in parent.children)
        if parent.type == "trait_item" and node.type == "trait_bounds":
            return True
        if parent.type == "element_reference" and field == "object":
            continue  # a version of a base in Ruby: `Migration[7.0]`
        if field in _PARTS or (node.is_named and _ASIDE.search(node.type)):
            return False
    return False


def methods_of(node: Node, data: bytes) -> tuple[str, ...]:
    """Return the methods that a definition of Go declares, each as `name/number of parameters`.

    For an interface, the names of the embedded interfaces are included.
    """
    if node.type == "method_declaration":
        return (_method(node, data),)
    typed = node.child_by_field_name("type")
    if typed is None and node.type == "type_declaration" and node.named_children:
        typed = node.named_children[0].child_by_field_name("type")
    if typed is None or typed.type != "interface_type":
        return ()
    members = []
    for member in typed.named_children:
        if member.type == "method_elem":
            members.append(_method(member, data))
        elif member.type == "type_elem":
            members.append(data[member.start_byte : member.end_byte].decode("utf-8", "replace"))
    return tuple(members)


def _method(node: Node, data: bytes) -> str:
    """Return a method of Go as `name/number of parameters`; `a, b int` counts as two."""
    listed = node.child_by_field_name("parameters")
    given = [] if listed is None else listed.named_children
    counts = [max(1, len(each.children_by_field_name("name"))) for each in given]
    named = node.child_by_field_name("name")
    name = b"" if named is None else data[named.start_byte : named.end_byte]
    return f"{name.decode('utf-8', 'replace')}/{sum(counts)}"


def _requires(declarator: Node, name: Node) -> bool:
    """Return whether a JavaScript variable is assigned the exports of a module."""
    value = declarator.child_by_field_name("value")
    if value is None or value.start_byte <= name.start_byte or value.type != "call_expression":
        return False
    function = value.child_by_field_name("function")
    return function is not None and function.text == b"require"


def bases_of(around: Sequence[Node], container: str, data: bytes) -> tuple[str, ...]:
    """Return the names in the head of the innermost type around a member, except the type's name.

    Args:
        around: nodes of the surrounding definitions, the innermost last.
        container: qualified name of that type.
        data: the file.
    """
    if not around:
        return ()
    node = around[-1]
    body = node.child_by_field_name("body")
    ends = node.end_byte if body is None else body.start_byte
    head = data[node.start_byte : min(ends, node.start_byte + MAX_HEAD_BYTES)].decode(
        "utf-8", "replace"
    )
    if body is None:
        head = head.partition("\n")[0]
    excluded = {*container.replace("::", ".").split(".")} | _NO_BASES
    words = dict.fromkeys(word for word in _WORD.findall(head) if word not in excluded)
    return tuple(words)[:MAX_BASES]
