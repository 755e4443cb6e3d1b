"""A slate's graph in a diagram language: DOT or Mermaid."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from ggrep.model.sanitise import sanitise_line
from ggrep.model.slate import SECTIONS, ContextGraph, GraphEdge, GraphNode

GraphForm: TypeAlias = Literal["dot", "mermaid"]

_DOT_MARKS = str.maketrans({"\\": "\\\\", '"': '\\"'})
_MERMAID_MARKS = str.maketrans({mark: f"#{ord(mark)};" for mark in "\"#&'<>`|%\\[]{}()"})


def graph_text(graph: ContextGraph, form: GraphForm) -> str:
    """Return the graph in that language, its files in a cluster for each section.

    The same graph gives the same text. Names hold nothing that could end a label: DOT escapes
    quotes and backslashes, Mermaid gets its own entities for every mark it knows.
    """
    numbers = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    edges = [edge for edge in graph.edges if edge.source in numbers and edge.target in numbers]
    write = _dot if form == "dot" else _mermaid
    lines = write(graph, edges, numbers)
    return "".join(f"{line}\n" for line in lines)


def _dot(graph: ContextGraph, edges: list[GraphEdge], numbers: dict[str, str]) -> Iterator[str]:
    yield "digraph context {"
    yield "  rankdir=LR;"
    yield "  node [shape=box];"
    for number, (title, nodes) in enumerate(_clusters(graph)):
        yield f"  subgraph cluster_{number} {{"
        yield f"    label={_quoted(title)};"
        yield from (f"    {numbers[node.id]} [label={_quoted(_place(node))}];" for node in nodes)
        yield "  }"
    for edge in edges:
        ends = f"{numbers[edge.source]} -> {numbers[edge.target]}"
        yield f"  {ends} [label={_quoted(_joined_by(edge))}];"
    yield "}"


def _mermaid(graph: ContextGraph, edges: list[GraphEdge], numbers: dict[str, str]) -> Iterator[str]:
    yield "flowchart LR"
    for number, (title, nodes) in enumerate(_clusters(graph)):
        yield f"  subgraph s{number}[{_entities(title)}]"
        yield from (f"    {numbers[node.id]}[{_entities(_place(node))}]" for node in nodes)
        yield "  end"
    for edge in edges:
        arrow = f"-->|{_entities(_joined_by(edge))}|"
        yield f"  {numbers[edge.source]} {arrow} {numbers[edge.target]}"


def _clusters(graph: ContextGraph) -> Iterator[tuple[str, list[GraphNode]]]:
    """Yield title and nodes of each section of each repository, in the order of sections."""
    for repo in sorted({node.repo for node in graph.nodes}):
        for section in SECTIONS:
            nodes = [node for node in graph.nodes if (node.repo, node.section) == (repo, section)]
            if nodes:
                yield f"{repo}: {section.value}" if repo else section.value, nodes


def _place(node: GraphNode) -> str:
    return f"{node.path}:{node.line}" if node.line else node.path


def _joined_by(edge: GraphEdge) -> str:
    return f"{edge.kind}: {edge.via}" if edge.via else edge.kind


def _quoted(text: str) -> str:
    return f'"{sanitise_line(text).translate(_DOT_MARKS)}"'


def _entities(text: str) -> str:
    return f'"{sanitise_line(text).translate(_MERMAID_MARKS)}"'
