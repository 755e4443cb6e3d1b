"""A deadline is a deadline."""

from datetime import UTC, datetime

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded
from tests.fakes.clocks import ManualClock


def test_it_passes_at_its_moment() -> None:
    """Work past it would be for nobody."""
    clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
    deadline = Deadline.after(clock, 10)
    deadline.check("x")
    clock.advance(10)

    assert deadline.remaining_ms() == 0.0
    with pytest.raises(DeadlineExceeded, match="during scoring"):
        deadline.check("scoring")


def test_never_does_not_pass() -> None:
    clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
    deadline = Deadline.never(clock)
    clock.advance(1e12)
    deadline.check("x")

    assert deadline.remaining_ms() == float("inf")
