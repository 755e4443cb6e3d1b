"""Checks that can never hold, or never fail, are refused when they are read."""

from pathlib import Path

import pytest

from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.check_file import Check, read_checks

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
    """Such a check says nothing about a ranking, green or red."""
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
    """And a search only where something is expected of it."""
    slate = one(tmp_path, 'place = "a.py:1-2"', 'expect_confidence = "strong"', "max_bytes = 2048")
    both = one(tmp_path, 'section = { "./a.md" = "docs" }', 'expect_first = "a.md"')
    search = one(tmp_path, 'expect_confidence = "strong"')

    assert (slate.question.slates, slate.question.searched) == ((2048,), False)
    assert (both.question.slates, both.question.searched) == ((0,), True)
    assert (search.question.slates, search.question.searched) == ((), True)
    assert both.expected.sections == (("a.md", "docs"),)
