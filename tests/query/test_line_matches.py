"""Patterns match line by line, to the byte, whatever line ends and normal forms a file has."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.clock import Deadline, SystemClock
from ggrep.model.response import HitLine
from ggrep.search.query.line_matches import MOST_LINE_BYTES, MatchedRun, Pattern
from ggrep.search.query.literal import literal
from ggrep.search.query.regex import compile_regex
from ggrep.search.query.text_runs import TextRun

NEVER = Deadline.never(SystemClock())
Columns = list[tuple[int, list[tuple[int, int]]]]


def shown(pattern: Pattern, text: str, before: int = 0, after: int = 0) -> tuple[HitLine, ...]:
    run = TextRun(text.encode(), range(1, 2), (0,))
    matched = MatchedRun(run, pattern, NEVER)
    return matched.shown([line for _, line in matched.lines()], before, after)


def columns(pattern: Pattern, text: str) -> Columns:
    return [(line.line, list(line.columns)) for line in shown(pattern, text)]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("x;$", [(1, [(1, 3)])]),
        ("^}$", [(3, [(1, 2)])]),
        (r"\\$", [(4, [(2, 3)])]),
        ("^$", [(2, [(1, 1)])]),
        (r"5 +$", [(5, [(1, 4)])]),
        (r"\bword\b", [(6, [(3, 7), (8, 12)])]),
        ("(?i)WORD$", [(6, [(8, 12)])]),
        ("^x|word$", [(1, [(1, 2)]), (6, [(8, 12)])]),
        ("[[:upper:]]", [(6, [(1, 2)])]),
        (r"\p{Lu}", [(6, [(1, 2)])]),
        (r"\x{77}ord", [(6, [(3, 7), (8, 12)])]),
        (r"\Qx;\E", [(1, [(1, 3)])]),
        ("[^x]$", [(1, [(2, 3)]), (3, [(1, 2)]), (4, [(2, 3)]), (5, [(3, 4)]), (6, [(11, 12)])]),
        (".*", [(1, [(1, 3)]), (2, [(1, 1)]), (3, [(1, 2)]), (4, [(1, 3)]), (5, [(1, 4)])]),
    ],
)
def test_a_line_ends_before_its_line_end(end: str, pattern: str, expected: Columns) -> None:
    """Files of Windows have the same lines as others."""
    text = end.join(["x;", "", "}", "a\\", "5  ", "W-word word", ""])

    assert columns(compile_regex(pattern), text)[: len(expected)] == expected


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("^$", "", []),
        ("^$", "\n", [1]),
        ("^$", "\n\r\n\n", [1, 2, 3]),
        ("^$", "a\n", []),
        ("^$", "a", []),
        ("^$", "a\n\n", [2]),
        ("a*", "b", [1]),
        ("a*", "b\n", [1]),
        ("a$", "a\n\na", [1, 3]),
        ("^a", "\ufeffa\nba\n", [1]),
        ("a\rb", "a\rb\r\n", [1]),
    ],
)
def test_no_line_stands_behind_the_last_line_end(
    pattern: str, text: str, expected: list[int]
) -> None:
    assert [line for line, _ in columns(compile_regex(pattern), text)] == expected


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("x*", "axb", [(1, 1), (2, 3), (4, 4)]),
        ("x*", "éx", [(1, 1), (3, 4)]),
        ("b*$", "abb", [(2, 4)]),
    ],
)
def test_empty_matches_stand_where_nothing_else_matched(
    pattern: str, text: str, expected: list[tuple[int, int]]
) -> None:
    assert columns(compile_regex(pattern), text) == [(1, expected)]


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("foo", "foo foo-foo foobar _foo", [(1, 4), (5, 8), (9, 12)]),
        ("foo", "éfoo fooé", []),
        ("-foo", "a -foo-foo", [(3, 7)]),
        ("a.b", "a.b.a.b axb", [(1, 4), (5, 8)]),
    ],
)
def test_whole_words_have_no_letter_beside_them(
    text: str, word: str, expected: list[tuple[int, int]]
) -> None:
    """As `rg -w` has it: only what stands outside of the match counts."""
    pattern = literal(text, whole_words=True)

    assert columns(pattern, word) == ([(1, expected)] if expected else [])
    assert columns(compile_regex(re.escape(text), whole_words=True), word) == columns(pattern, word)


def test_letter_case_is_ignored_on_request() -> None:
    assert columns(literal("É", ignore_case=True), "é É e") == [(1, [(1, 3), (4, 6)])]
    assert columns(compile_regex("é", ignore_case=True), "É") == [(1, [(1, 3)])]
    assert columns(compile_regex("é"), "É") == []


@pytest.mark.parametrize("spelled", ["caf\u00e9 x", "cafe\u0301 x"])
@pytest.mark.parametrize("typed", ["caf\u00e9", "cafe\u0301"])
@pytest.mark.parametrize("make", [literal, compile_regex])
def test_texts_are_compared_in_nfc_and_columns_are_of_the_files_bytes(
    spelled: str, typed: str, make: type
) -> None:
    """A file keeps its own spelling, and an editor counts its bytes."""
    size = len(spelled.removesuffix(" x").encode())

    assert columns(make(typed), f"a\r\n  {spelled}\r\n") == [(2, [(3, 3 + size)])]
    assert columns(make("x"), spelled) == [(1, [(size + 2, size + 3)])]


def test_a_text_over_line_ends_matches_all_lines_that_it_touches() -> None:
    """A pasted piece of code is a text as well."""
    for text in ("b\nc", "b\r\nc"):
        for body in ("ab\ncd\n", "ab\r\ncd\r\n"):
            assert columns(literal(text), body) == [(1, [(2, 3)]), (2, [(1, 2)])]


def test_context_stands_around_a_line_once() -> None:
    text = "".join(f"{number}\n" for number in range(1, 10))
    lines = shown(compile_regex("[47]"), text, before=2, after=1)

    assert [line.line for line in lines] == [2, 3, 4, 5, 6, 7, 8]
    assert [line.line for line in lines if line.columns] == [4, 7]
    assert [line.text for line in lines] == [str(line.line) for line in lines]


def test_a_long_line_is_shown_around_its_first_match() -> None:
    body = "é" * 3000 + "needle" + "ü" * 3000
    (line,) = shown(literal("needle"), body)
    ((start, end),) = line.marks

    assert line.columns == ((6001, 6007),)
    assert line.text[start:end] == "needle"
    assert line.cut
    assert len(line.text.encode()) <= MOST_LINE_BYTES


def test_marks_count_what_is_shown_of_a_line() -> None:
    """Control characters are not shown, and stand in the file's columns all the same."""
    (line,) = shown(literal("b"), "\x1b[31ma\tb\x07b")

    assert line.text == "a\tbb"
    assert [line.text[start:end] for start, end in line.marks] == ["b", "b"]
    assert line.columns == ((8, 9), (10, 11))


