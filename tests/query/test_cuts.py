"""Ties, quotas and bounds: what is shown of all that scored."""

from pathlib import Path

import pytest

from ggrep.model.request import SearchRequest
from tests.fakes.repos import IndexOf, open_engine, paths, write_tree


def function(name: str) -> str:
    return f"def {name}(item):\n    return item\n\n\n"


def test_equal_scores_fall_to_the_path_whatever_came_first(root: Path, home: Path) -> None:
    """The order of indexing is no order a reader knows."""
    engine = open_engine(root, home)
    for name in ("zeta.py", "mid.py", "alef.py"):
        write_tree(root, {name: function("retry")})
        engine.sync()

    assert paths(engine, "retry") == ["alef.py", "mid.py", "zeta.py"]


def test_equal_scores_in_one_file_fall_to_the_line(index_of: IndexOf) -> None:
    """Then in source order."""
    text = "# One\n\nretry\n\n# Two\n\nretry\n\n# Six\n\nretry\n"
    engine = index_of({"a.md": text}, encoder="none")
    hits = engine.search(SearchRequest("retry", deterministic=True)).hits

    assert [hit.start_line for hit in hits] == [1, 5, 9]
    assert len({hit.score for hit in hits}) == 1


def test_no_file_takes_more_than_its_share(index_of: IndexOf) -> None:
    """One long file would fill the answer."""
    names = [f"retry_{c}" for c in "abcdef"]
    engine = index_of({"a.py": "".join(map(function, names)), "b.py": function("retry")})

    assert sorted(paths(engine, "retry", per_file=2)) == ["a.py", "a.py", "b.py"]
    assert len(paths(engine, "retry", per_file=0)) == 7


@pytest.mark.parametrize("first_look", [3, 256])
def test_rows_behind_many_of_one_file_are_found(
    index_of: IndexOf, monkeypatch: pytest.MonkeyPatch, first_look: int
) -> None:
    """Prose must not take the places of code that was only not looked at yet."""
    monkeypatch.setattr("ggrep.search.query.quota_choice._FIRST_LOOK", first_look)
    many = function("retry") * 40
    weak = "def other(item):\n    " + "pad = item\n    " * 20 + "return retry\n"
    prose = {f"doc{i}.md": "word " * 200 + "retry\n" for i in range(3)}
    engine = index_of({"a.py": many, "lib/b.py": weak, **prose}, encoder="none")

    assert paths(engine, "retry", limit=4)[:4] == ["a.py", "a.py", "a.py", "lib/b.py"]


def test_a_bound_that_may_have_changed_the_answer_is_said(index_of: IndexOf) -> None:
    """Nothing partial is silent."""
    names = function("retry") * 6
    files = {"a.py": names, "b.py": names, "c.md": "# T\n\nretry\n"}
    engine = index_of(files, max_candidates=3)
    few = engine.search(SearchRequest("retry", limit=1, deterministic=True))
    many = engine.search(SearchRequest("retry", limit=4, deterministic=True))

    assert few.limits_hit == ()
    assert [(cut.code, cut.limit, cut.observed) for cut in many.limits_hit] == [
        ("max_candidates", 3, 12)
    ]


@pytest.mark.parametrize("first_look", [1, 5, 256])
def test_ties_beyond_what_is_looked_at_fall_to_the_path(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, first_look: int
) -> None:
    """A common word ties thousands of rows; only few of them may be compared one by one."""
    monkeypatch.setattr("ggrep.search.query.quota_choice._FIRST_LOOK", first_look)
    engine = open_engine(root, home, encoder="none", max_candidates=10)
    for group in ("zxy", "abc"):
        write_tree(root, {f"{c}{i}.py": function("retry") for c in group for i in range(8)})
        engine.sync()
    names = sorted(f"{c}{i}.py" for c in "abcxyz" for i in range(8))

    assert paths(engine, "retry", limit=1) == names[:1]
    assert paths(engine, "retry", limit=10) == names[:10]


def test_a_scope_is_a_whole_directory_or_file(index_of: IndexOf) -> None:
    """Names that only begin alike are elsewhere."""
    inside = {"lib/a.py", "lib/b/c.py", "lib/z.py"}
    outside = {"lib-x/a.py", "lib.py", "lib0/a.py", "li/b.py", "a/lib/b.py"}
    engine = index_of(dict.fromkeys(sorted(inside | outside), "retry = 1\n"))

    assert set(paths(engine, "retry", scope="lib")) == inside
    assert paths(engine, "retry", scope="lib.py") == ["lib.py"]
    assert paths(engine, "retry", scope="none") == []
    assert set(paths(engine, "retry", scope="lib\0lib.py\0none")) == {*inside, "lib.py"}
