"""Text to the letter and regular expressions, against a search that reads every file."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import DeadlineExceeded, InvalidRequest
from ggrep.model.corpus import Corpus
from ggrep.model.hit import Hit
from ggrep.model.request import Find, SearchRequest, SnippetMode
from ggrep.model.response import QueryResponse
from ggrep.search.engine.engine import Engine
from ggrep.search.query import literal
from ggrep.search.query.regex import MAX_PATTERN_CHARACTERS, compile_regex, required_texts
from tests.fakes.repos import open_engine, write_tree

pytestmark = pytest.mark.usefixtures("quick_parsing")

WORDS = ("retry", "Retry", "retry_queue", "re", "try", "queue", "(", ")", "->", "_", "é", "x1")
LINE = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
FILE = st.lists(LINE, max_size=30).map(lambda lines: "".join(f"{line}\n" for line in lines))
NAMES = ("a.py", "b.md", "c/d.txt", "e.json", "c/f.rs")


def indexed(root: Path, home: Path, files: dict[str, str]) -> Engine:
    write_tree(root, files)
    engine = open_engine(root, home, encoder="none")
    engine.sync()
    return engine


def ask(engine: Engine, query: str, find: Find = Find.EXACT_TEXT, **more: object) -> QueryResponse:
    usual = {"limit": 200, "per_file": 50, "deterministic": True}
    return engine.search(SearchRequest(query, find=find, **(usual | more)))  # type: ignore[arg-type] # varied


def places(answer: QueryResponse) -> list[tuple[str, int]]:
    return [(hit.path, hit.start_line) for hit in answer.hits]


def lines_shown(hit: Hit) -> range:
    start = hit.content_start_line
    return range(start, start + len(hit.content.split("\n")))


@pytest.mark.parametrize("find", [Find.EXACT_TEXT, Find.REGEX, Find.USAGE])
def test_a_blank_file_holds_no_text_whatever_it_is_called(
    tmp_path: Path, home: Path, find: Find
) -> None:
    engine = indexed(tmp_path, home, {"lib/parser.rs": "", "a.py": "parser = 1\n"})
    answer = ask(engine, "parser", find, include_anchors=True)

    assert {path for path, _ in places(answer)} == {"a.py"}


@pytest.mark.slow
@settings(max_examples=25)
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
    engine = indexed(root, base / "home", tree)
    # Blank ends of files, and blanks alone, are in no chunk.
    bodies = {name: body.strip("\n") for name, body in tree.items()}
    expected = {name for name, body in bodies.items() if text.strip() and text in body}

    found = ask(engine, text)

    assert (
        expected
        <= {hit.path for hit in found.hits}
        <= {name for name, body in tree.items() if text in body}
    )
    for hit in found.hits:
        starts = {tree[hit.path].count("\n", 0, m.start()) + 1 for m in finds(text, tree[hit.path])}
        assert text.startswith("\n") or starts & set(lines_shown(hit))
    assert found.limits_hit == ()


def finds(text: str, body: str) -> list[re.Match[str]]:
    return list(re.finditer(f"(?={re.escape(text)})", body))


def test_a_text_is_found_where_a_long_line_was_cut_in_two(root: Path, home: Path) -> None:
    """Words are split where windows of one line meet, and no posting has them whole."""
    body = "".join(f"w{number:05};" for number in range(1500))
    engine = indexed(root, home, {"a.txt": f"{body}\n", "b.txt": "w0\n"})
    chunks = [
        hit.content for hit in ask(engine, "w0", scope="a.txt", snippet=SnippetMode.FULL).hits
    ]
    borders = sorted(body.index(chunk) for chunk in chunks)[1:]

    assert len(borders) >= 3
    assert any(body[border - 1].isalnum() and body[border].isalnum() for border in borders)
    for border in borders:
        found = ask(engine, body[border - 12 : border + 12], snippet=SnippetMode.FULL)
        assert [body.index(hit.content) < border for hit in found.hits] == [True]


def test_every_chunk_in_which_a_match_begins_is_a_hit(root: Path, home: Path) -> None:
    """One chunk a file would hide the others."""
    body = "".join(f"def f{i}(x):\n    return call(x, {i % 2})\n\n\n" for i in range(12))
    engine = indexed(root, home, {"a.py": body})

    found = ask(engine, "call(x, 1)")

    assert sorted(places(found)) == [("a.py", 4 * i + 1) for i in range(1, 12, 2)]


def test_a_match_may_run_over_the_border_of_two_chunks(root: Path, home: Path) -> None:
    """Nobody who searches knows where a file was cut."""
    engine = indexed(
        root, home, {"a.py": "def a():\n    return 1\n\n\ndef b():\n    return 2\n" * 9}
    )

    found = ask(engine, "return 2\ndef a(")

    assert len(found.hits) == 8
    assert all(hit.content.endswith("return 2") for hit in found.hits)
    assert ask(engine, "return 1\n\n\ndef b").hits
    assert not ask(engine, "return 1\n\ndef b").hits


def test_line_ends_of_both_kinds_are_matched_as_they_are(root: Path, home: Path) -> None:
    """They are not kept with the chunks on either side, but counted."""
    body = "def a():\r\n    return 1\r\n\r\n\r\ndef b():\r\n    return 2\r\n" * 9
    engine = indexed(root, home, {"a.py": body, "b.py": body.replace("\r", "")})

    for text, path in (("2\r\ndef a", "a.py"), ("2\ndef a", "b.py"), ("1\n\n\nd", "b.py")):
        assert {hit.path for hit in ask(engine, text).hits} == {path}


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
def test_letters_count_and_words_do_not(
    root: Path, home: Path, text: str, paths: list[str]
) -> None:
    """A text is found inside of words, between them, and without any."""
    files = {
        "a.txt": "retry queue\n",
        "b.txt": "Retry  queue\n",
        "c.txt": "retry_queue\n",
        "d.txt": "a -> b\n",
        "e.txt": f"{'k' * 90}needle\n",
    }
    answer = ask(indexed(root, home, files), text)

    assert sorted(hit.path for hit in answer.hits) == paths
    assert answer.confidence.value == ("strong" if paths else "none")


def test_the_line_of_a_match_is_shown_however_far_down_it_stands(root: Path, home: Path) -> None:
    """A hit that does not show why it is one has to be opened."""
    body = "def long():\n" + "".join(f"    step({i})\n" for i in range(50))
    engine = indexed(root, home, {"a.py": body})

    for snippet in (SnippetMode.SHORT, SnippetMode.DEFAULT, SnippetMode.LONG, SnippetMode.FULL):
        for step in (0, 9, 30, 49):
            (hit,) = ask(engine, f"step({step})", snippet=snippet).hits
            assert step + 2 in lines_shown(hit)
            assert f"step({step})" in hit.content


def test_what_is_left_out_of_many_matches_is_said(root: Path, home: Path) -> None:
    """Ten of a hundred must not read like all."""
    files = {f"a{i}.txt": "the needle\n" for i in range(5)}
    files["b.py"] = "".join(f"def f{i}():\n    return 'needle'\n\n\n" for i in range(6))
    engine = indexed(root, home, files)

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
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first files by path are read, whatever segments they lie in."""
    monkeypatch.setattr(literal, "MAX_SCANNED_ROWS", 5)
    files = {f"a{i}.txt": "- - -\n" for i in range(4)}
    engine = indexed(root, home, files)
    write_tree(root, {"a00.txt": "- - -\n"})
    engine.sync()

    answer = ask(engine, "- -")

    assert sorted(hit.path for hit in answer.hits) == ["a0.txt", "a00.txt"]
    assert [(cut.code, cut.observed) for cut in answer.limits_hit] == [("max_scanned_rows", 10)]


