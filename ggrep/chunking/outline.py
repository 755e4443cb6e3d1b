"""The definitions of a file, nested as they are, found without visiting every node.

Only the top level and the insides of definitions are walked; whatever else is larger than a
chunk is looked into as well, so that a module wrapped in a function call does not stay opaque.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from ggrep.chunking.found import Found, Rules
from ggrep.chunking.limits import ChunkLimits
from ggrep.chunking.line_table import LineTable

MAX_DEPTH: Final = 40
"""Levels of nesting that are looked into; what lies deeper stays in its parent's text."""

_LEADING: Final = frozenset(
    {"comment", "line_comment", "block_comment", "attribute_item", "decorator"}
)
_ALWAYS_WALKED: Final = frozenset({"class", "interface", "enum", "module"})


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition.

    Attributes:
        start: byte offset, leading comments and attributes included.
        found: what the language's rules said.
        chunk_type: `found.chunk_type`, or `method` for a class's function.
    """

    start: int
    end: int
    found: Found
    chunk_type: str
    members: tuple["Definition", ...]

    def all_names(self) -> tuple[str, ...]:
        """Return its names and those of all its members, its own first, each once."""
        names = [self.found.name, *self.found.more_names]
        for member in self.members:
            names += member.all_names()
        return tuple(name for name in dict.fromkeys(names) if name)

    def outer_names(self) -> tuple[str, ...]:
        """Return what the file defines through it; a module's members count as well."""
        own = (self.found.name, *self.found.more_names)
        if self.chunk_type != "module":
            return own
        return own + tuple(name for member in self.members for name in member.outer_names())


class Outline:
    """The definitions and imports of one syntax tree.

    Attributes:
        definitions: the outermost ones, in source order.
        imports: in source order, each once.
    """

    def __init__(self, root: Node, table: LineTable, rules: Rules, limits: ChunkLimits) -> None:
        self._table = table
        self._rules = rules
        self._limits = limits
        self._imports: dict[str, None] = {}
        self.definitions = tuple(self._search(root.named_children, "top", 0))
        self.imports = tuple(self._imports)

    def _search(self, nodes: Iterable[Node], scope: str, depth: int) -> list[Definition]:
        found: list[Definition] = []
        lead: tuple[int, int] | None = None
        for node in nodes:
            if node.type in _LEADING:
                lead = self._extend_lead(lead, node)
                continue
            start = node.start_byte
            if lead is not None and self._adjacent(lead[1], start):
                start = lead[0]
            lead = None
            found += self._visit(node, start, scope, depth)
        return found

    def _visit(self, node: Node, start: int, scope: str, depth: int) -> list[Definition]:
        if depth >= MAX_DEPTH:
            return []
        found = Found("", inside=(node,)) if node.type == "ERROR" else self._rules.describe(node)
        if found is None or (found.chunk_type and not found.name):
            if scope == "top":
                self._imports.update(dict.fromkeys(self._rules.imported(node)))
            return self._search(node.named_children, "local", depth + 1) if self._big(node) else []
        if not found.chunk_type:
            inner = (node for part in found.inside for node in part.named_children)
            return self._search(inner, scope, depth + 1)
        if found.chunk_type == "constant" and scope != "top":
            return self._members(found, node, scope, depth)
        return [self._build(node, start, found, scope, depth)]

    def _build(self, node: Node, start: int, found: Found, scope: str, depth: int) -> Definition:
        method = found.chunk_type == "function" and scope == "class"
        is_object = found.chunk_type == "constant" and bool(found.inside)
        walked = is_object or found.chunk_type in _ALWAYS_WALKED
        members = self._members(found, node, scope, depth) if walked or self._big(node) else []
        return Definition(
            start=start,
            end=node.end_byte,
            found=found,
            chunk_type="method" if method else found.chunk_type,
            members=tuple(members),
        )

    def _members(self, found: Found, node: Node, scope: str, depth: int) -> list[Definition]:
        if found.chunk_type == "module":
            inner = scope
        else:
            inner = "class" if found.chunk_type in _ALWAYS_WALKED else "local"
        parts = found.inside or ((node,) if self._big(node) else ())
        children = (child for part in parts for child in part.named_children)
        return self._search(children, inner, depth + 1)

    def _extend_lead(self, lead: tuple[int, int] | None, node: Node) -> tuple[int, int] | None:
        if lead is not None and self._adjacent(lead[1], node.start_byte):
            return lead[0], node.end_byte
        if self._table.begins_line(node.start_byte):
            return node.start_byte, node.end_byte
        return None

    def _adjacent(self, end: int, start: int) -> bool:
        """Say whether no blank line stands between; some comments hold their line's end."""
        before = 1 if end > 0 and self._table.data[end - 1] == 0x0A else 0
        return self._table.data.count(b"\n", end, start) + before <= 1

    def _big(self, node: Node) -> bool:
        if node.end_byte - node.start_byte > self._limits.max_bytes:
            return True
        return node.end_point[0] - node.start_point[0] >= self._limits.max_lines


def statement_depths(root: Node, limits: ChunkLimits) -> dict[int, int]:
    """Return, for each line where a node inside something oversize begins, how deep it is."""
    depths: dict[int, int] = {}
    pending = [(root, 0)]
    while pending:
        node, depth = pending.pop()
        for child in node.named_children:
            row = child.start_point[0]
            if not child.type.endswith("_clause"):
                depths[row] = min(depth, depths.get(row, depth))
            lines = child.end_point[0] - row
            if child.end_byte - child.start_byte > limits.max_bytes or lines >= limits.max_lines:
                pending.append((child, depth + 1))
    return depths
