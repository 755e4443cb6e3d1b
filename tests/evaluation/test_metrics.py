"""How good one answer is."""

from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.interfaces.evaluation.measures import Expectation, failed_score, score

FILES = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True)


def test_the_best_order_scores_one() -> None:
    """The scale ends where nothing could be better."""
    found = score(Expectation(relevant=("a", "b")), ["b", "a", "c"])

    assert (found.ndcg10, found.recall10, found.mrr10) == (1.0, 1.0, 1.0)
    assert (found.first_rank, found.passed, found.missing) == (0, True, ())


def test_a_relevant_file_counts_less_the_later_it_comes() -> None:
    """The figures are the usual ones: gain 1, discount log2(rank + 2)."""
    found = score(Expectation(relevant=("a", "b")), ["x", "a"])

    assert found.ndcg10 == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)), abs=1e-12)
    assert (found.recall10, found.mrr10) == (0.5, 0.5)


def test_behind_the_tenth_file_nothing_counts() -> None:
    """A list that long is not read."""
    found = score(Expectation(relevant=("a",)), [*"0123456789", "a"])

    assert (found.ndcg10, found.mrr10, found.passed) == (0.0, 0.0, False)
    assert found.first_rank == 10


@settings(max_examples=40)
@given(FILES, FILES.filter(bool))
def test_figures_stay_between_none_and_all(files: list[str], relevant: list[str]) -> None:
    """Means of them are shares too."""
    found = score(Expectation(relevant=tuple(relevant)), files)

    for value in (found.ndcg10, found.recall10, found.mrr10):
        assert value is not None
        assert 0.0 <= value <= 1.0


@settings(max_examples=40)
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
    """Suites are written from memory."""
    expected = Expectation(any_contains=("LEASE", "nowhere"), all_contains=("src/",))

    assert score(expected, ["src/lease.py"]).passed
    assert not score(expected, ["lib/lease.py"]).passed


def test_one_of_all_any_patterns_is_enough() -> None:
    """A regular expression stands in for a part of a path."""
    expected = Expectation(any_contains=("nowhere",), any_regex=(r"\.py$",))

    assert score(expected, ["a.py"]).passed
    assert score(expected, ["a.go"]).missing == (r"a path with nowhere or \.py$",)


def test_every_all_pattern_is_named_that_nothing_matches() -> None:
    """Whoever repairs the case wants the whole list."""
    expected = Expectation(all_contains=("a", "q"), all_regex=("^b", "^z"))

    assert score(expected, ["a", "b"]).missing == ("a path with q", "a path like ^z")


def test_patterns_alone_give_no_ndcg() -> None:
    """Nobody said how many files would be right."""
    found = score(Expectation(any_contains=("b",)), ["a", "b"])

    assert (found.ndcg10, found.recall10, found.mrr10) == (None, None, 0.5)


def test_confidence_alone_is_no_ground_for_ranks() -> None:
    """A query that has no answer cannot have one at a place."""
    expected = Expectation(confidence="none")

    assert score(expected, ["a"], "none").passed
    assert score(expected, ["a"], "none").mrr10 is None
    assert score(expected, ["a"], None).missing == ("confidence none; it is not available",)


def test_what_nobody_answered_scores_zero_and_does_not_pass() -> None:
    """A crash must not look like a query without expectations."""
    found = failed_score(Expectation(relevant=("a",)))

    assert (found.ndcg10, found.recall10, found.mrr10, found.passed) == (0.0, 0.0, 0.0, False)
