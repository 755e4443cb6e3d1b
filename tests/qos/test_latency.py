"""The window of durations: nearest rank, the last ones only."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.daemon.qos.admission import LatencyWindow


def test_nothing_measured_is_not_zero() -> None:
    """A fresh daemon does not claim to be fast."""
    window = LatencyWindow()

    assert (window.count, window.p50(), window.p95(), window.most()) == (0, None, None, None)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50), st.integers(1, 20))
def test_ranks_are_nearest_and_old_durations_give_way(durations: list[float], size: int) -> None:
    """A percentile is a duration that happened, among the last ones."""
    window = LatencyWindow(size)
    for duration in durations:
        window.add(duration)

    kept = sorted(durations[-size:])
    assert window.count == len(kept)
    assert window.p50() == kept[math.ceil(0.5 * len(kept)) - 1]
    assert window.p95() == kept[math.ceil(95 * len(kept) / 100) - 1]
    assert window.most() == kept[-1]
    assert window.mean() == pytest.approx(sum(kept) / len(kept))
