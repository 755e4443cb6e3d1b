"""Files of checks and the rules that they state."""

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

HEAD = 'version = 1\n[[checks]]\nid = "one"\nquery = "words"\n'


def one(tmp_path: Path, *lines: str) -> Check:
    """Return a check of which these lines are the fifth and following."""
    path = tmp_path / "own.check.toml"
    path.write_text(HEAD + "\n".join(lines))
    return read_checks(path).checks[0]


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (('expect_within = { "a.py" = 11 }',), "'a.py' at 11 is beyond the limit of 10 hits"),
        (("expect_min_hits = 11",), "11 exceed the limit of 10 hits"),
        (("expect_min_hits = 0",), "must be a whole number of at least 1"),
        (('expect_all = ["a", "b"]', "limit = 1"), "2 files exceed the limit of 1 hits"),
        (('expect_none = ["./a"]', 'expect_any = ["a"]'), "'a' is also in expect_any"),
        (('expect_none = ["a"]', 'expect_all = ["b", "a"]'), "'a' is also in expect_all"),
        (('expect_none = ["a"]', 'expect_first = "a"'), "'a' is also in expect_first"),
        (('expect_order = ["a", "b", "a"]',), "'a' occurs twice"),
        (("limit = 201", "expect_min_hits = 1"), "limit must be at most 200, is 201"),
        (("per_file = 51", "expect_min_hits = 1"), "per_file must be at most 50, is 51"),
        (('expect_any = ["[abc"]',), "is not a glob: a bracket is not closed"),
        (('expect_any = ["[z-a].go"]',), "is not a glob: the range z-a runs backwards"),
        (('expect_none = ["docs/"]',), "is a directory; use files"),
        (('expect_none = ["/a.py"]',), "is outside the root"),
        (('expect_none = ["a/../../b"]',), "is outside the root"),
        (("expect_max_hits = 10",), "10 never fails with a limit of 10 hits"),
        (("expect_max_hits = -1",), "must be a whole number of at least 0"),
        (("expect_max_hits = 0", 'expect_any = ["a"]'), "0 hits are fewer than other keys"),
        (("expect_max_hits = 2", "expect_min_hits = 3"), "2 hits are fewer than other keys"),
        (('place = "a.py:3-1"',), "place: 'a.py:3-1' is not a place such as src/lock.c:120-127"),
        (("place = []",), "place must be a list of at least one place"),
        (("place = [[]]",), "place must be a list of at least one place"),
        (('place = ["a.py:1-2", "a.py:1-2"]',), "place: a.py:1-2 occurs twice"),
        (('place = "../a.py:1-2"',), "is outside the root"),
        (('section = "docs"',), 'section must be a table, { "path" = "docs" }'),
        (('section = { "a.md" = "prose" }',), "'a.md' must be in one of code, docs, diagrams"),
        (('section = { "a/" = "docs" }',), "is a directory; use files"),
        (("max_bytes = 2048",), "max_bytes only applies to slates; add"),
        (("max_bytes = 2048", "expect_min_hits = 1"), "max_bytes only applies to slates; also"),
        (("max_bytes = 1000", 'place = "a.py:1-2"'), "must be a whole number of at least 1024"),
        (('filters = ["foo:bar"]', "expect_min_hits = 1"), "filters: filter: unknown key 'foo'"),
        (
            ('filters = ["foo"]', "expect_min_hits = 1"),
            "filters: 'foo' must have the form key:value",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_line(
    tmp_path: Path, lines: tuple[str, ...], fault: str
) -> None:
    with pytest.raises(UsageError) as caught:
        one(tmp_path, *lines)

    assert ".toml:5: " in str(caught.value)
    assert fault in str(caught.value)


@pytest.mark.parametrize(
    ("before", "query", "fault"),
    [
        ("", "()", r":4: query: '\(\)' contains no word"),
        # Such a file never fails.
        ("allow_failures = 1\n", "words", ":1: allow_failures: 1 of 1 checks may fail"),
    ],
)
def test_a_query_without_a_word_or_more_failures_than_checks_are_refused(
    tmp_path: Path, before: str, query: str, fault: str
) -> None:
    path = tmp_path / "own.check.toml"
    path.write_text(before + (HEAD + "expect_min_hits = 1").replace("words", query))

    with pytest.raises(UsageError, match=fault):
        read_checks(path)


def test_paths_are_brought_into_the_form_of_answers_from_any_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = one(tmp_path, 'expect_all = ["./gin.go", "a//b/**/*.py", "app/[id]/x-[0-9a-f].ts"]')

    assert check.expected.all_paths == ("gin.go", "a/b/**/*.py", "app/[id]/x-[0-9a-f].ts")

    path = tmp_path / "own.check.toml"
    path.write_text(HEAD + "expect_min_hits = 1", encoding="utf-8-sig")

    assert read_checks(path).checks[0].line == 2

    one(tmp_path, "expect_min_hits = 1")
    monkeypatch.chdir(tmp_path)

    assert read_checks(Path("own.check.toml")).checks[0].target.path == tmp_path


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("expect_frist", "expect_first"),
        ("expect_place", "place"),
        ("max_hits", "expect_max_hits"),
        ("maxbytes", "max_bytes"),
        ("Place", "place"),
        ("expect-any", "expect_any"),
        ("sections", "section"),
    ],
)
def test_a_misspelt_key_is_refused_with_the_right_one(
    tmp_path: Path, typed: str, meant: str
) -> None:
    with pytest.raises(UsageError, match=f":5: unknown key '{typed}'; did you mean '{meant}'"):
        one(tmp_path, f"{typed} = 1")


def test_a_misspelt_key_or_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown key 'zzz'; known keys: alone, corpora"):
        one(tmp_path, "zzz = 1")

    file = tmp_path / "own.toml"
    file.write_text('version = 1\n\n[[chekcs]]\nid = "one"\n')

    with pytest.raises(UsageError, match=r":3: unknown key 'chekcs'; did you mean 'checks'"):
        read_checks(file)


def test_a_slate_is_asked_where_one_is_expected(tmp_path: Path) -> None:
    slate = one(tmp_path, 'place = "a.py:1-2"', 'expect_confidence = "strong"', "max_bytes = 2048")
    both = one(tmp_path, 'section = { "./a.md" = "docs" }', 'expect_first = "a.md"')
    search = one(tmp_path, 'expect_confidence = "strong"')

    assert (slate.question.slates, slate.question.searched) == ((2048,), False)
    assert (both.question.slates, both.question.searched) == ((0,), True)
    assert (search.question.slates, search.question.searched) == ((), True)
    assert both.expected.sections == (("a.md", "docs"),)


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