ATOMS = ("a", "b", "é", r"\.", ".", "[ab]", "[^a]", "(a|b)", "(?:b)", " ", "^", "$", r"\s")
PATTERNS = st.lists(
    st.tuples(st.sampled_from(ATOMS), st.sampled_from(("", "", "?", "{2}"))), min_size=1, max_size=4
).map(lambda parts: "".join(a if a in "^$" else a + more for a, more in parts))
LINES = st.lists(st.text("ab é.x", max_size=6), max_size=5)


@given(pattern=PATTERNS, lines=LINES, end=st.sampled_from(("\n", "\r\n")), last=st.booleans())
def test_lines_and_columns_are_those_of_a_search_of_each_line(
    pattern: str, lines: list[str], end: str, last: bool
) -> None:
    """One engine over the whole text says what another one says of each line by itself."""
    text = end.join(lines) + end * (last and bool(lines))
    wanted = text.split(end) if text else []
    if wanted and wanted[-1] == "":
        wanted.pop()
    expected = []
    for number, line in enumerate(wanted, start=1):
        spans = [
            (len(line[: item.start()].encode()) + 1, len(line[: item.end()].encode()) + 1)
            for item in re.finditer(pattern, line)
        ]
        spans = [
            span
            for place, span in enumerate(spans)
            if span[0] < span[1] or not place or spans[place - 1][1] != span[0]
        ]
        if spans:
            expected.append((number, spans))

    assert columns(compile_regex(pattern), text) == expected
