"""Texts of a hover, letters of symbols, and places of several answers."""

from pathlib import Path

import pytest

from ggrep.interfaces.lsp.folders import Answer, rows_of
from ggrep.interfaces.lsp.views import hover_text, is_subsequence

EVIL = {
    "signature": "def pay(x='```')",
    "name": "pay",
    "doc": "[click](command:evil) <img src=x> **bold**",
    "language": "python",
    "kind": "method",
    "container": "Till",
    "path": "a_b.py",
    "line": 3,
}


def test_indexed_text_is_never_markdown() -> None:
    """Fences are longer than those of the code; signs of Markdown are escaped."""
    text = hover_text([EVIL], 3, markdown=True)

    assert text.startswith("````python\ndef pay(x='```')\n````\n\n")
    assert r"\[click\]\(command:evil\) \<img src=x\> \*\*bold\*\*" in text
    assert r"method of Till, a\_b\.py:3" in text
    assert text.endswith("2 more definitions")


def test_a_client_without_markdown_gets_the_text_as_it_is() -> None:
    """No fence, no escape."""
    text = hover_text([EVIL], 1, markdown=False)
    assert text == "\n\n".join([EVIL["signature"], EVIL["doc"], "method of Till, a_b.py:3"])


@pytest.mark.parametrize(
    ("letters", "fits"), [("shopcart", True), ("sc", True), ("s c", True), ("cs", False)]
)
def test_letters_in_their_order(letters: str, fits: bool) -> None:
    """Of a symbol that a query in an editor means."""
    assert is_subsequence(letters, "ShoppingCart") is fits


def test_a_place_that_two_repositories_have_is_one() -> None:
    """A repository that lies in another one: one file by two roots. Columns count."""
    inner = [{"path": "a.py", "line": 3, "column": 1}, {"path": "a.py", "line": 3, "column": 9}]
    outer = [{"path": "sub/a.py", "line": 3, "column": 1}]
    answers = [
        Answer({"references": inner}, {None: Path("/r/sub")}),
        Answer({"references": outer}, {None: Path("/r")}),
    ]

    rows = rows_of(answers, "references")

    assert [(row.path, row.fields["column"]) for row in rows] == [
        (Path("/r/sub/a.py"), 1),
        (Path("/r/sub/a.py"), 9),
    ]


def test_hits_that_begin_in_one_line_are_several() -> None:
    """As in a minified file; of two repositories that have the file, each counts once."""
    first = {"path": "a.js", "start_line": 1, "name": "drain", "content": "drain()"}
    second = {**first, "name": "sweep", "content": "sweep()"}
    answers = [Answer({"results": [first, second]}, {None: Path("/r")})] * 2

    assert [row.fields["name"] for row in rows_of(answers, "results")] == ["drain", "sweep"]
