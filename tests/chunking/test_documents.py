"""Documents are cut by headings, diagrams become sentences."""

import pytest

from ggrep.model.corpus import Corpus
from ggrep.model.files import ChunkedFile
from ggrep.parse.chunking.diagrams import mermaid_edges
from tests.chunking.conftest import Chunked

GUIDE = """---
title: x
---

preamble

# Guide

## Setup `now` ##

Text.

```mermaid
graph TD
  A[Client] -->|calls| B(Server)
```

After.

```sh
# not a heading
```

Under
-----

body
"""


def test_sections_carry_their_headings(chunked: Chunked) -> None:
    """The heading says what the paragraph below it is about."""
    rows = [(c.chunk_type, c.name, c.breadcrumb) for c in chunked("a.md", GUIDE).chunks[1:]]

    assert rows == [
        ("block", "", ()),
        ("section", "Setup now", ("Guide",)),
        ("diagram", "", ("Guide", "Setup now")),
        ("section", "", ("Guide", "Setup now")),
        ("section", "Under", ("Guide",)),
    ]


def test_a_heading_without_text_opens_the_section_below_it(chunked: Chunked) -> None:
    """A chunk of one heading would be noise, but its name must still be found."""
    section = chunked("a.md", GUIDE).chunks[2]

    assert section.names == ("Setup now", "Guide")
    assert section.text.startswith("# Guide\n")


def test_a_fenced_diagram_is_a_chunk_of_its_own_corpus(chunked: Chunked) -> None:
    """Its text stands there once, its edges are searched beside it."""
    diagram = chunked("a.md", GUIDE).chunks[3]

    assert diagram.corpus is Corpus.EXTRACTED_PROSE
    assert diagram.text.startswith("```mermaid\ngraph TD")
    assert diagram.extra == "Client -[calls]-> Server"


def test_restructured_text_is_cut_at_underlined_titles(chunked: Chunked) -> None:
    """Python projects keep their documents in it."""
    file = chunked("a.rst", "Title\n=====\n\ntext\n\nSub\n---\n\nmore\n")

    assert [(c.name, c.breadcrumb) for c in file.chunks[1:]] == [
        ("Title", ()),
        ("Sub", ("Title",)),
    ]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("graph TD\nA[One] --> B{{Two}} --> C", ["One -> Two", "Two -> C"]),
        ("flowchart LR\nA -- reads it --> B", ["A -[reads it]-> B"]),
        ("graph TD\nA -.-> B\nB ==> C\nC --- D\nD --x E\nE --o F", ["A -> B", "B -> C"]),
        ("graph TD\nA & B --> C", ["A -> C", "B -> C"]),
        ("graph TD\nsubgraph one [The group]\nA-->B\nend", ["group The group", "A -> B"]),
        ('graph TD\nA["a; b"]-->B\nclick A "http://x"', ["a; b -> B", "a; b links to http://x"]),
        ("graph TD\nA[Alone]", ["Alone (A)"]),
        (
            "sequenceDiagram\nparticipant A as Alice\nA->>+B: hi\nB-->>-A: yo\nA-)B: async",
            ["Alice -> B: hi", "B -> Alice: yo", "Alice -> B: async"],
        ),
        ("classDiagram\nAnimal <|-- Dog", ["Dog -[extends]-> Animal"]),
        ("stateDiagram-v2\n[*] --> Still\nStill-->Moving: go", ["start -> Still"]),
        ("erDiagram\nCUSTOMER ||--o{ ORDER : places", ["CUSTOMER -[places]-> ORDER"]),
        ("%% note\n---\ntitle: x\n---\ngraph TD\nA-->B", ["A -> B"]),
    ],
)
def test_mermaid_becomes_sentences(text: str, sentences: list[str]) -> None:
    """Edges are what a picture of a system says."""
    output = mermaid_edges(text).split("\n")

    assert output[: len(sentences)] == sentences


