"""Intervals by repository."""

from ggrep.interfaces.evaluation.figures import DRAWS, draws, interval


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
    found = interval(values, ["a", "b", "c", "d", "e", "f"])

    assert found is not None
    assert 0.0 < found[0] < sum(values) / 6 < found[1] < 1.0
    assert interval([0.0, 1.0] * 3, ["a", "a", "b", "b", "c", "c"]) == (0.5, 0.5)
    assert interval([0.1, 0.9], ["a", "b"]) is None

    values, groups = [0.1, 0.2, 0.7, 0.4], ["a", "b", "c", "a"]

    assert interval(values, groups) == interval(values[::-1], groups[::-1])
