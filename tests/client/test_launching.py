"""Daemons that are started one by one: how many, and in what time."""

from datetime import UTC, datetime
from typing import Any

import pytest

from ggrep.base.clock import Deadline
from ggrep.protocol.client import launching
from ggrep.protocol.client.launching import Launcher
from ggrep.protocol.client.starting import NotStarted
from tests.fakes.clocks import ManualClock

MOST = 8


class StartingConnector:
    """Starts a daemon that listens at once, if it may start one."""

    def __init__(self, *_: object, starts: bool, **more: object) -> None:
        self._may_start = starts
        self.starts = 0

    def reach(self, deadline: Deadline) -> "StartingConnector":
        if not self._may_start:
            raise NotStarted("no daemon runs")
        self.starts = 1
        return self

    def close(self) -> None:
        """Do nothing."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> ManualClock:
    monkeypatch.setattr(launching, "Connector", StartingConnector)
    return ManualClock(datetime(2025, 1, 1, tzinfo=UTC))


async def started(launcher: Launcher, clock: ManualClock, number: int, *, bounded: bool) -> int:
    """Return how many of so many daemons were started."""
    address: Any = None
    done = 0
    for _ in range(number):
        try:
            await launcher.start(address, Deadline.never(clock), bounded=bounded)
        except NotStarted:
            continue
        done += 1
    return done


async def test_a_workspace_whose_host_ended_starts_few_processes(clock: ManualClock) -> None:
    launcher = Launcher(clock, {}, lambda _: None)

    assert await started(launcher, clock, 50, bounded=True) == MOST
    clock.advance(31_000)
    assert await started(launcher, clock, 50, bounded=True) == MOST
    assert await started(launcher, clock, 50, bounded=False) == 50
