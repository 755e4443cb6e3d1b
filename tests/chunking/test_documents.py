"""Documents are cut by headings, diagrams become sentences."""

from collections.abc import Callable

import pytest

from ggrep.model.corpus import Corpus
from ggrep.model.files import ChunkedFile
from ggrep.parse.chunking.diagrams import mermaid_edges

Chunked = Callable[..., ChunkedFile]

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
    said = mermaid_edges(text).split("\n")

    assert said[: len(sentences)] == sentences


def test_edges_are_bounded() -> None:
    """A hostile diagram may not grow without end."""
    many = "graph TD\n" + " & ".join(f"a{i}" for i in range(400)) + " --> b\n"

    assert len(mermaid_edges(many).split("\n")) == 48
