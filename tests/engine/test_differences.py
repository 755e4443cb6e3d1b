"""Which places of two documents are told to differ."""

import pytest

from ggrep.base.stable_json import Json
from ggrep.model.replay import Difference
from ggrep.search.engine.receipts import MOST_DIFFERENCES, differences


@pytest.mark.parametrize(
    ("was", "now", "found"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ("$.a[1].b", "2", "3")),
        ({"a": 1}, {}, ("$.a", "1", None)),
        ({}, {"a": None}, ("$.a", None, "null")),
        ([1], [1, 2], ("$[1]", None, "2")),
        ({"a": 1}, {"a": True}, ("$.a", "1", "true")),
        ({"a": 1}, {"a": 1.0}, ("$.a", "1", "1.0")),
        ({"a": [1]}, {"a": {"b": 1}}, ("$.a", "[1]", '{"b":1}')),
    ],
)
def test_the_place_is_the_deepest_that_differs(
    was: Json, now: Json, found: tuple[str, str | None, str | None]
) -> None:
    """Nobody wants to compare two whole answers by eye."""
    assert differences(was, now) == ([Difference(*found)], 1)


def test_equal_documents_do_not_differ() -> None:
    """In whatever order their keys stand."""
    assert differences({"a": 1, "b": [0.1]}, {"b": [0.1], "a": 1}) == ([], 0)


def test_places_are_cut_and_counted() -> None:
    """One hit more at the top moves all others."""
    shown, count = differences([*range(40)], [*range(1, 41)])

    assert (len(shown), count) == (MOST_DIFFERENCES, 40)


def test_a_long_value_is_cut() -> None:
    """It is told apart by its beginning."""
    (shown,), _ = differences("x" * 1000, "y")

    assert shown.was is not None
    assert len(shown.was) <= 160
