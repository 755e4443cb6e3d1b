"""Permits for the processor: as many as cores, in fair turn, none lost."""

from datetime import UTC, datetime

import anyio
import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded
from ggrep.base.fair_queue import Lane
from ggrep.daemon.qos.permits import CpuPermits
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
    """Who asks next need not wait for a query of it to end."""

    async def main() -> list[int]:
        house = House(cores=2)
        alone = await house.running("greedy", "greedy")
        await house.running("modest")
        bounded = await house.running("greedy", "greedy")
        house.clock.advance(5_000)
        return [alone, bounded, await house.running("greedy", "greedy")]

    assert anyio.run(main) == [2, 1, 2]
