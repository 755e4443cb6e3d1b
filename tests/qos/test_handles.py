"""The budget of open handles: refused, never overdrawn, given back."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ggrep.base.errors import Busy, InvalidRequest
from ggrep.daemon.qos.permits import HandleBudget, HandleStatistics


def test_what_does_not_fit_is_busy_and_an_error_gives_it_back() -> None:
    """A query that would use up the descriptors must come again; errors give theirs back."""
    budget = HandleBudget(10)

    with budget.reserve(7):
        with pytest.raises(Busy) as refused, budget.reserve(4):
            pass
        with budget.reserve(3):
            assert budget.statistics() == HandleStatistics(open=10, budget=10, most=10)
    assert refused.value.retry_after_ms > 0
    assert budget.statistics() == HandleStatistics(open=0, budget=10, most=10)

    budget = HandleBudget(1)

    for _ in range(3):
        with pytest.raises(ZeroDivisionError), budget.reserve(1):
            raise ZeroDivisionError
    assert budget.statistics().open == 0


@pytest.mark.parametrize("count", [-1, 11])
def test_what_never_fits_is_an_invalid_request(count: int) -> None:
    """Waiting would not help."""
    with pytest.raises(InvalidRequest, match=str(count)), HandleBudget(10).reserve(count):
        pass


def test_threads_never_overdraw_it() -> None:
    """Queries of all daemons of a process reserve at once."""
    budget = HandleBudget(3)
    inside = []
    guard = threading.Lock()

    def query(_: int) -> None:
        try:
            with budget.reserve(2), guard:
                inside.append(budget.statistics().open)
        except Busy:
            pass

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(query, range(400)))

    assert set(inside) == {2}
    assert budget.statistics().open == 0
