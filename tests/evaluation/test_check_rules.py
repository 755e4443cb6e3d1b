"""Committed checks: how they are read, and when they hold."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.check_file import Check, Expected, read_checks
from ggrep.interfaces.evaluation.check_rules import judge, rank_of
from ggrep.interfaces.evaluation.questions import Answer, CaseQuery, QueriedPath
from ggrep.model.evaluation import RULES
from tests.fakes.evaluations import answer, found, some_checks

FILE = """\
version = 1
allow_failures = 1

[defaults]
limit = 5
rank_tolerance = 1

[[checks]]
id = "one"
query = "where is one"
expect_first = "a.py"
expect_within = { "b/*.py" = 3 }

[[checks]]
id = "two"
query = "where is two"
workspace = "team.jsonc"
rank_tolerance = 0
expect_order = ["a.py", "b.py"]
"""


def expecting(tolerance: int = 0, **parts: Any) -> Check:
    """Return a check that expects these parts."""
    return Check(CaseQuery("q", "words"), QueriedPath(Path()), Expected(**parts), 3, tolerance)


def missed(check: Check, *files: str) -> list[str]:
    """Return the rules that do not hold when these files come."""
    return [miss.rule for miss in judge(check, answer("q", *files)).misses]


def read(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "own.check.toml"
    path.write_text(text)
    return read_checks(path)


def test_a_file_is_read(tmp_path: Path) -> None:
    file = read(tmp_path, FILE)
    first, two = file.checks

    assert file.allow_failures == 1
    assert (first.line, first.rank_tolerance, first.question.limit) == (8, 1, 5)
    assert first.expected == Expected(first="a.py", within=(("b/*.py", 3),))
    assert (first.target, two.target) == (
        QueriedPath(tmp_path),
        QueriedPath(tmp_path / "team.jsonc", is_workspace=True),
    )
    assert two.rank_tolerance == 0


@pytest.mark.parametrize(
    ("was", "becomes", "message"),
    [
        ("expect_first", "expect_frist", ":11: unknown key 'expect_frist'"),
        ("limit = 5", "limit = 0", ":5: limit must be a whole number of at least 1"),
        ("= 3 }", "= 0 }", ":12: expect_within: 'b/*.py' must be a whole number"),
        ('["a.py", "b.py"]', '["a.py"]', ":19: expect_order: must list at least two"),
        ('expect_order = ["a.py", "b.py"]', "", ":14: check 'two' expects nothing"),
        ('"two"', '"one"', ":15: two cases or checks have the name 'one'; the first is in line 8"),
        ("rank_tolerance = 0", 'root = "."', ":17: root and workspace cannot go together"),
        ("allow_failures = 1", "allow_failures = -1", ":2: allow_failures"),
        ("allow_failures = 1", "flaky = true", ":2: unknown key 'flaky'"),
    ],
)
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, was: str, becomes: str, message: str
) -> None:
    """A check that is misread would hold for ever."""
    assert was in FILE

    with pytest.raises(UsageError, match=re.escape(message)):
        read(tmp_path, FILE.replace(was, becomes, 1))


def test_globs_stop_at_slashes() -> None:
    files = ["a/b/c.py", "a/d.py"]

    assert rank_of("a/*.py", files) == 1
    assert rank_of("a/**/*.py", files) == 0
    assert rank_of("a", files) is None
    assert rank_of("a/d.py", files) == 1


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ({"any_paths": ("x", "*.go")}, "expect_any"),
        ({"all_paths": ("a.py", "x")}, "expect_all"),
        ({"no_paths": ("b*",)}, "expect_none"),
        ({"first": "b.py"}, "expect_first"),
        ({"within": (("c.md", 2),)}, "expect_within"),
        ({"order": ("b.py", "a.py")}, "expect_order"),
        ({"order": ("x", "a.py")}, "expect_order"),
        ({"section": "docs"}, "expect_section"),
        ({"symbol": "needle"}, "expect_symbol"),
        ({"confidence": "strong"}, "expect_confidence"),
        ({"min_hits": 4}, "expect_min_hits"),
    ],
)
def test_each_rule_can_be_missed(parts: dict[str, Any], rule: str) -> None:
    assert missed(expecting(**parts), "a.py", "b.py", "c.md") == [rule]
    assert rule in RULES


def test_what_comes_as_expected_holds() -> None:
    check = expecting(
        any_paths=("x", "a.py"),
        all_paths=("a.py", "*.md"),
        no_paths=("x",),
        first="a.py",
        within=(("b.py", 2),),
        order=("a.py", "b.py", "c.md"),
        section="code",
        symbol="Lease.take",
        confidence="strong",
        min_hits=3,
    )
    hits = (found("a.py"), found("b.py", name="Lease.take"), found("c.md", section="docs"))

    assert judge(check, Answer("q", hits, "strong")).holds


def test_a_tolerance_widens_ranks_alone_and_no_rank_is_behind_any() -> None:
    files = ("x", "a.py")

    assert missed(expecting(first="a.py"), *files) == ["expect_first"]
    assert missed(expecting(1, first="a.py"), *files) == []
    assert missed(expecting(9, first="b.py"), *files) == ["expect_first"]
    assert missed(expecting(order=("a", "b")), "a") == []
    assert missed(expecting(order=("a", "b")), "b") == ["expect_order"]


def test_the_section_is_that_of_the_hit_that_was_named() -> None:
    """A document may come first and the code still lie where it must."""
    check = expecting(any_paths=("a.py",), section="code")
    hits = (found("c.md", section="docs"), found("a.py"))

    assert judge(check, Answer("q", hits)).holds
    assert not judge(replace(check, expected=Expected(section="code")), Answer("q", hits)).holds


def test_a_question_that_fails_is_a_miss_and_so_many_may_fail(tmp_path: Path) -> None:
    """A ranking that is being worked on needs some slack."""
    verdict = judge(expecting(min_hits=1), Answer("q", error="deadline passed"))

    assert [(miss.rule, miss.came) for miss in verdict.misses] == [("answer", "deadline passed")]

    outcome = some_checks(tmp_path)
    allowed = replace(outcome, file=replace(outcome.file, allow_failures=1))

    assert (outcome.failed, outcome.ok, allowed.ok) == (1, False, True)
