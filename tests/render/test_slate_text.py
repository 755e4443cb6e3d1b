"""Slates as people see them."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from ggrep.base.stable_json import loads
from ggrep.model.limits import LimitHit
from ggrep.model.request import ViewOptions
from ggrep.model.slate import GraphEdge, Role, SlateResponse
from ggrep.render.page import Page
from ggrep.render.printed import render_graph, render_slate
from ggrep.render.slate_text import shown_slate, slate_text
from ggrep.render.style import Style
from tests.fakes.slates import ANSWER, CODE, DOCS, METHOD, SESSION, SLATE

ROOT = Path("/r/shop")
HOSTILE = "\x1b[31mred\x1b]0;title\x07\u202e\r"


def text_of(answer: SlateResponse = ANSWER, *, columns: int = 80, colour: bool = False) -> str:
    """Return the text of a slate, paths as they are stored."""
    return slate_text(shown_slate(answer), Page(columns, Style(colour=colour), lambda key: key))


def with_slate(**changes: object) -> SlateResponse:
    return replace(ANSWER, slate=replace(SLATE, **changes))  # type: ignore[arg-type] # fields vary


def test_a_slate_is_its_question_its_files_and_what_to_do_next(golden: SnapshotAssertion) -> None:
    assert text_of(replace(ANSWER, session=SESSION)) == golden


def test_at_level_0_every_file_is_a_line(golden: SnapshotAssertion) -> None:
    """A list of places is read at a glance."""
    assert text_of(with_slate(level=0)) == golden


def test_a_slate_without_files_says_what_was_looked_for(golden: SnapshotAssertion) -> None:
    overview = replace(SLATE.overview, files=(), names=())

    assert text_of(with_slate(sections=(), graph=None, overview=overview)) == golden


def test_a_place_that_is_opened_is_the_first_word_of_its_line() -> None:
    assert "\nsrc/shop/checkout.py:98  entry point\n" in text_of()
    assert "\nsrc/shop/checkout.py:98  entry point" in text_of(with_slate(level=0))
    assert "\ndocs/payments.md:30\n" in text_of()

    packs = (replace(CODE, roles=(Role.ENTRYPOINT, Role.POLICY), reason="policy_rule"),)
    section = ((CODE.section, packs),)

    assert "checkout.py:98  policy, entry point\n" in text_of(with_slate(sections=section))


def test_snippets_lose_the_indentation_that_their_lines_share_and_have_a_signature() -> None:
    text = text_of()

    assert "     98 │ def pay(self" in text
    assert "    100 │     return payments" in text
    assert text.count("def pay(self") == 1
    assert "  130-190  def refund(self, receipt: Receipt) -> None  in Checkout; " in text


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_line_but_of_places_is_wider_than_the_page(columns: int) -> None:
    long = replace(METHOD, snippet="x = 1 " * 50, signature="def f(" + "a, " * 90, name="n" * 200)
    pack = replace(CODE, evidence=(replace(long, breadcrumb=("b" * 150,)),))
    text = text_of(with_slate(sections=((CODE.section, (pack,)),)), columns=columns)

    wide = [line for line in text.splitlines() if len(line) > columns]
    assert [line for line in wide if not re.search(r"\.(py|md)|^ggrep ", line)] == []


def test_colour_changes_no_word_and_highlights_stems_whole() -> None:
    painted = text_of(colour=True)

    assert "\x1b[1;36msrc/shop/checkout.py\x1b[0m" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == text_of()

    page = Page(80, Style(colour=True), lambda key: key, stems=("charg",))

    assert "payments.\x1b[1;32mcharge\x1b[0m(card)" in slate_text(shown_slate(ANSWER), page)


def test_nothing_of_a_repository_reaches_the_terminal_unsanitised() -> None:
    item = replace(
        METHOD,
        name=HOSTILE,
        signature=HOSTILE,
        snippet=HOSTILE,
        breadcrumb=(HOSTILE,),
        also=(f"{HOSTILE}/x.py:3",),
        chunk_type=HOSTILE,
    )
    pack = replace(CODE, path=f"{HOSTILE}.py", tags=(HOSTILE,), evidence=(item,), repo=HOSTILE)
    edge = GraphEdge(HOSTILE, HOSTILE, "docs/payments.md", HOSTILE)
    slate = replace(
        SLATE,
        overview=replace(SLATE.overview, terms=(HOSTILE,), names=(HOSTILE,)),
        sections=((CODE.section, (pack,)),),
        graph=replace(SLATE.graph, edges=(edge,)),  # type: ignore[type-var] # there is one
        next_actions=(replace(SLATE.next_actions[0], target=HOSTILE, why=HOSTILE),),
    )
    session = replace(SESSION, token=HOSTILE)

    text = text_of(replace(ANSWER, slate=slate, session=session))
    assert set(re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)) == set()


def test_a_graph_of_many_edges_says_how_many_are_not_printed() -> None:
    """A cut that is not named looks like the end."""
    edges = tuple(
        GraphEdge("imports", "docs/payments.md", "src/shop/checkout.py", f"m{number:02}")
        for number in range(30)
    )
    text = text_of(with_slate(graph=replace(SLATE.graph, edges=edges)))  # type: ignore[type-var]

    assert text.count("docs/payments.md -> src/shop/checkout.py  (imports m") == 24
    assert "(+6 more; --graph dot prints them all)" in text


def test_commands_are_quoted_for_a_shell() -> None:
    request = replace(ANSWER.request, search=replace(ANSWER.request.search, query="it's $(x)"))
    text = text_of(replace(ANSWER, request=request))

    assert "ggrep slate 'it'\"'\"'s $(x)' --level 2" in text


def test_a_question_is_repeated_in_commands_unless_it_is_a_text() -> None:
    """A command with three dots in it answers nothing; a pasted error message is no command."""
    asked = "how does the scheduler decide which of the tasks is due next"
    search = ANSWER.request.search
    short, long = (
        text_of(replace(ANSWER, request=replace(ANSWER.request, search=each)), columns=140)
        for each in (replace(search, query=asked), replace(search, query=asked * 3))
    )

    assert f"ggrep slate '{asked}' --level 2" in short
    assert "ggrep slate ... --level 2" in long


def test_paths_are_written_as_seen_from_where_the_reader_stands() -> None:
    """Places, edges, copies and commands alike, so that each can be pasted."""
    view = ViewOptions(columns=100, cwd="/r/shop/src")
    text = render_slate(ANSWER, ROOT, view).out

    assert "\nshop/checkout.py:98  " in text
    assert "../docs/payments.md -> shop/checkout.py" in text
    assert "also legacy/checkout.py:40, kiosk/checkout.py:12" in text
    assert "ggrep expand shop/checkout.py:98 " in text


def test_cuts_and_doubts_are_notes() -> None:
    rendered = render_slate(ANSWER, ROOT, ViewOptions(columns=80))

    assert rendered.err == "cut: 18 of 40 files that match; more: --max-files 40\n"
    assert rendered.hits == 2
    assert "limit:" not in rendered.out

    cut = LimitHit("low_confidence", 2, 9)
    weak = replace(ANSWER, confidence=type(ANSWER.confidence)("weak"), limits_hit=(cut,))

    assert "7 weaker hits are hidden" in render_slate(weak, ROOT, ViewOptions(columns=80)).err


def test_json_is_one_document_and_no_notes() -> None:
    rendered = render_slate(ANSWER, ROOT, ViewOptions(json=True))

    document = loads(rendered.out)
    assert document["limits_hit"] == [{"code": "max_slate_files", "limit": 18, "observed": 40}]
    assert document["slate"]["sections"][1]["files"][0]["path"] == DOCS.path
    assert rendered.err == ""


def test_a_graph_alone_is_a_drawing_and_nothing_else() -> None:
    """It is piped into what draws it; a slate without a graph gives an empty one."""
    rendered = render_graph(ANSWER, "dot", Path(), ViewOptions())
    empty = render_graph(with_slate(graph=None), "mermaid", Path(), ViewOptions())

    assert rendered.out.startswith("digraph context {\n")
    assert rendered.hits == 2
    assert empty.out == "flowchart LR\n"
