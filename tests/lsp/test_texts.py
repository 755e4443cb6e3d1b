"""Texts of the documents, hovers and symbols."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from ggrep.interfaces.lsp.folders import Answer, rows_of
from ggrep.interfaces.lsp.texts import OpenText, Texts, column_of, line_map, lines_of, units
from ggrep.interfaces.lsp.views import hover_text, is_subsequence
from ggrep.model.written_names import names_at

ENCODINGS = ("utf-8", "utf-16", "utf-32")
ASTRAL = "a\N{GRINNING FACE}é name"
TEXT = st.text(st.sampled_from("ab \r\n\x0c\x1c\u2028é\N{GRINNING FACE}"), max_size=30)


@pytest.mark.parametrize(("encoding", "before"), [("utf-8", 8), ("utf-16", 5), ("utf-32", 4)])
def test_columns_are_counted_in_the_clients_units(encoding: str, before: int) -> None:
    """An astral character has four bytes, two words, or one number."""
    at = ASTRAL.index("name")
    assert units(ASTRAL[:at], encoding) == before
    assert column_of(ASTRAL, before, encoding) == at
    assert column_of(ASTRAL, 1000, encoding) == len(ASTRAL)
    assert column_of(ASTRAL, 2, encoding) <= 2


@given(st.text(st.characters(codec="utf-8"), max_size=20), st.sampled_from(ENCODINGS))
def test_units_and_columns_undo_each_other(line: str, encoding: str) -> None:
    for at in range(len(line) + 1):
        assert column_of(line, units(line[:at], encoding), encoding) == at


def test_lines_end_as_the_protocol_has_it() -> None:
    text = "a\x0cb\r\nc\u2028d\re\n"
    assert lines_of(text) == ["a\x0cb", "c\u2028d", "e", ""]


@given(TEXT, TEXT, st.sampled_from(ENCODINGS), st.data())
def test_edits_change_what_the_client_changed(
    before: str, inserted: str, encoding: str, data: st.DataObject
) -> None:
    """A range of lines and columns is replaced; all else stays."""
    document = OpenText("", before)
    lines = list(document.lines)
    ends = sorted(
        data.draw(st.tuples(*[st.integers(0, len(lines) - 1), st.integers(0, 6)])) for _ in "12"
    )
    (top, left), (bottom, right) = ends
    head, tail = lines[top][:left], lines[bottom][right:]
    span = types.Range(
        types.Position(top, units(head, encoding)),
        types.Position(bottom, units(lines[bottom][:right], encoding)),
    )
    document.edit(types.TextDocumentContentChangePartial(span, inserted), encoding)

    wanted = [*lines[:top], *lines_of(f"{head}{inserted}{tail}"), *lines[bottom + 1 :]]
    assert document.lines == wanted


@pytest.mark.parametrize("text", ["", "a", "a\n", "é\r\nb"])
def test_an_edit_behind_the_last_line_is_one_of_the_end(text: str) -> None:
    """A line number above that of the last one means the end of the text."""
    document = OpenText("", text)
    at = types.Position(len(document.lines), 0)
    document.edit(types.TextDocumentContentChangePartial(types.Range(at, at), "x\ny"), "utf-16")

    assert document.lines == lines_of(f"{text}x\ny")


@given(st.lists(st.sampled_from("abcde"), max_size=12), st.lists(st.sampled_from("abcde")))
def test_a_line_is_only_where_it_is_the_same(saved: list[str], edited: list[str]) -> None:
    """A line that was changed is nowhere; the others stay in order."""
    moved = [line_map(saved, edited)(number) for number in range(len(saved))]
    kept = [(old, new) for old, new in enumerate(moved) if new is not None]
    assert all(saved[old] == edited[new] for old, new in kept)
    assert [new for _, new in kept] == sorted({new for _, new in kept})
    if saved == edited:
        assert moved == list(range(len(saved)))


def test_places_follow_unsaved_edits(tmp_path: Path) -> None:
    """Lines above move a name; a name in an edited line is gone, not somewhere else."""
    file = tmp_path / "a.py"
    file.write_text("def pay():\n    pass\n\n\ndef owe():\n    pay()\n")
    texts = Texts()
    texts.open(file, file.as_uri(), "# new\ndef pay():\n    pass\n\n\ndef owe():\n    paid()\n")

    places = texts.places(file, "", "python")

    first = places.name("pay", 1)
    assert first is not None
    assert (first.start.line, first.start.character, first.end.character) == (1, 4, 7)
    assert places.name("pay", 6, 5) is None
    assert places.nearest("owe", 5).start == types.Position(5, 4)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfpay pay\r\nx\r\n",
        "pay pay\r\n".encode("utf-16"),
        "é\n pay".encode("latin-1"),
        b"x\ry\rpay",
    ],
    ids=["bom", "utf-16", "latin-1", "cr"],
)
def test_files_are_read_as_an_editor_shows_them(tmp_path: Path, data: bytes) -> None:
    """Marks at the beginning are no text, ends of lines no part of them."""
    file = tmp_path / "a.py"
    file.write_bytes(data)
    lines = Texts().places(file, "", "python").lines
    at = next(number for number, line in enumerate(lines) if "pay" in line)
    place = Texts().places(file, "", "python").name("pay", at + 1, lines[at].index("pay") + 1)

    assert place is not None
    assert (place.start.line, place.start.character) == (at, lines[at].index("pay"))
    assert not any(end in line for line in lines for end in "\r\n\ufeff")


@pytest.mark.parametrize(
    ("line", "language", "names"),
    [
        ("    till.p|ay(1)", "python", ("till.pay", "pay")),
        ("self.pay|()", "python", ("pay",)),
        ("Till::ne|w()", "rust", ("Till.new", "new")),
        ("(string->li|st x)", "scheme", ("string->list",)),
        ("x.empt|y? && y", "ruby", ("x.empty?", "empty?", "empty")),
        ("$bo|x = 1", "javascript", ("$box",)),
        ("a <|+> b", "haskell", ("<+>",)),
        ("foldl|' f", "haskell", ("foldl'",)),
        ("a | b", "python", ()),
        ("x = 4|2", "python", ()),
        (".card-he|ad {", "css", ("card-head",)),
    ],
)
def test_the_name_at_a_place(line: str, language: str, names: tuple[str, ...]) -> None:
    """With its container first, in the letters of its language; none where no name is."""
    assert names_at(line.replace("|", "", 1), line.index("|"), language) == names


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
