"""Definitions, usages and surroundings as people see them."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from ggrep.base.stable_json import loads
from ggrep.model.limits import LimitHit
from ggrep.model.navigation import DefinedAt, OutsideName, Reference
from ggrep.model.request import ViewOptions
from ggrep.render.navigation_text import (
    Placed,
    expansion_text,
    placed_mentions,
    references_notes,
    references_text,
    symbol_notes,
    symbol_text,
)
from ggrep.render.page import Page
from ggrep.render.printed import render_name_answer
from ggrep.render.style import Style
from tests.fakes.slates import DEFINITIONS, EXPANSION, REFERENCES, SYMBOL

ROOT = Path("/r/shop")
PAGE = Page(80, Style(colour=False), lambda key: key)
HOSTILE = "\x1b[31mred\x1b]0;title\x07\u202e\r"
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def test_a_definition_is_its_place_its_head_and_what_it_does(golden: SnapshotAssertion) -> None:
    """Only the first line of what documents it: the place is one click away."""
    assert symbol_text(SYMBOL, PAGE) == golden


def test_answers_without_details_stand_close() -> None:
    """A list of places is read at a glance; silence could be a failure."""
    bare = tuple(replace(item, signature="", doc="") for item in DEFINITIONS)

    assert symbol_text(replace(SYMBOL, definitions=bare), PAGE).count("\n") == 2

    none = replace(REFERENCES, references=(), totals=(("usage", 0),), files=0)

    assert references_notes(none) == "no usage of Checkout.pay\n"

    text = expansion_text(replace(EXPANSION, neighbours=(), hidden_lines=4), PAGE)

    assert text.endswith("100 │     return payments.charge(card)\n    │ (+4 more lines)\n")


def test_an_unknown_name_is_answered_with_similar_ones() -> None:
    unknown = replace(SYMBOL, definitions=(), total=0, suggestions=("pay", "payer"))

    assert symbol_text(unknown, PAGE) == ""
    assert symbol_notes(unknown) == "no definition of pay; similar names: pay, payer\n"
    assert symbol_notes(replace(unknown, suggestions=())) == "no definition of pay\n"
    assert symbol_notes(SYMBOL) == ""


def test_implementations_stand_below_the_definitions() -> None:
    at = DefinedAt("a.py", 3, 9, "class", "Disk", "class Disk(Storage)", relation="implementation")
    result = replace(SYMBOL, implementations=(at, replace(at, start_line=9, guess=True)))

    assert symbol_text(result, PAGE).partition("implemented or extended by\n")[2] == (
        "  a.py:3-9  class Disk\n  a.py:9  class Disk?\n"
    )


@pytest.mark.parametrize(
    ("guess", "packages", "expected"),
    [
        (False, ["flask"], "pay is defined outside this repository (package flask): a.py:2: use"),
        (
            True,
            ["x", "y"],
            "pay is probably defined outside this repository (package x or y): a.py:2",
        ),
    ],
)
def test_a_name_from_outside_is_answered_with_its_import(
    guess: bool, packages: list[str], expected: str
) -> None:
    outside = tuple(OutsideName(each, "a.py", 2, "use it", guess) for each in packages)
    unknown = replace(SYMBOL, definitions=(), total=0, suggestions=("payer",), outside=outside)
    none = replace(REFERENCES, references=(), totals=(("usage", 0),), files=0, outside=outside)

    assert symbol_notes(unknown).startswith(expected)
    assert expected.removeprefix("pay") in references_notes(none)


def placed(repo: str, found: Reference, tie: str = "") -> Placed:
    """Return a mention in one of several repositories."""
    return Placed(f"{repo}:{found.path}", found, tie)


def test_handlers_and_bases_are_named_and_come_first() -> None:
    call = REFERENCES.references[0]
    rows = [
        placed("r", replace(call, path="a.py", role="call")),
        placed("r", replace(call, path="b.py", role="implements")),
        placed("r", replace(call, path="c.py", role="handles")),
    ]

    lines = placed_mentions(rows, PAGE).split("\n")
    assert [line for line in lines if line[:2] == "r:"] == ["r:c.py", "r:b.py", "r:a.py"]
    assert [line.split()[1] for line in lines if line[:2] == "  "][:2] == [
        "handles:",
        "implements:",
    ]


def test_usages_stand_below_each_other_file_by_file(golden: SnapshotAssertion) -> None:
    assert references_text(REFERENCES, PAGE) == golden


def test_the_definition_around_a_usage_is_named_where_there_is_room() -> None:
    narrow = replace(PAGE, columns=35)

    assert "checkout.pay(card)  in main\n" in references_text(REFERENCES, PAGE)
    assert "in main" not in references_text(REFERENCES, narrow)

    long = replace(EXPANSION, content="x = " + "1" * 300)
    rendered = render_name_answer(long, ROOT, ViewOptions(columns=80, whole=True))

    assert "1" * 300 in rendered.out

    rendered = render_name_answer(REFERENCES, ROOT, ViewOptions(columns=80, colour=True))

    assert "checkout.\x1b[1;32mpay\x1b[0m(card)" in rendered.out


def test_usages_of_a_workspace_are_grouped_as_those_of_one_repository() -> None:
    """Each file behind its repository, with what ties it to a definition elsewhere."""
    call, *_ = REFERENCES.references
    of_api = replace(call, path="a.py", line=7, content="run()", container="", role="call")
    results = [
        placed("api", replace(of_api, line=1, role="import"), "guess"),
        placed("web", replace(of_api, role="read", content="x = run")),
        placed("api", of_api, "import"),
        placed("api", replace(of_api, line=9, guess=True), "import"),
        placed("api", replace(of_api, path="b.py", test=True), "guess"),
    ]

    heads = [line for line in placed_mentions(results, PAGE).split("\n") if line and line[0] != " "]
    assert heads == [
        "api:a.py  import",
        "web:a.py",
        "api:a.py  import, may belong to another class or module",
        "api:b.py  guess",
        "imported once at api:a.py:1",
    ]


def test_totals_tell_what_was_left_out_for_its_kind() -> None:
    asked = replace(REFERENCES, request=replace(REFERENCES.request, strings=True))

    assert references_notes(REFERENCES) == (
        "3 usages in 2 files; not shown: 1 string (--strings), 2 comments (--comments)\n"
    )
    assert "--strings" not in references_notes(asked)


def test_surroundings_keep_their_indentation_and_name_what_stands_beside(
    golden: SnapshotAssertion,
) -> None:
    assert expansion_text(EXPANSION, PAGE) == golden


def test_folds_say_how_to_see_their_lines() -> None:
    """The longest is an example, in a workspace too."""
    content = "    def pay(self, card):\n        … 99-120 logging\n        … 121\n        return 3"
    folded = replace(EXPANSION, content=content, end_line=122, hidden_lines=23, neighbours=())
    alone, of_several = (
        expansion_text(folded, PAGE, ask).split("\n")[2:]
        for ask in ("ggrep expand ", "ggrep expand --workspace w.jsonc shop:")
    )

    assert alone == [
        " 98 │     def pay(self, card):",
        " 99 │         … 99-120 logging",
        "121 │         … 121",
        "122 │         return 3",
        "",
        "folded: 23 lines; ggrep expand src/shop/checkout.py:99-120 shows the longest",
        "",
    ]
    assert "w.jsonc shop:src/shop/checkout.py:99-120 shows" in of_several[-2]


def test_nothing_of_a_repository_reaches_the_terminal_unsanitised() -> None:
    definition = replace(
        DEFINITIONS[0],
        path=HOSTILE,
        qualified_name=HOSTILE,
        signature=HOSTILE,
        doc=HOSTILE,
        kind=HOSTILE,
    )
    mention = replace(REFERENCES.references[0], path=HOSTILE, content=HOSTILE, container=HOSTILE)
    around = replace(
        EXPANSION,
        path=HOSTILE,
        breadcrumb=(HOSTILE,),
        content=HOSTILE,
        neighbours=(replace(EXPANSION.neighbours[0], chunk_type=HOSTILE, signature=HOSTILE),),
    )
    unknown = replace(SYMBOL, definitions=(), suggestions=(HOSTILE,))

    texts = [
        symbol_text(replace(SYMBOL, definitions=(definition,)), PAGE),
        symbol_notes(replace(unknown, request=replace(SYMBOL.request, name=HOSTILE))),
        references_text(replace(REFERENCES, references=(mention,)), PAGE),
        expansion_text(around, PAGE),
    ]
    assert [item for text in texts for item in CONTROLS.findall(text)] == []


def test_cuts_and_totals_are_one_note() -> None:
    cut = replace(REFERENCES, limits_hit=(LimitHit("max_references", 3, 68),))
    rendered = render_name_answer(cut, ROOT, ViewOptions(columns=80))

    assert rendered.err.startswith("3 usages in 2 files; 68 in all; more: --max 68; not shown:")
    assert rendered.hits == 3


def test_json_is_one_document_and_no_notes() -> None:
    view = ViewOptions(json=True)
    answers = [
        render_name_answer(SYMBOL, ROOT, view),
        render_name_answer(REFERENCES, ROOT, view),
        render_name_answer(EXPANSION, ROOT, view),
    ]

    keys = ("definitions", "references", "neighbours")
    assert [len(loads(a.out)[key]) for a, key in zip(answers, keys, strict=True)] == [2, 3, 2]
    assert {answer.err for answer in answers} == {""}


def test_places_are_written_as_seen_from_where_the_reader_stands() -> None:
    view = ViewOptions(columns=100, cwd="/r/shop/src")

    assert render_name_answer(SYMBOL, ROOT, view).out.startswith("shop/checkout.py:97-117  method")
    assert render_name_answer(REFERENCES, ROOT, view).out.startswith("app.py\n  9:18  ")
    assert render_name_answer(EXPANSION, ROOT, view).out.startswith("shop/checkout.py:98  ")