def test_edges_are_bounded() -> None:
    """A hostile diagram may not grow without end."""
    many = "graph TD\n" + " & ".join(f"a{i}" for i in range(400)) + " --> b\n"

    assert len(mermaid_edges(many).split("\n")) == 48


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


WORDS = "\n".join(f"<p>line {i}" for i in range(9))


def rows(file: ChunkedFile) -> list[tuple[str, tuple[str, ...]]]:
    return [(chunk.name, chunk.breadcrumb) for chunk in file.chunks[1:]]


def test_html_is_cut_at_headings_and_ids(chunked: Chunked) -> None:
    """The heading is what a page's reader looks for."""
    text = (
        f"<title>Site</title>\n<h1 id=top>Guide &amp; <em>more</em></h1>\n{WORDS}\n"
        f"<h2>Install</h2>\n{WORDS}\n<div id='faq'>\n{WORDS}</div>\n<h2>Use</h2>\n{WORDS * 8}"
    )

    file = chunked("a.html", text)

    result = rows(file)
    assert result[0] == ("Site", ())
    assert ("Guide & more", ()) in result
    assert ("Install", ("Guide & more",)) in result
    assert "faq" in {name for chunk in file.chunks[1:] for name in chunk.names}
    assert ("Use", ("Guide & more",)) in result


def test_scripts_and_comments_hold_no_headings(chunked: Chunked) -> None:
    """Templates inside of a script are not the page's own."""
    text = "<h1>A</h1>\n<script>if (a<b) x = '<h2>no</h2>'</script>\n<!-- <h2>no</h2> -->\nend"

    names = [name for chunk in chunked("a.html", text).chunks[1:] for name in chunk.names]

    assert names == ["A"]


def test_xml_elements_are_named_by_what_identifies_them(chunked: Chunked) -> None:
    """A build file's dependencies all have the same tag."""
    dependency = (
        "<dependency>\n<groupId>g</groupId>\n<artifactId>{}</artifactId>\n"
        + "<x>\n" * 3
        + "</x>\n" * 3
        + "</dependency>\n"
    )
    text = (
        '<?xml version="1.0"?>\n<project>\n<!-- what it needs -->\n<dependencies>\n'
        + dependency.format("junit")
        + dependency.format("guava")
        + f"</dependencies>\n<bean id='source' class='C'>\n{'<p/>' * 300}</bean>\n</project>\n"
    )

    file = chunked("pom.xml", text)

    results = {name: chunk for chunk in file.chunks[1:] for name in chunk.names}
    assert results["source"].breadcrumb == ("project", "bean")
    assert results["dependencies"].text.lstrip().startswith(("<!--", "<?xml"))
    assert {"junit", "guava"} <= set(results)


def test_style_sheets_are_cut_at_rules(chunked: Chunked) -> None:
    """Selectors are the names of a style sheet."""
    body = "\n".join(f"  p{i}: url(http://x/#y);" for i in range(9))
    text = (
        f'@import "x";\n$accent: #fff;\n/* all buttons */\n.btn,\n.btn-primary {{\n{body}\n}}\n'
        f"@media (min-width: 10px) {{\n  #side {{\n{body}\n  }}\n  .a > b {{ c: d }}\n}}\n"
    )

    file = chunked("a.scss", text)

    result = rows(file)
    assert (".btn, .btn-primary", ()) in result
    assert ("@media (min-width: 10px)", ()) in result
    assert file.chunks[1].names == ('@import "x"', "$accent")
    assert any(chunk.text.startswith("/* all buttons */") for chunk in file.chunks[1:])


def test_a_minified_style_sheet_is_cut_between_rules(chunked: Chunked) -> None:
    """All of it stands on one line."""
    text = "".join(f".r{i}{{color:red;margin:0 {i}px}}" for i in range(200))

    chunks = chunked("a.min.css", text).chunks[1:]

    assert len(chunks) > 2
    assert all(chunk.text.startswith(".r") and chunk.text.endswith("}") for chunk in chunks)
