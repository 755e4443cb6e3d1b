"""Text to the letter and regular expressions, against a search that reads every file."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import DeadlineExceeded, InvalidRequest
from ggrep.model.corpus import Corpus
from ggrep.model.filters import scope_of_keys
from ggrep.model.request import Find, SearchRequest, SnippetMode
from ggrep.model.response import FileMatches, Hit, MatchTotals, QueryResponse
from ggrep.search.engine.engine import Engine
from ggrep.search.query import literal
from ggrep.search.query.regex import MAX_PATTERN_CHARACTERS, compile_regex, required_texts
from ggrep.search.query.segments import open_segments
from ggrep.search.query.text_runs import chunk_rows, read_runs
from tests.fakes.effort import examples
from tests.fakes.repos import IndexOf, indexed, write_tree

WORDS = ("retry", "Retry", "retry_queue", "re", "try", "queue", "(", ")", "->", "_", "é", "x1")
LINE = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
FILE = st.lists(LINE, max_size=30).map(lambda lines: "".join(f"{line}\n" for line in lines))
NAMES = ("a.py", "b.md", "c/d.txt", "e.json", "c/f.rs")


def ask(engine: Engine, query: str, find: Find = Find.EXACT_TEXT, **more: object) -> QueryResponse:
    usual = {"limit": 200, "per_file": 50, "deterministic": True}
    return engine.search(SearchRequest(query, find=find, **(usual | more)))  # type: ignore[arg-type] # varied


def places(answer: QueryResponse) -> list[tuple[str, int]]:
    return [(hit.path, hit.start_line) for hit in answer.hits]


def lines_shown(hit: Hit) -> range:
    start = hit.content_start_line
    return range(start, start + len(hit.content.split("\n")))


@pytest.mark.parametrize("find", [Find.EXACT_TEXT, Find.REGEX, Find.USAGE])
def test_a_blank_file_holds_no_text_whatever_it_is_called(index_of: IndexOf, find: Find) -> None:
    engine = index_of({"lib/parser.rs": "", "a.py": "x = parser\n"}, encoder="none")
    answer = ask(engine, "parser", find, include_anchors=True)

    assert {path for path, _ in places(answer)} == {"a.py"}


@pytest.mark.slow
@settings(max_examples=examples(8, 25))
@given(
    tree=st.dictionaries(st.sampled_from(NAMES), FILE, min_size=1),
    parts=st.lists(st.sampled_from((*WORDS, " ", "\n", "y_q", "tr")), min_size=1, max_size=4),
)
def test_an_exact_text_is_found_in_every_file_that_holds_it_and_in_no_other(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[str, str], parts: list[str]
) -> None:
    """Who greps for a text relies on there being no further place."""
    base, text = tmp_path_factory.mktemp("trial").resolve(), "".join(parts)
    root = base / "repo"
    root.mkdir()
    engine = indexed(root, base / "home", tree, encoder="none")
    expected = {
        name: {
            body.count("\n", 0, match.start()) + 1 for match in re.finditer(re.escape(text), body)
        }
        for name, body in tree.items()
        if text in body
    }

    answer = ask(engine, text)

    shown: dict[str, set[int]] = {name: set() for name in expected}
    for hit in answer.hits:
        shown[hit.path] |= {line.line for line in hit.lines if line.columns}
    assert all(lines <= shown[name] for name, lines in expected.items())
    assert answer.matched == MatchTotals(sum(map(len, shown.values())), len(shown))
    assert "\n" in text or shown == expected
    assert answer.limits_hit == ()


def test_a_text_is_found_where_a_long_line_was_cut_in_two(index_of: IndexOf) -> None:
    """Words are split where windows of one line meet, and no posting has them whole."""
    body = "".join(f"w{number:05};" for number in range(1500))
    engine = index_of({"a.txt": f"{body}\n", "b.txt": "w0\n"}, encoder="none")
    (segment,) = open_segments(engine.view())
    rows = np.flatnonzero(chunk_rows(segment) & (segment.image.row_files == 0))
    ((run,),) = read_runs(engine.view(), segment, rows, Deadline.never(engine.clock))
    borders = run.starts[1:]

    assert len(borders) >= 3
    assert any(body[border - 1].isalnum() and body[border].isalnum() for border in borders)
    for border in borders:
        (hit,) = ask(engine, body[border - 12 : border + 12]).hits
        assert [(line.line, line.columns) for line in hit.lines] == [
            (1, ((border - 11, border + 13),))
        ]


def test_a_line_that_several_chunks_share_is_one_line(index_of: IndexOf) -> None:
    """Else a minified file would have as many lines as chunks."""
    engine = index_of({"a.txt": "w1234;" * 1500, "b.txt": "w1234\n"}, encoder="none")
    answer = ask(engine, "w1234")

    assert sorted(places(answer)) == [("a.txt", 1), ("b.txt", 1)]
    assert answer.matched == MatchTotals(2, 2)


def test_every_chunk_in_which_a_match_begins_is_a_hit(index_of: IndexOf) -> None:
    """One chunk a file would hide the others."""
    body = "".join(f"def f{i}(x):\n    return call(x, {i % 2})\n\n\n" for i in range(12))
    engine = index_of({"a.py": body}, encoder="none")

    answer = ask(engine, "call(x, 1)")

    assert sorted(places(answer)) == [("a.py", 4 * i + 1) for i in range(1, 12, 2)]


def test_a_match_may_run_over_the_border_of_two_chunks(index_of: IndexOf) -> None:
    """Nobody who searches knows where a file was cut."""
    engine = index_of(
        {"a.py": "def a():\n    return 1\n\n\ndef b():\n    return 2\n" * 9}, encoder="none"
    )

    answer = ask(engine, "return 2\ndef a(")

    assert len(answer.hits) == 8
    assert all(hit.matching_lines == 2 for hit in answer.hits)
    assert all(
        [line.text for line in hit.lines] == ["    return 2", "def a():"] for hit in answer.hits
    )
    assert ask(engine, "return 1\n\n\ndef b").hits
    assert not ask(engine, "return 1\n\ndef b").hits


@pytest.mark.parametrize("text", ["2\r\ndef a", "2\ndef a", "1\n\n\nd", "1\r\n\r\n\r\nd"])
def test_line_ends_of_both_kinds_are_line_ends(index_of: IndexOf, text: str) -> None:
    body = "def a():\r\n    return 1\r\n\r\n\r\ndef b():\r\n    return 2\r\n" * 9
    engine = index_of({"a.py": body, "b.py": body.replace("\r", "")}, encoder="none")

    assert {hit.path for hit in ask(engine, text).hits} == {"a.py", "b.py"}


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Retry", ["b.txt"]),
        ("etry", ["a.txt", "b.txt", "c.txt"]),
        ("retry queue", ["a.txt"]),
        ("try_q", ["c.txt"]),
        ("->", ["d.txt"]),
        ("_", ["c.txt"]),
        ("needle", ["e.txt"]),
        ("nowhere", []),
    ],
)
def test_letters_count_and_words_do_not(index_of: IndexOf, text: str, paths: list[str]) -> None:
    """A text is found inside of words, between them, and without any."""
    files = {
        "a.txt": "retry queue\n",
        "b.txt": "Retry  queue\n",
        "c.txt": "retry_queue\n",
        "d.txt": "a -> b\n",
        "e.txt": f"{'k' * 90}needle\n",
    }
    answer = ask(index_of(files, encoder="none"), text)

    assert sorted(hit.path for hit in answer.hits) == paths
    assert answer.confidence.value == ("strong" if paths else "none")


def test_the_line_of_a_match_is_shown_however_far_down_it_stands(index_of: IndexOf) -> None:
    """A hit that does not show why it is one has to be opened."""
    body = "def long():\n" + "".join(f"    step({i})\n" for i in range(50))
    engine = index_of({"a.py": body}, encoder="none")

    for snippet in (SnippetMode.SHORT, SnippetMode.DEFAULT, SnippetMode.LONG, SnippetMode.FULL):
        for step in (0, 9, 30, 49):
            (hit,) = ask(engine, f"step({step})", snippet=snippet).hits
            assert step + 2 in lines_shown(hit)
            assert f"step({step})" in hit.content


def test_what_is_left_out_of_many_matches_is_said(index_of: IndexOf) -> None:
    """Ten of a hundred must not read like all."""
    files = {f"a{i}.txt": "the needle\n" for i in range(5)}
    files["b.py"] = "".join(f"def f{i}():\n    return 'needle'\n\n\n" for i in range(6))
    engine = index_of(files, encoder="none")

    few = ask(engine, "needle", limit=4)
    per_file = ask(engine, "needle", per_file=2)

    assert [(cut.code, cut.limit, cut.observed) for cut in few.limits_hit] == [
        ("max_results", 4, 11)
    ]
    assert [(cut.code, cut.limit, cut.observed) for cut in per_file.limits_hit] == [
        ("max_per_file", 2, 11)
    ]
    assert ask(engine, "needle").limits_hit == ()


def test_a_search_that_would_read_too_much_says_where_it_ended(
    root: Path, index_of: IndexOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first files by path are read, whatever segments they lie in."""
    monkeypatch.setattr(literal, "MAX_SCANNED_ROWS", 5)
    files = {f"a{i}.txt": "- - -\n" for i in range(4)}
    engine = index_of(files, encoder="none")
    write_tree(root, {"a00.txt": "- - -\n"})
    engine.sync()

    answer = ask(engine, "- -")

    assert sorted(hit.path for hit in answer.hits) == ["a0.txt", "a00.txt"]
    assert [(cut.code, cut.observed) for cut in answer.limits_hit] == [("max_scanned_rows", 10)]