def test_filters_narrow_what_is_matched(root: Path, home: Path) -> None:
    """A match outside of what was asked for is none."""
    engine = indexed(root, home, {"a.py": "x = 'the needle'\n", "b.md": "# The needle\n\nneedle\n"})

    assert {hit.path for hit in ask(engine, "needle", corpora=(Corpus.PROSE,)).hits} == {"b.md"}
    assert {hit.path for hit in ask(engine, "needle", scope="a.py").hits} == {"a.py"}


def test_a_header_chunk_is_a_hit_only_where_headers_are_asked_for(root: Path, home: Path) -> None:
    """It repeats what another chunk holds."""
    engine = indexed(root, home, {"a.py": "import needle\n\n\ndef f():\n    return 1\n"})

    assert len(ask(engine, "needle").hits) == 1
    assert {hit.is_anchor for hit in ask(engine, "needle", include_anchors=True).hits} == {
        True,
        False,
    }


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
    root: Path, home: Path, pattern: str, lines: list[tuple[str, int]]
) -> None:
    """As it does for everybody who greps."""
    body = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    engine = indexed(root, home, {"a.py": body, "b.txt": "nothing\n"})

    assert sorted(places(ask(engine, pattern, Find.REGEX))) == lines


@pytest.mark.parametrize("pattern", ["a(", "*", r"\p{No}|[", r"(?=a)", "a" * 1001, ""])
def test_what_is_no_expression_is_refused_by_name(root: Path, home: Path, pattern: str) -> None:
    """Before any index is opened."""
    engine = open_engine(root, home, encoder="none")

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
