"""Combines sibling nodes that form one definition into one node for the outline.

The equations of a Haskell function, the clauses of an Elixir function, preceding attributes, and a
`pub` outside of the definition's node are separate nodes. A `Run` represents all nodes of one
definition.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, cast

from tree_sitter import Node, Point

from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.constructs import Construct

LEAD: Final = "<lead>"
"""Role of a node that belongs to the next definition."""
BETWEEN: Final = "<between>"
"""Role of a node that belongs to a definition only if more of that definition follows."""
APART: Final = ""

_LIMITS: Final = ChunkLimits()


class Run:
    """Represents the nodes from the first of `lead` to the last of `clauses`.

    A run has only the attributes of `Node` that an outline uses.
    """

    __slots__ = ("clauses", "lead", "type")

    def __init__(self, lead: Sequence[Node], clauses: Sequence[Node]) -> None:
        self.type = "run"
        self.lead = list(lead)
        self.clauses = list(clauses)

    @property
    def start_byte(self) -> int:
        """Return the start of the first node."""
        return self._first().start_byte

    @property
    def end_byte(self) -> int:
        """Return the end of the last node."""
        return self.clauses[-1].end_byte

    @property
    def start_point(self) -> Point:
        """Return the row and column of the start."""
        return self._first().start_point

    @property
    def end_point(self) -> Point:
        """Return the row and column of the end."""
        return self.clauses[-1].end_point

    @property
    def named_children(self) -> list[Node]:
        """Return the children of the clause; empty if there are several clauses."""
        return self.clauses[0].named_children if len(self.clauses) == 1 else []

    def child_by_field_name(self, field: str) -> Node | None:
        """Return the field of the first clause."""
        return cast("Node", Run((), self.clauses)) if field == "definition" else None

    def takes(self, node: Node) -> bool:
        """Return whether the run still fits into one chunk with one more clause."""
        lines = node.end_point[0] - self.start_point[0] + 1
        size = node.end_byte - self.start_byte
        return lines <= _LIMITS.max_lines and size <= _LIMITS.max_bytes

    def _first(self) -> Node:
        return (self.lead or self.clauses)[0]


class Siblings:
    """Represents a node whose children are replaced by other nodes."""

    __slots__ = ("named_children", "start_byte")

    def __init__(self, start_byte: int, nodes: Sequence[Node]) -> None:
        self.start_byte = start_byte
        self.named_children = list(nodes)


def run_construct(
    node: Node, describe: Callable[[Node], Construct | None]
) -> tuple[Run, Construct | None]:
    """Return a node as a run, and the definition in its first clause."""
    run = cast("Run", node)
    return run, describe(run.clauses[0])


def as_node(run: Run) -> Node:
    """Return the run, or the single node that it consists of."""
    sole = len(run.clauses) == 1 and not run.lead
    return run.clauses[0] if sole else cast("Node", run)


def inside_of(start_byte: int, nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return a tuple of one node, whose children are `nodes`."""
    return (cast("Node", Siblings(start_byte, nodes)),)


def grouped(
    container: Node, nodes: Iterable[Node], role: Callable[[Node], str]
) -> tuple[Node, ...]:
    """Return one node with `nodes` as children; adjacent nodes of one definition become a run.

    Args:
        container: the parent of the nodes.
        nodes: the nodes in source order.
        role: returns `LEAD`, `BETWEEN`, `APART` or, for a clause, the name of its definition.
    """
    out: list[Node | Run] = []
    lead: list[Node] = []
    pending: list[Node] = []
    key, run = APART, Run((), ())
    for node in nodes:
        part = role(node)
        if part is LEAD:
            out += pending
            pending = []
            lead.append(node)
        elif part is BETWEEN:
            (lead or pending).append(node)
        elif part and part == key and not lead and run.takes(node):
            run.clauses.append(node)
            pending = []
        elif part:
            key, run = part, Run(lead, (node,))
            out += [*pending, run]
            lead, pending = [], []
        else:
            out += [*lead, *pending, node]
            key, lead, pending = APART, [], []
    out += [*lead, *pending]
    shown = [as_node(item) if isinstance(item, Run) else item for item in out]
    return inside_of(container.start_byte, shown)
