"""Builds the graph of a slate's files and their relations, within limits of its size."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.model.limits import LimitHit, sorted_limits
from ggrep.model.slate import ContextGraph, GraphBounds, GraphEdge, GraphNode, Pack
from ggrep.search.slate.document import file_id, graph_json
from ggrep.search.slate.graph_edges import unique_edges


def bounded_graph(
    packs: Sequence[Pack], edges: Iterable[GraphEdge], bounds: GraphBounds
) -> tuple[ContextGraph, tuple[LimitHit, ...]]:
    """Return the graph of a slate's files and their edges, and the limits that cut it."""
    every: dict[str, GraphNode] = {}
    for pack in sorted(packs, key=lambda pack: (-pack.score, pack.repo, pack.path, pack.line)):
        name = file_id(pack.repo, pack.path)
        every.setdefault(name, GraphNode(name, pack.path, pack.line, pack.section, pack.repo))
    nodes = list(every.values())[: bounds.nodes]
    joined = _in_turn(edges, {node.id: rank for rank, node in enumerate(nodes)})
    used = joined[: bounds.edges]
    graph = _fitting(nodes, used, bounds.bytes)
    hits = []
    if len(nodes) < len(every):
        hits.append(LimitHit("max_graph_nodes", bounds.nodes, len(every)))
    if len(used) < len(joined):
        hits.append(LimitHit("max_graph_edges", bounds.edges, len(joined)))
    if (len(graph.nodes), len(graph.edges)) != (len(nodes), len(used)):
        hits.append(LimitHit("max_graph_bytes", bounds.bytes, _size(_graph(nodes, used))))
    return replace(graph, bounds=bounds), sorted_limits(hits)


def _in_turn(edges: Iterable[GraphEdge], ranks: dict[str, int]) -> list[GraphEdge]:
    """Return the edges between ranked nodes: the best edge of each kind, then the second best."""

    def precedence(edge: GraphEdge) -> tuple[int, int, str, str]:
        ends = ranks[edge.source], ranks[edge.target]
        return max(ends), min(ends), edge.source, edge.target

    kinds: defaultdict[str, list[GraphEdge]] = defaultdict(list)
    for edge in unique_edges(edges):
        if edge.source in ranks and edge.target in ranks:
            kinds[edge.kind].append(edge)
    turns = [
        (turn, kind, edge)
        for kind, of_kind in kinds.items()
        for turn, edge in enumerate(sorted(of_kind, key=precedence))
    ]
    return [edge for _, _, edge in sorted(turns, key=lambda item: item[:2])]


def _fitting(
    nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], most_bytes: int
) -> ContextGraph:
    """Return the largest graph that fits. The last edges are dropped first.

    If more edges fit without the files that have no edge, these files are dropped, because the
    slate lists them anyway.
    """

    def fit(count: int, graph_of: Callable[[int], ContextGraph]) -> int:
        """Return the largest number up to `count` for which the graph fits; -1 if none does."""
        numbers = range(count + 1)
        return bisect_left(numbers, 1, key=lambda number: _size(graph_of(number)) > most_bytes) - 1

    def joined(number: int) -> ContextGraph:
        ends = {end for edge in edges[:number] for end in (edge.source, edge.target)}
        return _graph([node for node in nodes if node.id in ends], edges[:number])

    kept = fit(len(edges), lambda number: _graph(nodes, edges[:number]))
    if kept < len(edges) and (more := fit(len(edges), joined)) > max(kept, 0):
        return joined(more)
    if kept >= 0:
        return _graph(nodes, edges[:kept])
    return _graph(nodes[: max(fit(len(nodes), lambda number: _graph(nodes[:number], ())), 0)], ())


def _graph(nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> ContextGraph:
    by_id = sorted(nodes, key=lambda node: node.id)
    return ContextGraph(tuple(by_id), unique_edges(edges))


def _size(graph: ContextGraph) -> int:
    return len(stable_json.dumps(graph_json(graph)))