def test_filters_narrow_what_is_matched(index_of: IndexOf) -> None:
    """A match outside of what was asked for is none."""
    engine = index_of(
        {"a.py": "x = 'the needle'\n", "b.md": "# The needle\n\nneedle\n"}, encoder="none"
    )

    assert {hit.path for hit in ask(engine, "needle", corpora=(Corpus.PROSE,)).hits} == {"b.md"}
    assert {hit.path for hit in ask(engine, "needle", scope="a.py").hits} == {"a.py"}


def test_lines_of_a_header_chunk_are_told_once(index_of: IndexOf) -> None:
    """It repeats what another chunk holds."""
    engine = index_of({"a.py": "import needle\n\n\ndef f():\n    return 1\n"}, encoder="none")

    for anchors in (False, True):
        (hit,) = ask(engine, "needle", include_anchors=anchors).hits
        assert not hit.is_anchor


def test_lines_of_a_file_without_chunks_are_found(index_of: IndexOf) -> None:
    """An empty file has no line, and one of line ends alone has."""
    engine = index_of({"a.txt": "\n\r\n", "b.txt": "", "c.txt": "x\n"}, encoder="none")
    answer = ask(engine, "^$", Find.REGEX)

    assert [(hit.path, [line.line for line in hit.lines]) for hit in answer.hits] == [
        ("a.txt", [1, 2])
    ]


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        (r"^def \w+\(", [("a.py", 1), ("a.py", 5)]),
        (r"return \d$", [("a.py", 1), ("a.py", 5)]),
        (r"(?i)RETURN 2", [("a.py", 5)]),
        (r"RETURN 2", []),
        (r"one|two", [("a.py", 1), ("a.py", 5)]),
        (r"return[^x]*def", []),
        (r"t\w{2}n 1", [("a.py", 1)]),
        (r"\bwo\b", []),
    ],
)
def test_an_expression_matches_line_by_line(
    index_of: IndexOf, pattern: str, lines: list[tuple[str, int]]
) -> None:
    """As it does for everybody who greps."""
    body = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    engine = index_of({"a.py": body, "b.txt": "nothing\n"}, encoder="none")

    assert sorted(places(ask(engine, pattern, Find.REGEX))) == lines


