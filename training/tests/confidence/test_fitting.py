"""A fit of confidence keeps the signs that make sense, and its bounds are what they say."""

import numpy as np

from training.confidence.fitting import balanced, bound, coefficients, highest


def test_a_figure_with_the_wrong_sign_is_left_out() -> None:
    """By chance the questions with an answer have less evidence here; no answer may show it."""
    wrong = [[0.1, 1.0, 0.9, 0.0, 1.0], [0.9, 0.0, 0.1, 0.8, 1.0]] * 10
    answerable = np.array([True, False] * 10)

    found = coefficients(np.array(wrong), answerable, np.ones(20))

    assert found[0] == 0.0
    assert found[1] > 0.0
    assert found[2] > 0.0
    assert found[3] < 0.0


def test_each_kind_weighs_its_share_however_many_it_has() -> None:
    """A thousand commits must not drown fifty short questions."""
    shares = balanced(["a", "a", "a", "b", "c"], {"a": 0.6, "b": 0.4})

    assert shares.tolist() == [0.6 / 3, 0.6 / 3, 0.6 / 3, 0.4, 0.0]


def test_bounds_are_rounded_so_that_fewer_fall_below() -> None:
    """They are read and written by hand, with one decimal."""
    logits = np.array([-3.04, -1.26, 0.0, 1.0, 2.0])

    assert bound(logits, 0.25) == -1.3
    assert highest(logits, np.array([0.0, 0.5, 0.0, 0.0, 0.0]), 0.05) == -1.3
    assert highest(logits, np.zeros(5), 0.05) == 2.0
