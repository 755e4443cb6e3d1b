"""Recognises diagrams and puts them in sentences: `Client -[calls]-> Server`."""

from types import MappingProxyType
from typing import Final

from ggrep.parse.chunking.dot import dot_edges
from ggrep.parse.chunking.mermaid import mermaid_edges
from ggrep.parse.chunking.plantuml import plantuml_edges

FENCES: Final = MappingProxyType(
    {
        "mermaid": "mermaid",
        "plantuml": "plantuml",
        "puml": "plantuml",
        "uml": "plantuml",
        "dot": "dot",
        "graphviz": "dot",
        "graph": "dot",
        "digraph": "dot",
    }
)
"""What a fence or directive inside a document is called, and the diagram it holds."""


def diagram_edges(language: str, text: str) -> str:
    """Return the sentences of a diagram in `mermaid`, `plantuml` or `dot`, one a line."""
    readers = {"plantuml": plantuml_edges, "dot": dot_edges}
    return readers.get(language, mermaid_edges)(text)
