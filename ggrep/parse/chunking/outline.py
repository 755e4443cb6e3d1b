"""The nested definitions of a file, found without visiting every node.

Only the top level and the insides of definitions are walked; whatever else is larger than a
chunk is looked into as well, so that a module wrapped in a function call does not stay opaque.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from tree_sitter import Node

from ggrep.parse.chunking.spans import NO_SPAN, Span
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.found import Found, Rules, end_of, signature_of
from ggrep.parse.languages.line_table import LineTable

MAX_DEPTH: Final = 40
"""Levels of nesting that are looked into; what lies deeper stays in its parent's text."""

_LEADING: Final = frozenset({"comment", "attribute_item", "decorator", "haddock"})
"""What belongs to the definition behind it, beside all kinds of comments."""
_OPENING: Final = frozenset({"and", "type"})
"""Words that stand in front of one of several types, outside of its node."""
_ALWAYS_WALKED: Final = frozenset({"class", "interface", "enum", "module"})


class Definition(Struct, frozen=True):
    """One definition.

    Attributes:
        start: byte offset, leading comments and attributes included.
        found: what the language's rules said.
        chunk_type: `found.chunk_type`, or `method` for a class's function and `field` for its
            constants; a field gives its chunk a name and never a type.
        signature: byte range of its head, up to its body.
        doc: byte range of the comment in front of it or the string inside that documents it.
    """

    start: int
    end: int
    found: Found
    chunk_type: str
    members: tuple["Definition", ...]
    signature: Span
    doc: Span

    def all_names(self) -> tuple[str, ...]:
        """Return its names and those of all its members, its own first, each once."""
        names = [self.found.name, *self.found.more_names]
        for member in self.members:
            names += member.all_names()
        return tuple(filter(None, dict.fromkeys(names)))

    def outer_names(self) -> tuple[str, ...]:
        """Return what the file defines through it; a module's members count as well."""
        own = (self.found.name, *self.found.more_names)
        if self.chunk_type != "module":
            return own
        return own + tuple(name for member in self.members for name in member.outer_names())


