"""Mermaid inside documents becomes sentences; PlantUML and DOT are plain text."""

from collections.abc import Callable

import pytest

from ggrep.model.corpus import Corpus
from ggrep.model.files import ChunkedFile
from ggrep.parse.chunking.diagrams import mermaid_edges

Chunked = Callable[..., ChunkedFile]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "# T\n\n```mermaid\ngraph TD\nA -- x --> B\n```\n"),
        (
            "a.rst",
            "T\n==\n\n.. mermaid::\n   :align: left\n\n   graph TD\n   A -- x --> B\n\nmore\n",
        ),
        ("a.adoc", "= T\n\n[mermaid]\n....\ngraph TD\nA -- x --> B\n....\n"),
        ("a.adoc", "= T\n\n[source,mermaid]\n----\ngraph TD\nA -- x --> B\n----\n"),
    ],
)
def test_a_diagram_inside_a_document_is_a_chunk(chunked: Chunked, path: str, text: str) -> None:
    (diagram,) = [c for c in chunked(path, text).chunks if c.chunk_type == "diagram"]

    assert diagram.extra == "A -[x]-> B"
    assert diagram.corpus is Corpus.EXTRACTED_PROSE
    assert diagram.breadcrumb == ("T",)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.puml", "@startuml\nA -> B : x\n@enduml\n"),
        ("a.dot", "digraph { A -> B [label=x] }\n"),
        ("a.gv", "graph { A -- B }\n"),
        ("a.md", "# T\n\n```plantuml\nA -> B : x\n```\n"),
        ("a.md", "# T\n\n```dot\ndigraph { A -> B }\n```\n"),
        ("a.rst", "T\n==\n\n.. uml::\n\n   A -> B : x\n"),
        ("a.rst", "T\n==\n\n.. digraph:: mermaid\n\n   A -> B\n   ======\n"),
        ("a.adoc", "= T\n\n[plantuml, file, png]\n----\nA -> B : x\n----\n"),
    ],
)
def test_plantuml_and_dot_are_plain_text(chunked: Chunked, path: str, text: str) -> None:
    chunks = chunked(path, text).chunks[1:]

    assert {(c.chunk_type == "diagram", c.extra, c.corpus) for c in chunks} == {
        (False, "", Corpus.PROSE)
    }
    assert "".join(c.text for c in chunks).strip() == text.strip()
    assert {c.name for c in chunks} <= {"", "T"}


def test_a_listing_holds_no_headings(chunked: Chunked) -> None:
    """A shell comment or a table's rule inside of code is no title."""
    adoc = chunked("a.adoc", "= T\n\n----\n= not one\n----\n\n== Sub\n\ntext\n")
    rst = chunked("a.rst", "T\n==\n\n.. code-block:: sh\n\n   a\n   ==\n\nmore\n")

    assert [c.name for c in adoc.chunks[1:]] == ["T", "Sub"]
    assert [c.name for c in rst.chunks[1:]] == ["T"]


def test_a_hostile_diagram_gives_bounded_words() -> None:
    """Every edge is searched text, so a file may not buy itself any number of them."""
    many = "graph {\n" + "\n".join(f"a{i} -> b{i} : [x" for i in range(3000)) + '\n"' + "<" * 3000

    assert len(mermaid_edges(many)) < 20_000
