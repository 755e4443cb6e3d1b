"""What a check expects of a slate, in plain words where it does not come."""

from pathlib import Path
from typing import Any

import pytest

from ggrep.interfaces.evaluation.check_file import Check, Expected
from ggrep.interfaces.evaluation.check_reports import commands
from ggrep.interfaces.evaluation.check_rules import Miss, judge
from ggrep.interfaces.evaluation.questions import Answer, CaseQuery, QueriedPath
from ggrep.interfaces.evaluation.visible_lines import LineRange, ShownFile, ShownSlate

PAY, GUIDE = LineRange("pay.py", 10, 13), LineRange("docs/guide.md", 1, 1)
SLATE = ShownSlate(
    (
        ShownFile("pay.py", ("code", "config"), ((12, 30),), ((1, 60),)),
        ShownFile("docs/guide.md", ("docs",), (), ()),
    ),
    900,
)


def misses(slate: ShownSlate = SLATE, **parts: Any) -> list[Miss]:
    """Return what of these expectations a slate does not hold."""
    question = CaseQuery("q", "how is it paid", slates=(0,), searched=False)
    check = Check(question, QueriedPath(Path()), Expected(**parts), 3, 0)
    return list(judge(check, Answer("q", slates=(slate,))).misses)


def test_what_is_visible_holds_and_a_slate_of_nothing_is_said() -> None:
    assert misses(places=((PAY,),), sections=(("pay.py", "config"), ("docs/*.md", "docs"))) == []
    assert misses(places=((GUIDE, PAY),)) == []

    (miss,) = misses(ShownSlate((), 300), places=((PAY,),))

    assert miss.came == "pay.py is not among the 0 files of the slate"


@pytest.mark.parametrize(
    ("place", "wanted", "came"),
    [
        (
            LineRange("pay.py", 8, 12),
            "pay.py:8-12 shown, at least 3 of its 5 lines",
            "1 of the 5 lines of pay.py:8-12 is shown, but a range that contains it is listed",
        ),
        (
            LineRange("pay.py", 70, 71),
            "pay.py:70-71 shown, at least 1 of its 2 lines",
            "pay.py is listed, but none of the lines 70-71 shown",
        ),
        (
            LineRange("no.py", 4, 4),
            "no.py:4-4 shown, its one line",
            "no.py is not among the 2 files of the slate",
        ),
    ],
)
def test_a_place_that_is_not_visible_says_what_came(
    place: LineRange, wanted: str, came: str
) -> None:
    """Which of the three it is decides what to do about it."""
    assert misses(places=((place,),)) == [Miss("place", wanted, came)]


def test_a_file_in_another_section_says_in_which() -> None:
    result = misses(sections=(("pay.py", "docs"), ("docs/*.md", "code"), ("no.md", "docs")))

    assert [(miss.wanted, miss.came) for miss in result] == [
        ("pay.py in section docs", "pay.py in code and config"),
        ("docs/*.md in section code", "docs/guide.md in docs"),
        ("no.md in section docs", "no.md is not among the 2 files of the slate"),
    ]


def test_the_command_is_that_of_what_missed(tmp_path: Path) -> None:
    question = CaseQuery("q", "it's -x", 5, mode="debug", filters=("-test:true",), slates=(2048,))
    check = Check(question, QueriedPath(tmp_path / "a b"), Expected(), 3, 0)
    search = "ggrep search 'it'\"'\"'s -x' 'a b' -m 5 --mode debug --filter=-test:true"
    slate = "ggrep slate 'it'\"'\"'s -x' 'a b' --max-bytes 2048 --mode debug --filter=-test:true"

    assert list(commands(check, ["expect_any"], tmp_path)) == [search]
    assert list(commands(check, ["place"], tmp_path)) == [slate]
    assert list(commands(check, ["place", "expect_any"], tmp_path)) == [search, slate]


def test_a_workspace_is_named_by_its_file(tmp_path: Path) -> None:
    question = CaseQuery("q", "-x", slates=(0,), searched=False)
    check = Check(question, QueriedPath(tmp_path / "w.jsonc", is_workspace=True), Expected(), 3, 0)

    assert list(commands(check, ["expect_confidence"], tmp_path)) == [
        "ggrep slate --workspace w.jsonc -- -x"
    ]


def test_no_command_asks_a_directory_alone(tmp_path: Path) -> None:
    """One that pretends to would show another repository's answer."""
    check = Check(CaseQuery("q", "x"), QueriedPath(tmp_path, alone=True), Expected(), 3, 0)

    assert list(commands(check, ["expect_any"], tmp_path)) == []