@pytest.mark.parametrize("pattern", ["a(", "*", r"\p{No}|[", r"(?=a)", "a" * 1001, ""])
def test_what_is_no_expression_is_refused_by_name(index_of: IndexOf, pattern: str) -> None:
    engine = index_of({}, encoder="none")

    with pytest.raises(InvalidRequest, match="regular expression"):
        ask(engine, pattern, Find.REGEX)
    assert len(pattern) <= MAX_PATTERN_CHARACTERS + 1


def test_an_expression_that_backtracks_for_ever_elsewhere_ends_here() -> None:
    """One request must not take a daemon's thread."""
    regex = compile_regex(r"(a*)*(a|aa)*b$")
    never = Deadline.never(SystemClock())

    assert regex.first(b"a" * 20_000, 0, never) is None


def test_the_clock_is_looked_at_while_a_large_file_is_matched() -> None:
    """A file of ten megabytes is more than one step."""
    passed = Deadline.after(SystemClock(), -1.0)

    with pytest.raises(DeadlineExceeded):
        compile_regex("b").first(b"a\n" * 10, 0, passed)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("retry_queue", ("retry_queue",)),
        (r"def \w+_rows\(", ("def ", "_rows(")),
        ("colou?r", ("colo", "r")),
        ("ab*c+d", ("a", "c", "d")),
        ("ab{0,2}c", ("a", "c")),
        ("ab{c", ("ab{c",)),
        ("a(b|c)d", ("a", "d")),
        ("a|b", ()),
        ("a[b|c]d", ("a", "d")),
        ("a[]b]d", ("a", "d")),
        ("a[^]b]d", ("a", "d")),
        (r"a[\]b]d", ("a", "d")),
        ("a[[:alpha:]b]d", ("a", "d")),
        (r"a\.b\(c", ("a.b(c",)),
        (r"a\x41b", ()),
        (r"a\Q.\Eb", ()),
        (r"a\pNb", ()),
        ("(?i)abc", ("abc",)),
        ("(?P<n>x)y", ("y",)),
        ("^a.b$", ("a", "b")),
    ],
)
def test_the_texts_that_every_match_holds(pattern: str, texts: tuple[str, ...]) -> None:
    """What is named here narrows the files that are read, so none may be too many."""
    assert required_texts(pattern) == texts


