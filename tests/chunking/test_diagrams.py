"""PlantUML and DOT, in files and inside documents, become sentences."""

from collections.abc import Callable

import pytest

from ggrep.model.chunk import ChunkedFile
from ggrep.model.corpus import Corpus
from ggrep.parse.chunking.diagrams import diagram_edges

Chunked = Callable[..., ChunkedFile]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ('participant "Web Client" as C\nC -> S : GET /x', ["Web Client -[GET /x]-> S"]),
        ("Bob <- Eve ++ : hey\nA ->x B", ["Eve -[hey]-> Bob", "A -> B"]),
        ("A <|-- B\nC ..|> D", ["B -[extends]-> A", "C -[implements]-> D"]),
        ('A *-- "many" B : has\nC o-- D', ["A -[has]-> B", "C -> D"]),
        ("[A] --> [B] : uses\n[A] -down-> [D]", ["A -[uses]-> B", "A -> D"]),
        ("[First part] as F\nF ..> HTTP", ["First part -> HTTP"]),
        ('package "Core" {\n[A] -[#red]-> [E]\n}', ["group Core", "A -> E"]),
        (":User: --> (Log in)", ["User -> Log in"]),
        ("start\n:do it;\nif (ok?) then (yes)\n:a\nb;", ["step do it", "if ok?", "step a b"]),
        ("[*] --> Still\nStill --> [*] : stop", ["start -> Still", "Still -[stop]-> end"]),
        ('class A {\n}\ninterface "Long" as L', ["A", "Long (L)"]),
        ("' A -> B\n@startuml\n!include x", [""]),
    ],
)
def test_plantuml_becomes_sentences(text: str, sentences: list[str]) -> None:
    """Who talks to whom is what such a picture is drawn for."""
    assert diagram_edges("plantuml", text).split("\n") == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("digraph { a -> b -> c [label=next]; }", ["a -[next]-> b", "b -[next]-> c"]),
        ("graph { a -- b\nc--d }", ["a -> b", "c -> d"]),
        ('digraph { a [label="Parse\\nit"]; a:p1:n -> "x y":q }', ["Parse it -> x y"]),
        ("digraph { a -> { b c; d } }", ["a -> b", "a -> c", "a -> d"]),
        (
            'digraph { subgraph s { label="Front end"; a -> b } }',
            ["group Front end", "a -> b"],
        ),
        ('digraph { r [label="{<f0> one|two}"]; r:f0 -> a }', ["one two -> a"]),
        ('digraph { node [shape=box]; one [label="One"]; two }', ["One (one)", "two"]),
        ("digraph { /* a -> b */ // c -> d\n# e -> f\n x -> y }", ["x -> y"]),
    ],
)
def test_dot_becomes_sentences(text: str, sentences: list[str]) -> None:
    """Identifiers are often letters; labels say what they stand for."""
    assert diagram_edges("dot", text).split("\n") == sentences


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "# T\n\n```plantuml\nA -> B : x\n```\n"),
        ("a.md", "# T\n\n```puml\nA -> B : x\n```\n"),
        ("a.md", '# T\n\n```dot\ndigraph { A -> B [label="x"] }\n```\n'),
        ("a.md", "# T\n\n```graphviz\ndigraph { A -> B [label=x] }\n```\n"),
        ("a.rst", "T\n==\n\n.. uml::\n   :align: left\n\n   A -> B : x\n\nmore\n"),
        ("a.rst", "T\n==\n\n.. graphviz::\n\n   digraph { A -> B [label=x] }\n"),
        ("a.rst", "T\n==\n\n.. mermaid::\n\n   graph TD\n   A -- x --> B\n\nmore\n"),
        ("a.rst", "T\n==\n\n.. digraph:: foo\n\n   A -> B [label=x]\n\nmore\n"),
        ("a.adoc", "= T\n\n[plantuml, file, png]\n----\nA -> B : x\n----\n\nmore\n"),
        ("a.adoc", "= T\n\n[mermaid]\n....\ngraph TD\nA -- x --> B\n....\n"),
        ("a.adoc", "= T\n\n[source,mermaid]\n----\ngraph TD\nA -- x --> B\n----\n"),
    ],
)
def test_a_diagram_inside_a_document_is_a_chunk(chunked: Chunked, path: str, text: str) -> None:
    """Documents draw with whatever their tools render."""
    (diagram,) = [c for c in chunked(path, text).chunks if c.chunk_type == "diagram"]

    assert diagram.extra == "A -[x]-> B"
    assert diagram.corpus is Corpus.EXTRACTED_PROSE
    assert diagram.breadcrumb == ("T",)


def test_a_listing_holds_no_headings(chunked: Chunked) -> None:
    """A shell comment or a table's rule inside of code is no title."""
    adoc = chunked("a.adoc", "= T\n\n----\n= not one\n----\n\n== Sub\n\ntext\n")
    rst = chunked("a.rst", "T\n==\n\n.. code-block:: sh\n\n   a\n   ==\n\nmore\n")

    assert [c.name for c in adoc.chunks[1:]] == ["T", "Sub"]
    assert [c.name for c in rst.chunks[1:]] == ["T"]


@pytest.mark.parametrize("language", ["plantuml", "dot", "mermaid"])
def test_a_hostile_diagram_gives_bounded_words(language: str) -> None:
    """Every edge is searched text, so a file may not buy itself any number of them."""
    many = "graph {\n" + "\n".join(f"a{i} -> b{i} : [x" for i in range(3000)) + '\n"' + "<" * 3000

    assert len(diagram_edges(language, many)) < 20_000
