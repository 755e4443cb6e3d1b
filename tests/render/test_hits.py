"""Hits as people see them."""

import pytest
from msgspec.structs import replace

from ggrep.model.limits import LimitHit, Notice
from ggrep.model.request import ViewOptions
from ggrep.model.response import Hit
from ggrep.render.hits import ShownHit, render_hits, render_notes
from ggrep.render.style import Style
from tests.fakes.searchers import hit

PLAIN = Style(colour=False)
HIT = hit(
    "r",
    "src/a.py",
    9,
    end_line=20,
    score=1.5,
    lexical_score=0.5,
    name="refund",
    qualified_name="Shop.refund",
    breadcrumb=("Shop",),
    content="def refund():\n\treturn 1",
    hidden_lines=3,
    components=(("text", 1.0), ("file", 0.5), ("prior", 1.0)),
)


def _shown(hit: Hit = HIT, repo: str = "") -> ShownHit:
    return ShownHit(hit, hit.path, repo)


def test_a_hit_is_its_place_its_name_and_its_lines() -> None:
    """`path:line` can be clicked, line numbers are aligned, what is hidden is counted."""
    text = render_hits([_shown()], ViewOptions(), PLAIN)

    assert text == (
        "1.  src/a.py:9-20  function Shop.refund\n"
        "     9 │ def refund():\n"
        "    10 │     return 1\n"
        "       │ (+3 more lines)\n"
    )


def test_a_long_gap_is_one_line() -> None:
    gaps = replace(HIT, content="a\n\n\nb\n\n\n\nc\n\n\n", hidden_lines=0)

    text = render_hits([_shown(gaps)], ViewOptions(), PLAIN)

    assert [line.split(" │")[0].strip() for line in text.split("\n")[1:-1]] == [
        *("9", "10", "11", "12", "13", "16", "17")
    ]


def test_compact_names_each_file_once_and_no_hits_are_no_text() -> None:
    hits = [_shown(), _shown(replace(HIT, start_line=50)), _shown(repo="shop")]

    assert render_hits(hits, ViewOptions(compact=True), PLAIN) == "src/a.py\nshop/src/a.py\n"
    assert render_hits([], ViewOptions(), PLAIN) == ""
    assert render_hits([], ViewOptions(compact=True), PLAIN) == ""


def test_numbers_are_aligned_from_ten_hits_on_which_stand_close_without_text() -> None:
    text = render_hits([_shown(replace(HIT, content=""))] * 10, ViewOptions(), PLAIN)

    assert text.startswith(" 1.  src")
    assert "\n10.  src" in text

    bare = replace(_shown(), hit=replace(_shown().hit, content=""))
    text = render_hits([bare, bare], ViewOptions(), PLAIN)

    assert text.count("\n") == 2


def test_scores_and_explanations_are_shown_when_asked_for() -> None:
    text = render_hits([_shown()], ViewOptions(scores=True, explain=True), PLAIN)

    assert "score 1.5000" in text
    assert "text      1.0000 " + "━" * 24 in text
    assert "file      0.5000 " + "━" * 12 in text


@pytest.mark.parametrize(
    ("change", "columns", "words", "shown"),
    [
        ({"name": "", "qualified_name": ""}, 0, (), "1.  src/a.py:9-20  function in Shop\n"),
        # Without a width nothing is cut.
        ({"content": "a" * 5000}, 0, (), "a" * 5000),
        # A query is words, whatever signs are in it.
        ({"content": "call(a+b) " + "x" * 300}, 60, ("(a+b)", "["), "call(a+b)"),
    ],
)
def test_a_hit_shows_what_it_is_in_and_the_words_of_the_query(
    change: dict[str, str], columns: int, words: tuple[str, ...], shown: str
) -> None:
    hit = _shown(replace(HIT, **change))

    assert shown in render_hits([hit], ViewOptions(columns=columns), PLAIN, words)


@pytest.mark.parametrize(
    ("line", "words", "output"),
    [
        ("a" * 100, (), "a" * 22 + "…"),
        ("a" * 23, (), "a" * 23),
        ("a" * 40 + "needle" + "b" * 40, ("needle",), "…" + "a" * 5 + "needle" + "b" * 10 + "…"),
        ("needle" + "b" * 40, ("NEEDLE",), "needle" + "b" * 16 + "…"),
    ],
)
def test_a_long_line_shows_where_the_words_are(
    line: str, words: tuple[str, ...], output: str
) -> None:
    hit = replace(HIT, content=line, content_start_line=1, hidden_lines=0)

    text = render_hits([_shown(hit)], ViewOptions(columns=31), PLAIN, words)

    assert text.split("\n")[1] == "    1 │ " + output
    assert len(text.split("\n")[1]) <= 31


def test_names_from_the_repository_are_sanitised_and_cut() -> None:
    """A heading can be of any length and hold anything."""
    hit = replace(HIT, qualified_name="\x1b[31mx\n" + "y" * 900, path="a\x07\nb", content="")

    text = render_hits([_shown(hit, repo="r\x1b]0;t\x07")], ViewOptions(), PLAIN)

    assert text == "1.  [r]  a b:9-20  function x " + "y" * 117 + "…\n"


def test_words_are_highlighted_only_in_colour() -> None:
    hit = replace(HIT, content="refund refunded")
    words = ("refund", "refunded")

    coloured = render_hits([_shown(hit)], ViewOptions(), Style(colour=True), words)

    assert "\x1b[1;32mrefund\x1b[0m \x1b[1;32mrefunded\x1b[0m" in coloured
    assert "\x1b" not in render_hits([_shown(hit)], ViewOptions(), PLAIN, words)


def test_notes_tell_of_cuts_and_warnings() -> None:
    limits = [LimitHit("max_results", 10, 12), LimitHit("bytes", 5, None, "a\x1b[0m.py")]

    text = render_notes(limits, [Notice("W1", "odd\x07")], PLAIN)

    assert (
        text == "warning: odd\ncut: 10 of 12 chunks that match, bytes 5 in a.py; more: --top 12\n"
    )
