"""Rows that cannot match are not read, and the answer is that of a search through whole files."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import to_builtins

from ggrep.model.request import Find, SearchRequest
from ggrep.model.response import Hit
from ggrep.parse.languages.line_table import MAX_INDENT
from ggrep.search.engine.engine import Engine
from ggrep.search.query import literal, text_runs
from ggrep.search.query.text_runs import TextRun
from tests.fakes.repos import IndexOf

STEPS = "".join(f"        step_{n} = one.of({n})\n" for n in range(30))
BODY = "class Long:\n" + "".join(
    f"    # m{n}\n    def f{n}(x):\n{STEPS}        return call{n}(x, {n % 3})  \n\n"
    for n in range(25)
)
DEEP = " " * (MAX_INDENT + 9)
TREE = {
    "deep.py": "".join(
        f"class D{n}:\n{DEEP}def deep{n}(x):\n{STEPS.replace('        ', DEEP + ' ')}\n\n"
        for n in range(9)
    ),
    "a.py": f"import os\n\n{BODY}",
    "crlf.py": BODY.replace("\n", "\r\n"),
    "b.md": "# T\n\nfoo\n\n## call7\n\n    return call7\n\nfoo",
    "c.txt": "bar call7(\n",
    "long.js": ";".join(f"function f{n}(x){{return call{n}(x)}}" for n in range(300)),
    "marks.txt": "\ufeffcafe\u0301 call7\r\ncaf\u00e9 call7\r\n",
}
ASKED: tuple[tuple[str, Find], ...] = (
    ("call7", Find.EXACT_TEXT),
    ("all7(x", Find.EXACT_TEXT),
    ("return call7", Find.EXACT_TEXT),
    ("  # m1", Find.EXACT_TEXT),
    (r"^\s+return call1?7", Find.REGEX),
    (r"call1\(x, \d\)\s+$", Find.REGEX),
    (r"^ *# m\d$", Find.REGEX),
    (r"^\s+def f1\d", Find.REGEX),
    ("    def f19(", Find.EXACT_TEXT),
    (r"^\s+def deep7", Find.REGEX),
    ("  def deep7", Find.EXACT_TEXT),
    ("caf\u00e9 call", Find.EXACT_TEXT),
    (r"^\x{feff}?caf. call7$", Find.REGEX),
)


@pytest.fixture(scope="module")
def engine(shared_index: IndexOf) -> Engine:
    return shared_index(TREE, encoder="none")


def hits(engine: Engine, text: str, find: Find, **more: Any) -> tuple[Hit, ...]:
    return engine.search(SearchRequest(text, find=find, limit=200, per_file=0, **more)).hits


@pytest.mark.parametrize(("text", "find"), ASKED)
@pytest.mark.parametrize("more", [{}, {"lines_before": 4, "lines_after": 9}, {"ignore_case": True}])
def test_an_answer_is_that_of_whole_files(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, text: str, find: Find, more: dict[str, Any]
) -> None:
    """Row by row, with the same lines at the same numbers."""
    by_row = hits(engine, text, find, **more)
    # Without words every row is read, and the lines of a hit come with their whole file.
    monkeypatch.setattr(literal, "_rows_of_words", lambda *_: iter(()))
    monkeypatch.setattr(
        literal, "shared_lines", lambda segment: text_runs.shared_lines(segment) | True
    )

    assert to_builtins(by_row) == to_builtins(hits(engine, text, find, **more))
    assert by_row


def test_rows_that_cannot_match_are_not_read(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of 25 methods is defined so; its neighbours hold the lines around it."""
    read: list[int] = []
    whole = text_runs.row_tiles

    def counted(view: Any, segment: Any, rows: Sequence[int]) -> Any:
        read.extend(rows)
        return whole(view, segment, rows)

    monkeypatch.setattr(text_runs, "row_tiles", counted)
    (hit,) = hits(engine, "def f19(", Find.EXACT_TEXT, scope="a.py")

    assert hit.matching_lines == 1
    assert 0 < len(set(read)) <= 6


@pytest.mark.parametrize(
    "unit", ["e\u0301\u0301", "\u1112\u1161\u11ab", "\u0958", "\u00e9", "\r\n", "a\u0300\u0958"]
)
@pytest.mark.parametrize("first_line", [1, 7])
def test_a_match_is_in_its_row_wherever_rows_begin(unit: str, first_line: int) -> None:
    """A long line is cut without regard to characters that compose, or grow in NFC."""
    whole = "\ufeff" + "".join(f"{unit * (n % 4)}w{n};" for n in range(40))
    data = whole.encode()
    starts = [0, *(len(whole[:place].encode()) for place in range(2, len(whole), 3))]
    run = TextRun(data, range(len(starts)), starts, first_line)
    plain, plain_starts = text_runs.plain_run(run)
    ours, result = (
        [bisect_right(begins, match.start()) for match in re.finditer(rb"w\d+;", text)]
        for text, begins in ((data, starts), (plain, plain_starts))
    )

    assert ours == result
    assert len(ours) == 40


@pytest.mark.parametrize(
    ("text", "find", "paths"),
    [
        ("foo\nbar", Find.EXACT_TEXT, set()),
        ('"foo bar"', Find.AUTO, set()),
        (r"\Abar", Find.REGEX, {"c.txt"}),
        (r"(?-m)^bar", Find.REGEX, {"c.txt"}),
        (r"foo\z", Find.REGEX, {"b.md"}),
        (r"^foo$", Find.REGEX, {"b.md"}),
    ],
)
def test_files_are_apart_although_they_are_matched_at_once(
    engine: Engine, text: str, find: Find, paths: set[str]
) -> None:
    """One ends without a line end, and the next begins with what would go on."""
    assert {hit.path for hit in hits(engine, text, find)} == paths
