"""Permits for the processor, open handles and the window of durations."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, DeadlineExceeded, InvalidRequest
from ggrep.base.fair_queue import Lane
from ggrep.daemon.qos.admission import LatencyWindow
from ggrep.daemon.qos.permits import CpuPermits, HandleBudget, HandleStatistics
from tests.fakes.clocks import ManualClock


async def test_no_more_run_than_cores_and_the_rest_take_turns() -> None:
    """Queries of many daemons share the machine; a batch of one waits for a person of another."""
    clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
    permits = CpuPermits(2, clock)
    never = Deadline.never(clock)
    order: list[str] = []
    most = 0

    async def compute(client: str, lane: Lane) -> None:
        nonlocal most
        async with permits.hold(client, lane, never) as waited_ms:
            assert waited_ms == 0.0
            order.append(client)
            most = max(most, permits.permits.in_use)
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(compute, "bulk", Lane.BATCH)
        for _ in range(4):
            tasks.start_soon(compute, "person", Lane.INTERACTIVE)
    assert most == 2
    assert order.index("person") <= 3
    assert order[-1] == "bulk"
    assert (len(order), permits.permits.in_use, permits.permits.waiting) == (10, 0, 0)


async def test_who_cannot_compute_before_its_deadline_does_not() -> None:
    """Nothing is computed for a client that has gone."""
    clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
    permits = CpuPermits(0, clock)
    async with permits.hold("a", Lane.BATCH, Deadline.never(clock)):
        with pytest.raises(DeadlineExceeded, match="core"):
            async with permits.hold("b", Lane.BATCH, Deadline.after(clock, 0)):
                pass
        assert permits.permits.waiting == 0
    assert permits.permits.in_use == 0


class House:
    """Clients that compute until they are let go."""

    def __init__(self, cores: int) -> None:
        self.clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
        self.permits = CpuPermits(cores, self.clock)
        self.leave = anyio.Event()

    async def compute(self, client: str) -> None:
        """Compute until all are let go."""
        leave = self.leave
        async with self.permits.hold(client, Lane.INTERACTIVE, Deadline.never(self.clock)):
            await leave.wait()

    async def running(self, *clients: str) -> int:
        """Return how many of these compute at once; all have ended afterwards."""
        async with anyio.create_task_group() as group:
            for client in clients:
                group.start_soon(self.compute, client)
            await anyio.wait_all_tasks_blocked()
            at_once = self.permits.permits.in_use
            self.leave.set()
        self.leave = anyio.Event()
        return at_once


def test_in_company_a_client_leaves_a_core_free() -> None:
    async def main() -> list[int]:
        house = House(cores=2)
        alone = await house.running("greedy", "greedy")
        await house.running("modest")
        bounded = await house.running("greedy", "greedy")
        house.clock.advance(5_000)
        return [alone, bounded, await house.running("greedy", "greedy")]

    assert anyio.run(main) == [2, 1, 2]


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
