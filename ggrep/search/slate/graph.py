"""The context graph: the files of a slate and their relations, within three limits."""

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
    """Return the graph of packs, of one repository or many, with those edges that join them."""
    nodes = _by_worth(packs)
    kept = nodes[: bounds.nodes]
    joined = _in_turn(edges, kept)
    used = joined[: bounds.edges]
    graph = _fitting(kept, used, bounds.bytes)
    hits = [
        *_cut("max_graph_nodes", bounds.nodes, len(nodes), len(kept)),
        *_cut("max_graph_edges", bounds.edges, len(joined), len(used)),
    ]
    if (len(graph.nodes), len(graph.edges)) != (len(kept), len(used)):
        hits.append(LimitHit("max_graph_bytes", bounds.bytes, _size(_graph(kept, used))))
    return replace(graph, bounds=bounds), sorted_limits(hits)


def _by_worth(packs: Sequence[Pack]) -> list[GraphNode]:
    """Return a node for each file, the best scores first."""
    ordered = sorted(packs, key=lambda pack: (-pack.score, pack.repo, pack.path, pack.line))
    nodes: dict[str, GraphNode] = {}
    for pack in ordered:
        name = file_id(pack.repo, pack.path)
        nodes.setdefault(name, GraphNode(name, pack.path, pack.line, pack.section, pack.repo))
    return list(nodes.values())


def _in_turn(edges: Iterable[GraphEdge], nodes: Sequence[GraphNode]) -> list[GraphEdge]:
    """Return the edges between `nodes`, the first of each kind, then the second of each."""
    ranks = {node.id: rank for rank, node in enumerate(nodes)}
    kinds: defaultdict[str, list[GraphEdge]] = defaultdict(list)
    for edge in unique_edges(list(edges)):
        if edge.source in ranks and edge.target in ranks:
            kinds[edge.kind].append(edge)
    turns = [
        (turn, kind, edge)
        for kind, held in kinds.items()
        for turn, edge in enumerate(sorted(held, key=lambda edge: _worth(edge, ranks)))
    ]
    return [edge for _, _, edge in sorted(turns, key=lambda item: item[:2])]


def _worth(edge: GraphEdge, ranks: dict[str, int]) -> tuple[int, int, str, str]:
    source, target = ranks[edge.source], ranks[edge.target]
    return max(source, target), min(source, target), edge.source, edge.target


def _fitting(
    nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], most_bytes: int
) -> ContextGraph:
    """Return the largest graph that fits: edges go first, the last of them before the others.

    Where more edges fit beside fewer files, only the files that edges join stay: the others are in
    the slate anyway, and as nodes they say nothing more.
    """
    count = _most(len(edges), lambda most: _size(_graph(nodes, edges[:most])) <= most_bytes)
    if count == len(edges):
        return _graph(nodes, edges)
    joined = _most(len(edges), lambda most: _size(_joined(nodes, edges[:most])) <= most_bytes) or 0
    if joined > (count or 0):
        return _joined(nodes, edges[:joined])
    if count is not None:
        return _graph(nodes, edges[:count])
    fewer = _most(len(nodes), lambda most: _size(_graph(nodes[:most], ())) <= most_bytes)
    return _graph(nodes[: fewer or 0], ())


def _joined(nodes: Iterable[GraphNode], edges: Sequence[GraphEdge]) -> ContextGraph:
    """Return the graph of the nodes that edges join."""
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    return _graph([node for node in nodes if node.id in ends], edges)


def _most(count: int, fits: Callable[[int], bool]) -> int | None:
    """Return the largest number up to `count` that fits, found by halving; None for not even 0."""
    if not fits(0):
        return None
    low, high = 0, count
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _graph(nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> ContextGraph:
    def order(edge: GraphEdge) -> tuple[str, str, str, str]:
        return edge.kind, edge.source, edge.target, edge.via

    by_id = sorted(nodes, key=lambda node: node.id)
    return ContextGraph(tuple(by_id), tuple(sorted(edges, key=order)))


def _size(graph: ContextGraph) -> int:
    return len(stable_json.dumps(graph_json(graph)))


def _cut(code: str, limit: int, observed: int, kept: int) -> list[LimitHit]:
    return [LimitHit(code, limit, observed)] if kept < observed else []
