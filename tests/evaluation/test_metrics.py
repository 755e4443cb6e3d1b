"""How good one answer is."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.interfaces.evaluation.measures import Expectation, failed_score, score

FILES = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True)


def test_relevant_files_count_less_the_later_they_come() -> None:
    found = score(Expectation(relevant=("a", "b")), ["b", "a", "c"])

    assert (found.ndcg10, found.recall10, found.mrr10) == (1.0, 1.0, 1.0)
    assert (found.first_rank, found.passed, found.missing) == (0, True, ())

    found = score(Expectation(relevant=("a", "b")), ["x", "a"])

    assert found.ndcg10 == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)), abs=1e-12)
    assert (found.recall10, found.mrr10) == (0.5, 0.5)

    found = score(Expectation(relevant=("a",)), [*"0123456789", "a"])

    assert (found.ndcg10, found.mrr10, found.passed) == (0.0, 0.0, False)
    assert found.first_rank == 10


@given(FILES, FILES.filter(bool))
def test_figures_stay_between_none_and_all(files: list[str], relevant: list[str]) -> None:
    found = score(Expectation(relevant=tuple(relevant)), files)

    for value in (found.ndcg10, found.recall10, found.mrr10):
        assert value is not None
        assert 0.0 <= value <= 1.0


@given(FILES, FILES.filter(bool))
def test_moving_a_relevant_file_up_never_hurts(files: list[str], relevant: list[str]) -> None:
    """A yardstick that punishes the better answer would mislead."""
    expected = Expectation(relevant=tuple(relevant))
    better = sorted(files, key=lambda file: file not in relevant)

    before, after = score(expected, files), score(expected, better)
    assert after.ndcg10 is not None
    assert before.ndcg10 is not None
    assert after.ndcg10 >= before.ndcg10


def test_parts_of_paths_are_found_whatever_their_case() -> None:
    """One of all `any` patterns is enough; a regular expression may stand in for a part."""
    expected = Expectation(any_contains=("LEASE", "nowhere"), all_contains=("src/",))

    assert score(expected, ["src/lease.py"]).passed
    assert not score(expected, ["lib/lease.py"]).passed

    expected = Expectation(any_contains=("nowhere",), any_regex=(r"\.py$",))

    assert score(expected, ["a.py"]).passed
    assert score(expected, ["a.go"]).missing == (r"a path with nowhere or \.py$",)


def test_patterns_and_confidence_give_no_ndcg_and_a_crash_scores_zero() -> None:
    """Nobody said how many files would be right; a crash must not look like that."""
    found = score(Expectation(any_contains=("b",)), ["a", "b"])

    assert (found.ndcg10, found.recall10, found.mrr10) == (None, None, 0.5)

    found = failed_score(Expectation(relevant=("a",)))

    assert (found.ndcg10, found.recall10, found.mrr10, found.passed) == (0.0, 0.0, 0.0, False)

    expected = Expectation(confidence="none")

    assert score(expected, ["a"], "none").passed
    assert score(expected, ["a"], "none").mrr10 is None
    assert score(expected, ["a"], None).missing == ("confidence none; it is not available",)

    expected = Expectation(all_contains=("a", "q"), all_regex=("^b", "^z"))

    assert score(expected, ["a", "b"]).missing == ("a path with q", "a path like ^z")