class _Lead(Struct, frozen=True):
    """Comments and attributes in front of a definition, and where the comments among them lie."""

    start: int
    end: int
    doc: Span | None


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

    def _search(
        self, nodes: Iterable[Node], scope: str, depth: int, lead: "_Lead | None" = None
    ) -> list[Definition]:
        found: list[Definition] = []
        leads = self._rules.leads
        if depth >= MAX_DEPTH:
            return found
        for node in nodes:
            kind = node.type
            if found and found[-1].found.last is not None and node.end_byte <= found[-1].end:
                continue  # the body of what was found just now
            if kind in _LEADING or (leads and node.id in leads) or kind.endswith("comment"):
                lead = self._extend_lead(lead, node)
                continue
            if lead is not None and not self._near(lead.end, node):
                lead = None
            said = Found("", inside=(node,)) if kind == "ERROR" else self._rules.describe(node)
            for definition in self._visit(node, said, lead, scope, depth):
                self._append(found, definition)
            lead = None
        return found

    def _append(self, found: list[Definition], new: Definition) -> None:
        """Add a definition, or the next clause to the one before it."""
        last = found[-1] if found and self._rules.clauses else None
        one = last is not None and last.found.name == new.found.name
        if last is not None and one and last.chunk_type == new.chunk_type:
            size = new.end - last.start
            if size <= self._limits.max_bytes and self._table.adjacent(last.end, new.start):
                found[-1] = replace(last, end=new.end)
                return
        found.append(new)

    def _visit(
        self, node: Node, found: Found | None, lead: "_Lead | None", scope: str, depth: int
    ) -> list[Definition]:
        if found is None or (found.chunk_type and not found.name):
            if scope == "top":
                self._imports.update(dict.fromkeys(self._rules.imported(node)))
            island = self._rules.island
            root = None if island is None else island(node)
            if root is not None:
                return self._search(root.named_children, scope, depth + 1)
            return self._search(node.named_children, "local", depth + 1) if self._big(node) else []
        if not found.chunk_type:
            inner = (node for part in found.inside for node in part.named_children)
            return self._search(inner, scope, depth + 1, lead if found.thin else None)
        kept = scope == "top" or (scope == "class" and self._rules.fields)
        prototype = scope == "local" and found.loose and self._rules.prototypes
        if prototype or (found.chunk_type == "constant" and not kept):
            return self._members(found, node, scope, depth)
        return [self._build(node, lead, found, scope, depth)]

    def _build(
        self, node: Node, lead: "_Lead | None", found: Found, scope: str, depth: int
    ) -> Definition:
        field = found.chunk_type == "constant" and scope == "class"
        method = found.chunk_type == "function" and scope == "class"
        is_object = found.chunk_type == "constant" and bool(found.inside)
        walked = is_object or found.chunk_type in _ALWAYS_WALKED
        members = self._members(found, node, scope, depth) if walked or self._big(node) else []
        return Definition(
            start=self._start(node, lead, found),
            end=end_of(node, found),
            found=found,
            chunk_type="method" if method else "field" if field else found.chunk_type,
            members=tuple(members),
            signature=NO_SPAN if field else signature_of(node, found, self._table.data),
            doc=_doc(found, lead),
        )

    def _members(self, found: Found, node: Node, scope: str, depth: int) -> list[Definition]:
        if found.chunk_type == "module":
            inner = scope
        elif found.chunk_type == "constant":
            inner = "local" if scope == "local" else "class"
        else:
            inner = "class" if found.chunk_type in _ALWAYS_WALKED else "local"
        parts = found.inside or ((node,) if self._big(node) else ())
        if not parts:
            return []
        children = (child for part in parts for child in part.named_children)
        return self._search(children, inner, depth + 1)

    def _extend_lead(self, lead: "_Lead | None", node: Node) -> "_Lead | None":
        start, end = node.start_byte, node.end_byte
        comment = node.type.endswith("comment")
        if lead is not None and self._table.adjacent(lead.end, start):
            doc = (lead.doc[0] if lead.doc else start, end) if comment else lead.doc
            return _Lead(lead.start, end, doc)
        if self._table.begins_line(start):
            return _Lead(start, end, (start, end) if comment else None)
        return None

    def _near(self, end: int, node: Node) -> bool:
        return self._table.adjacent(end, self._table.with_marks(node.start_byte))

    def _start(self, node: Node, lead: "_Lead | None", found: Found) -> int:
        """Return where a definition begins; its doc may lie in front, in another node."""
        start = self._table.with_marks(node.start_byte) if lead is None else lead.start
        if found.doc is not None:
            return min(start, found.doc.start_byte)
        if lead is None and found.chunk_type in _ALWAYS_WALKED and isinstance(node, Node):
            return min(start, self._keyword(node))
        return start

    def _keyword(self, node: Node) -> int:
        """Return where the words begin that stand in front of a node on its line: `and`."""
        before = node.prev_sibling
        while before is not None and (before.type in _OPENING or before.id in self._rules.leads):
            if self._table.data.find(b"\n", before.start_byte, node.start_byte) >= 0:
                break
            if self._table.begins_line(before.start_byte):
                return before.start_byte
            before = before.prev_sibling
        return node.start_byte

    def _big(self, node: Node) -> bool:
        return _oversize(node, self._limits)


def _oversize(node: Node, limits: ChunkLimits) -> bool:
    size = node.end_byte - node.start_byte
    if size > limits.max_bytes or size < limits.max_lines:
        # Most nodes are small: they hold fewer bytes than the lines asked for, and the binding
        # need not build their points.
        return size > limits.max_bytes
    return node.end_point[0] - node.start_point[0] >= limits.max_lines


def _doc(found: Found, lead: _Lead | None) -> Span:
    if found.doc is not None:
        return found.doc.start_byte, found.doc.end_byte
    return NO_SPAN if lead is None or lead.doc is None else lead.doc


def statement_depths(root: Node, table: LineTable, limits: ChunkLimits) -> dict[int, int]:
    """Return, for each line where a node inside something oversize begins, how deep it is."""
    depths: dict[int, int] = {}
    pending = [(root, 0)]
    while pending:
        node, depth = pending.pop()
        for child in node.named_children:
            if not child.type.endswith("_clause"):
                row = table.line_of(child.start_byte)
                depths[row] = min(depth, depths.get(row, depth))
            if _oversize(child, limits):
                pending.append((child, depth + 1))
    return depths