ATOMS = st.sampled_from(("a", "b", "retry", "_", r"\.", ".", r"\w", "[ab]", "[^a]", "(a|b)", "(b)"))
REPEATED = st.tuples(ATOMS, st.sampled_from(("", "", "*", "+", "?", "{2}", "{0,1}")))
PATTERNS = st.lists(REPEATED, min_size=1, max_size=5).map(
    lambda parts: "".join(atom + repeat for atom, repeat in parts)
)


@given(pattern=PATTERNS, text=st.text("ab_.retyx", max_size=12))
def test_no_match_lacks_a_text_that_it_must_hold(pattern: str, text: str) -> None:
    """Else a file that matches would never be read."""
    needed = required_texts(pattern)

    if re.search(pattern, text):
        assert all(part in text for part in needed)
    assert (
        compile_regex(pattern).first(text.encode(), 0, Deadline.never(SystemClock())) is None
    ) is (re.search(pattern, text) is None)


@pytest.mark.parametrize(
    "pattern", [r"a\n", "a\nb", r"a\\\nb", r"[x]\n", r"a\n+", r"a\x0a", r"\[x\nb]", r"\012"]
)
def test_a_match_over_line_ends_is_refused(pattern: str) -> None:
    """It finds nothing, which would look like an answer."""
    with pytest.raises(InvalidRequest, match="matches within one line"):
        compile_regex(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"a\\n", r"[^\n]+", r"a\n?", r"a\n*b", r"[]\n]a", "new", r"a[[:space:]\n]*\("),
        *(r"(?:x\n)?a", r"foo|x\ny", r"\Qa\nb\E", r"a\n{0,3}b"),
    ],
)
def test_one_that_may_do_without_is_not(pattern: str) -> None:
    compile_regex(pattern)


def test_hits_are_spread_over_files(index_of: IndexOf) -> None:
    """The first page is no page of one file."""
    many = "".join(f"def f{i}():\n    return needle\n\n\n" for i in range(30))
    files = {f"{name}.py": many for name in "abc"} | {"d.py": "needle\n"}
    engine = index_of(files, encoder="none")

    first = ask(engine, "needle", limit=4)
    further = ask(engine, "needle", limit=9, per_file=0)
    ordered = ask(engine, "needle", limit=3, scope=scope_of_keys(("d.py", "c.py", "a.py")))

    assert sorted(hit.path for hit in first.hits) == ["a.py", "b.py", "c.py", "d.py"]
    assert sorted(Counter(hit.path for hit in further.hits).values()) == [1, 2, 3, 3]
    assert [hit.path for hit in ordered.hits] == ["d.py", "c.py", "a.py"]
    assert first.matched == MatchTotals(91, 4)


def test_all_files_are_listed_whatever_is_shown(index_of: IndexOf) -> None:
    files = {f"a{i}.txt": "needle\n" * (i + 1) for i in range(5)}
    answer = ask(index_of(files, encoder="none"), "needle", limit=1, list_files=True)

    assert answer.matched is not None
    assert answer.matched.by_file == tuple(FileMatches(f"a{i}.txt", i + 1) for i in range(5))


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        ('"=>"', [("a.txt", 1)]),
        ('"??"', [("a.txt", 1)]),
        ('"\N{ROCKET}"', [("a.txt", 2)]),
        ('"Retry  the queue"', [("b.txt", 1), ("b.txt", 2)]),
        ("\N{LEFT DOUBLE QUOTATION MARK}retry the\N{RIGHT DOUBLE QUOTATION MARK}", [("b.txt", 1)]),
        ('"retry th"', []),
    ],
)
def test_a_quoted_text_is_answered_with_its_lines(
    index_of: IndexOf, query: str, lines: list[tuple[str, int]]
) -> None:
    """Signs are text as words are; case and blanks of a phrase do not matter."""
    files = {"a.txt": "f = x => x ?? 1\na ||= \N{ROCKET}\n", "b.txt": "do retry the\nqueue\n"}
    answer = ask(index_of(files, encoder="none"), query, Find.AUTO)

    results = [(hit.path, line.line) for hit in answer.hits for line in hit.lines if line.columns]
    assert results == lines
