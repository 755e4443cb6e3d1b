"""Facts about a name from the syntax around it: imports, receivers, base types."""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from tree_sitter import Node

from ggrep.parse.occurrences.words import Role

MAX_HEAD_BYTES: Final = 600
"""Maximum bytes of a type's head that are searched for its bases."""
MAX_BASES: Final = 20

_IMPORTS: Final = (
    "import_",
    "use_declaration",
    "using_directive",
    "namespace_use_",
    "preproc_include",
)
"""Prefixes of the kinds of nodes that make a name known to a file."""
_WORD: Final = re.compile(r"[^\W\d]\w*")
_NO_BASES: Final = frozenset(
    {
        *("abstract", "as", "class", "def", "default", "enum", "export", "extends", "final", "for"),
        *("fun", "impl", "implements", "in", "interface", "internal", "mut", "object", "open"),
        *("out", "override", "private", "protected", "pub", "public", "sealed", "static"),
        *("struct", "trait", "type", "virtual", "where", "with"),
    }
)
Way: TypeAlias = Sequence[tuple[Node, str | None]]
"""Nodes from the root to a position, each with its field in its parent."""


def role_of(way: Way) -> Role:
    """Return the role of a usage, if syntax shows it: an import, or a type that gets methods."""
    fields = [field for _, field in way[1:]]
    for (node, _), field in zip(way, [*fields, None], strict=False):
        if node.type.startswith(_IMPORTS) or node.type == "import":
            return "import"
        if node.type == "export_statement" and node.child_by_field_name("source") is not None:
            return "import"
        if field == "receiver" and node.type == "method_declaration":
            return "receiver"
        if node.type == "impl_item" and field in {"type", "trait"}:
            return "receiver"
    return ""


def bases_of(around: Sequence[Node], container: str, data: bytes) -> tuple[str, ...]:
    """Return the names in the head of the innermost type around a member, without its own.

    Args:
        around: nodes of the surrounding definitions, the innermost last.
        container: its qualified name.
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
