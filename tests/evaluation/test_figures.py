"""Figures of a query, intervals of a suite, and other weights."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import InvalidRequest
from ggrep.index.lexical.bm25 import FieldWeights
from ggrep.index.lexical.layout import BODY, CRUMB, DOC, NAME
from ggrep.interfaces.evaluation.figures import DRAWS, draws, interval
from ggrep.interfaces.evaluation.measures import Expectation, failed_score, score
from ggrep.interfaces.evaluation.ranking_weights import FIELDS, weights_from
from ggrep.search.query.kinds import QueryKind
from ggrep.search.query.weights import DEFAULT_WEIGHTS, weights_for

FILES = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True)


def test_relevant_files_count_less_the_later_they_come() -> None:
    result = score(Expectation(relevant=("a", "b")), ["b", "a", "c"])

    assert (result.ndcg10, result.recall10, result.mrr10) == (1.0, 1.0, 1.0)
    assert (result.first_rank, result.passed, result.missing) == (0, True, ())

    result = score(Expectation(relevant=("a", "b")), ["x", "a"])

    assert result.ndcg10 == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)), abs=1e-12)
    assert (result.recall10, result.mrr10) == (0.5, 0.5)

    result = score(Expectation(relevant=("a",)), [*"0123456789", "a"])

    assert (result.ndcg10, result.mrr10, result.passed) == (0.0, 0.0, False)
    assert result.first_rank == 10


@given(FILES, FILES.filter(bool))
def test_figures_stay_between_none_and_all(files: list[str], relevant: list[str]) -> None:
    result = score(Expectation(relevant=tuple(relevant)), files)

    for value in (result.ndcg10, result.recall10, result.mrr10):
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
    expected = Expectation(any_contains=("LEASE", "nowhere"), all_contains=("src/",))

    assert score(expected, ["src/lease.py"]).passed
    assert not score(expected, ["lib/lease.py"]).passed

    expected = Expectation(any_contains=("nowhere",), any_regex=(r"\.py$",))

    assert score(expected, ["a.py"]).passed
    assert score(expected, ["a.go"]).missing == (r"a path with nowhere or \.py$",)


def test_patterns_and_confidence_give_no_ndcg_and_a_crash_scores_zero() -> None:
    result = score(Expectation(any_contains=("b",)), ["a", "b"])

    assert (result.ndcg10, result.recall10, result.mrr10) == (None, None, 0.5)

    result = failed_score(Expectation(relevant=("a",)))

    assert (result.ndcg10, result.recall10, result.mrr10, result.passed) == (0.0, 0.0, 0.0, False)

    expected = Expectation(confidence="none")

    assert score(expected, ["a"], "none").passed
    assert score(expected, ["a"], "none").mrr10 is None
    assert score(expected, ["a"], None).missing == ("confidence none; it is not available",)

    expected = Expectation(all_contains=("a", "q"), all_regex=("^b", "^z"))

    assert score(expected, ["a", "b"]).missing == ("a path with q", "a path like ^z")


def test_draws_are_even_and_the_same_for_ever() -> None:
    assert draws(7)[0].tolist() == [6, 5, 5, 1, 1, 4, 3]
    assert draws(7).shape == (DRAWS, 7)

    import numpy as np

    counts = np.bincount(draws(20).ravel(), minlength=20)

    assert counts.min() > 0.9 * DRAWS
    assert counts.max() < 1.1 * DRAWS


def test_an_interval_holds_the_mean() -> None:
    """Differences within a repository are not what the interval is about."""
    values = [0.0, 1.0, 0.5, 0.7, 0.2, 0.9]
    result = interval(values, ["a", "b", "c", "d", "e", "f"])

    assert result is not None
    assert 0.0 < result[0] < sum(values) / 6 < result[1] < 1.0
    assert interval([0.0, 1.0] * 3, ["a", "a", "b", "b", "c", "c"]) == (0.5, 0.5)
    assert interval([0.1, 0.9], ["a", "b"]) is None

    values, groups = [0.1, 0.2, 0.7, 0.4], ["a", "b", "c", "a"]

    assert interval(values, groups) == interval(values[::-1], groups[::-1])


def test_what_is_not_named_stays_as_it_is_and_kinds_can_be_switched_off() -> None:
    """Otherwise switching off one field would switch off another."""
    assert weights_from({}) == DEFAULT_WEIGHTS
    assert weights_from({"text": 0}).text == 0.0
    assert weights_from({"text": 0}).file == DEFAULT_WEIGHTS.file

    alike = weights_from({"kinds": 0})

    assert weights_for(QueryKind.SYMBOL, alike) == alike
    assert weights_for(QueryKind.SYMBOL, DEFAULT_WEIGHTS) != DEFAULT_WEIGHTS

    named = {"body": BODY, "name": NAME, "crumb": CRUMB, "doc": DOC}

    assert [FIELDS.index(name) for name in named] == list(named.values())


def test_half_a_field_can_be_named() -> None:
    usual = DEFAULT_WEIGHTS.fields
    result = weights_from({"fields": {"doc": {"boost": 0}, "body": {"b": 1}}}).fields

    assert result[DOC] == FieldWeights(0.0, usual[DOC].b)
    assert result[BODY] == FieldWeights(usual[BODY].boost, 1.0)
    assert (result[NAME], result[CRUMB]) == (usual[NAME], usual[CRUMB])


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"txet": 0}, "unknown weight 'txet'; known weights:"),
        ({"text": True}, "text must be a number"),
        ({"text": -0.5}, "text must be a number"),
        ({"text": {}}, "text must be a number"),
        ({"priors": 0.5}, "priors must be 0 or 1"),
        ({"k1": 0}, "k1 must be above 0"),
        ({"fields": 1}, "fields must be an object"),
        ({"fields": {"bdoy": {}}}, "unknown field 'bdoy'; known fields: body"),
        ({"fields": {"doc": 0}}, "fields.doc must be an object of boost and b"),
        ({"fields": {"doc": {"c": 0}}}, "fields.doc must be an object of boost and b"),
        ({"fields": {"doc": {"b": 2}}}, "fields.doc.b must be between 0 and 1"),
    ],
)
def test_what_means_nothing_is_refused(values: dict[str, object], complaint: str) -> None:
    """A figure measured with a mistyped weight would be that of the usual ones."""
    with pytest.raises(InvalidRequest, match=complaint):
        weights_from(values)  # type: ignore[arg-type]  # wrong on purpose
