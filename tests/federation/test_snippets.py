"""The byte bounds of a merged answer."""

from ggrep.base.ids import RepoId
from ggrep.federation.merge import MergedHit
from ggrep.federation.snippet_bounds import cap_snippets
from ggrep.model.limits import LimitHit
from tests.fakes.hits import hit


def merged(repo: str, path: str, content: str) -> MergedHit:
    return MergedHit(RepoId(repo), repo, hit(path, content), 1.0, 0)


def test_a_cut_is_said_of_hits_that_are_shown() -> None:
    """A reader looks for the shortened text in the answer, and finds it there."""
    (hits,), limits = cap_snippets([[merged("a", "long.py", "x" * 9)]], per_hit=4, total=100)

    assert hits[0].hit.content == "xxxx"
    assert [(item.repo_id, item.limit) for item in limits] == [
        ("a", LimitHit("max_snippet_bytes_per_result", 4, 9, "long.py"))
    ]


def test_equal_paths_of_two_repositories_are_two_cuts() -> None:
    """Which of the two files is longer than shown must not be guessed."""
    pair = [merged("a", "f.py", "x" * 9), merged("b", "f.py", "y" * 7)]

    _, limits = cap_snippets([pair], per_hit=4, total=100)

    assert [(item.repo_id, item.limit.observed) for item in limits] == [("a", 9), ("b", 7)]


def test_text_that_is_gone_altogether_hides_all_its_lines() -> None:
    """Three lines that are not shown are three, not two."""
    (hits,), _ = cap_snippets([[merged("a", "f.py", "1\n2\n3")]], per_hit=100, total=0)

    assert hits[0].hit.content == ""
    assert hits[0].hit.hidden_lines == 3
