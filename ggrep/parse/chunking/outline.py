"""Collects the nested definitions of a file without visiting every node.

Three kinds of nodes are visited: nodes at the top level, nodes inside definitions, and nodes inside
a node that is larger than a chunk, such as a module that is wrapped in a function call.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from tree_sitter import Node

from ggrep.parse.chunking.spans import NO_SPAN, Span
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.constructs import Construct, Rules, end_of, signature_of, wrapper
from ggrep.parse.languages.line_table import LineTable

MAX_DEPTH: Final = 40
"""Maximum depth of nesting that is walked; deeper nodes stay in the text of their parent."""

_LEADING: Final = frozenset({"comment", "attribute_item", "decorator", "haddock"})
"""Kinds of nodes that belong to the next definition, in addition to comments."""
_OPENING: Final = frozenset({"and", "type"})
"""Words before one of several types that are outside the type's node."""
_ALWAYS_WALKED: Final = frozenset({"class", "interface", "enum", "module"})


class Definition(Struct, frozen=True):
    """One definition.

    Attributes:
        start: byte offset, including leading comments and attributes.
        construct: the definition that the language's rules returned.
        chunk_type: `construct.chunk_type`, or `method` for a class's function and `field` for its
            constants. A field adds a name to its chunk, but no type.
        signature: byte range of the definition's head, up to its body.
        doc: byte range of the preceding comment, or of the string inside, that documents the
            definition.
    """

    start: int
    end: int
    construct: Construct
    chunk_type: str
    members: tuple["Definition", ...]
    signature: Span
    doc: Span

    def all_names(self) -> tuple[str, ...]:
        """Return the distinct names of the definition, then those of all its members."""
        names = [self.construct.name, *self.construct.more_names]
        for member in self.members:
            names += member.all_names()
        return tuple(filter(None, dict.fromkeys(names)))

    def outer_names(self) -> tuple[str, ...]:
        """Return the names of the definition, and of a module's members."""
        names = (self.construct.name, *self.construct.more_names)
        if self.chunk_type != "module":
            return names
        return names + tuple(name for member in self.members for name in member.outer_names())


class _Lead(Struct, frozen=True):
    """The comments and attributes before a definition, and the range of the comments."""

    start: int
    end: int
    doc: Span | None


class Outline:
    """The definitions and imports of one syntax tree.

    Attributes:
        definitions: the outermost definitions, in source order.
        imports: the distinct imports, in source order.
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
        definitions: list[Definition] = []
        leads = self._rules.leads
        if depth >= MAX_DEPTH:
            return definitions
        for node in nodes:
            kind = node.type
            if (
                definitions
                and definitions[-1].construct.last is not None
                and node.end_byte <= definitions[-1].end
            ):
                continue  # part of the last definition
            if kind in _LEADING or (leads and node.id in leads) or kind.endswith("comment"):
                lead = self._extend_lead(lead, node)
                continue
            if lead is not None and not self._near(lead.end, node):
                lead = None
            described = wrapper(node) if kind == "ERROR" else self._rules.describe(node)
            for definition in self._visit(node, described, lead, scope, depth):
                self._append(definitions, definition)
            lead = None
        return definitions

    def _append(self, definitions: list[Definition], new: Definition) -> None:
        """Add a definition, or merge it into the last definition as a further clause."""
        last = definitions[-1] if definitions and self._rules.clauses else None
        same = last is not None and last.construct.name == new.construct.name
        if last is not None and same and last.chunk_type == new.chunk_type:
            size = new.end - last.start
            if size <= self._limits.max_bytes and self._table.adjacent(last.end, new.start):
                definitions[-1] = replace(last, end=new.end)
                return
        definitions.append(new)

    def _visit(
        self, node: Node, described: Construct | None, lead: "_Lead | None", scope: str, depth: int
    ) -> list[Definition]:
        if described is None or (described.chunk_type and not described.name):
            if scope == "top":
                self._imports.update(dict.fromkeys(self._rules.imported(node)))
            island = self._rules.island
            root = None if island is None else island(node)
            if root is not None:
                return self._search(root.named_children, scope, depth + 1)
            return self._search(node.named_children, "local", depth + 1) if self._big(node) else []
        if not described.chunk_type:
            inner = (node for part in described.inside for node in part.named_children)
            return self._search(inner, scope, depth + 1, lead if described.thin else None)
        kept = scope == "top" or (scope == "class" and self._rules.fields)
        prototype = scope == "local" and described.loose and self._rules.prototypes
        if prototype or (described.chunk_type == "constant" and not kept):
            return self._members(described, node, scope, depth)
        return [self._build(node, lead, described, scope, depth)]

    def _build(
        self, node: Node, lead: "_Lead | None", described: Construct, scope: str, depth: int
    ) -> Definition:
        field = described.chunk_type == "constant" and scope == "class"
        method = described.chunk_type == "function" and scope == "class"
        is_object = described.chunk_type == "constant" and bool(described.inside)
        walked = is_object or described.chunk_type in _ALWAYS_WALKED
        members = self._members(described, node, scope, depth) if walked or self._big(node) else []
        return Definition(
            start=self._start(node, lead, described),
            end=end_of(node, described),
            construct=described,
            chunk_type="method" if method else "field" if field else described.chunk_type,
            members=tuple(members),
            signature=NO_SPAN if field else signature_of(node, described, self._table.data),
            doc=_doc(described, lead),
        )

    def _members(
        self, described: Construct, node: Node, scope: str, depth: int
    ) -> list[Definition]:
        if described.chunk_type == "module":
            inner = scope
        elif described.chunk_type == "constant":
            inner = "local" if scope == "local" else "class"
        else:
            inner = "class" if described.chunk_type in _ALWAYS_WALKED else "local"
        parts = described.inside or ((node,) if self._big(node) else ())
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

    def _start(self, node: Node, lead: "_Lead | None", described: Construct) -> int:
        """Return the start of a definition, including comments and attributes before it."""
        start = self._table.with_marks(node.start_byte) if lead is None else lead.start
        if described.doc is not None:
            return min(start, described.doc.start_byte)
        if lead is None and described.chunk_type in _ALWAYS_WALKED and isinstance(node, Node):
            return min(start, self._keyword(node))
        return start

    def _keyword(self, node: Node) -> int:
        """Return the start of the words before a node on its line, such as `and`."""
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
        # Most nodes are small. If a node has fewer bytes than the maximum number of lines, its
        # points need not be computed, which is slow.
        return size > limits.max_bytes
    return node.end_point[0] - node.start_point[0] >= limits.max_lines


def _doc(described: Construct, lead: _Lead | None) -> Span:
    if described.doc is not None:
        return described.doc.start_byte, described.doc.end_byte
    return NO_SPAN if lead is None or lead.doc is None else lead.doc


def statement_depths(root: Node, table: LineTable, limits: ChunkLimits) -> dict[int, int]:
    """Return, for each line at which a child of an oversized node begins, the child's depth."""
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
