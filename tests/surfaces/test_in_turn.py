"""Several questions within one time."""

import anyio
import pytest

from ggrep.base.errors import Busy, DeadlineExceeded, InvalidRequest
from ggrep.interfaces.surfaces.in_turn import in_turn
from tests.fakes.virtual_time import VirtualClock, run_virtually


def test_each_has_the_time_that_those_before_it_left() -> None:
    """Whoever gave a second gets an answer within one, however many names were asked for."""
    left: list[int] = []

    async def ask(question: int, left_ms: int) -> int:
        left.append(left_ms)
        await anyio.sleep(0.4)
        return question

    async def run() -> None:
        one, two, three, four = await in_turn([1, 2, 3, 4], ask, 1_000, VirtualClock())
        assert (one, two, three) == (1, 2, 3)
        assert isinstance(four, DeadlineExceeded)

    run_virtually(run)
    assert left == [pytest.approx(each, abs=1) for each in (1_000, 600, 200)]


def test_what_means_nothing_fails_alone_and_a_busy_daemon_all_of_them() -> None:
    """The next question would find the daemon as busy."""

    async def ask(question: Exception | None, _: int) -> str:
        if question is not None:
            raise question
        return "found"

    async def run() -> None:
        refused, found = await in_turn([InvalidRequest("no"), None], ask, 1_000)
        assert isinstance(refused, InvalidRequest)
        assert found == "found"
        with pytest.raises(Busy):
            await in_turn([Busy(retry_after_ms=1), None], ask, 1_000)

    run_virtually(run)
