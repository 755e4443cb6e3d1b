"""A context graph in DOT and in Mermaid: valid whatever the names are, and always the same."""

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.model.slate import ContextGraph, GraphEdge, GraphNode, Section
from ggrep.parse.chunking.diagrams import mermaid_edges
from ggrep.render.slate_text import graph_text

HOSTILE = 'a"]; x -> y [label="\\" ## <b>`|%%{init}%% \n\x1b[31mé\u202e'

GRAPH = ContextGraph(
    (
        GraphNode("conf/a.toml", "conf/a.toml", 4, Section.CONFIG),
        GraphNode("docs/flow.md", "docs/flow.md", 1, Section.DOCS),
        GraphNode("shop/cart.py", "shop/cart.py", 12, Section.CODE),
        GraphNode("shop/stock.py", "shop/stock.py", 0, Section.CODE),
    ),
    (
        GraphEdge("configures", "conf/a.toml", "shop/cart.py", "max_size"),
        GraphEdge("imports", "shop/cart.py", "shop/stock.py", "shop.stock.Stock"),
        GraphEdge("relates", "docs/flow.md", "shop/cart.py", "Cart"),
    ),
)


def hostile(text: str) -> ContextGraph:
    nodes = tuple(GraphNode(f"{text}{n}", f"{text}{n}", n, Section.CODE, text) for n in range(2))
    return ContextGraph(nodes, (GraphEdge("imports", f"{text}0", f"{text}1", text),))


def test_dot_holds_a_cluster_for_each_section_and_a_label_for_each_edge() -> None:
    """The text is read by people before any program draws it."""
    assert graph_text(GRAPH, "dot").splitlines() == [
        "digraph context {",
        "  rankdir=LR;",
        "  node [shape=box];",
        "  subgraph cluster_0 {",
        '    label="code";',
        '    n2 [label="shop/cart.py:12"];',
        '    n3 [label="shop/stock.py"];',
        "  }",
        "  subgraph cluster_1 {",
        '    label="docs";',
        '    n1 [label="docs/flow.md:1"];',
        "  }",
        "  subgraph cluster_2 {",
        '    label="config";',
        '    n0 [label="conf/a.toml:4"];',
        "  }",
        '  n0 -> n2 [label="configures: max_size"];',
        '  n2 -> n3 [label="imports: shop.stock.Stock"];',
        '  n1 -> n2 [label="relates: Cart"];',
        "}",
    ]


def test_mermaid_is_read_back_as_the_same_edges() -> None:
    assert mermaid_edges(graph_text(GRAPH, "mermaid")).splitlines() == [
        "group code",
        "group docs",
        "group config",
        "conf/a.toml:4 -[configures: max_size]-> shop/cart.py:12",
        "shop/cart.py:12 -[imports: shop.stock.Stock]-> shop/stock.py",
        "docs/flow.md:1 -[relates: Cart]-> shop/cart.py:12",
    ]


def test_repositories_have_clusters_of_their_own() -> None:
    nodes = tuple(GraphNode(f"{r}:a.py", "a.py", 1, Section.CODE, r) for r in ("one", "two"))
    graph = ContextGraph(nodes, (GraphEdge("package", "one:a.py", "two:a.py", "shop"),))

    assert graph_text(graph, "mermaid").splitlines() == [
        "flowchart LR",
        '  subgraph s0["one: code"]',
        '    n0["a.py:1"]',
        "  end",
        '  subgraph s1["two: code"]',
        '    n1["a.py:1"]',
        "  end",
        '  n0 -->|"package: shop"| n1',
    ]


_STATEMENT = re.compile(
    r"(?:digraph context \{|rankdir=LR;|node \[shape=box\];|subgraph cluster_\d+ \{|\}|label=Q;"
    r"|n\d+ \[label=Q\];|n\d+ -> n\d+ \[label=Q\];)"
)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def dot_strings(text: str) -> list[str]:
    """Return the strings of a DOT text of our own kind, unescaped.

    Raises:
        AssertionError: a line is none of the statements that it may hold.
    """
    strings: list[str] = []

    def taken(found: re.Match[str]) -> str:
        strings.append(re.sub(r"\\(.)", r"\1", found[1]))
        return "Q"

    for line in text.splitlines():
        assert _STATEMENT.fullmatch(_STRING.sub(taken, line).strip()), line
    assert text.count("{\n") >= 1
    return strings


@given(st.text(max_size=40) | st.just(HOSTILE))
def test_no_name_ends_its_label_in_dot(text: str) -> None:
    graph = hostile(text)

    strings = dot_strings(graph_text(graph, "dot"))

    assert len(strings) == 4
    assert not any(ord(mark) < 32 or "\u2028" <= mark <= "\u202e" for mark in "".join(strings))


@given(st.text(max_size=40) | st.just(HOSTILE))
def test_no_name_ends_its_label_in_mermaid(text: str) -> None:
    lines = graph_text(hostile(text), "mermaid").splitlines()

    plain = r'"(?:[^"#&\'<>`|%\\\[\]{}()]|#\d+;)*"'
    shapes = ["flowchart LR", rf"  subgraph s0\[{plain}\]", rf"    n0\[{plain}\]"]
    shapes += [rf"    n1\[{plain}\]", "  end", rf"  n0 -->\|{plain}\| n1"]
    assert len(lines) == len(shapes)
    assert all(re.fullmatch(shape, line) for shape, line in zip(shapes, lines, strict=True))


def test_an_empty_graph_and_an_edge_without_its_node_are_valid_drawings() -> None:
    """A drawing would invent the node."""
    empty = ContextGraph((), ())

    assert graph_text(empty, "mermaid") == "flowchart LR\n"
    assert graph_text(empty, "dot").endswith("];\n}\n")

    graph = ContextGraph(GRAPH.nodes, (GraphEdge("links", "docs/flow.md", "gone.md", "gone.md"),))

    assert "gone" not in graph_text(graph, "dot") + graph_text(graph, "mermaid")


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("dot") is None, reason="no Graphviz on this machine")
@pytest.mark.parametrize("graph", [GRAPH, hostile(HOSTILE)])
def test_graphviz_reads_it(graph: ContextGraph) -> None:
    done = subprocess.run(
        ["dot", "-Tcanon"], input=graph_text(graph, "dot").encode(), capture_output=True, check=True
    )

    assert done.stderr == b""
