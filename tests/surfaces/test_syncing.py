"""Several questions within one time, and waiting for a sync."""

import anyio
import pytest

from ggrep.base.errors import Busy, DeadlineExceeded, GgrepError, InvalidRequest, NoIndex
from ggrep.interfaces.surfaces.in_turn import in_turn
from ggrep.protocol.client.daemon_client import IndexingProgress
from ggrep.protocol.wire.replies import Reply
from ggrep.service.syncing import wait_for_sync
from tests.fakes.virtual_time import VirtualClock, run_virtually

DONE = Reply("sync", "r-1", {"state": "done"})


async def test_progress_is_told_until_the_answer_comes() -> None:
    looks = [
        IndexingProgress("", 0, 0),
        IndexingProgress("index", 1, 3),
        Busy(retry_after_ms=1),
        IndexingProgress("index", 2, 3),
    ]
    heard: list[IndexingProgress] = []
    finished = anyio.Event()

    async def look() -> IndexingProgress:
        if not looks:
            finished.set()
            await anyio.sleep_forever()
        result = looks.pop(0)
        if isinstance(result, GgrepError):
            raise result
        return result

    async def ask() -> Reply:
        await finished.wait()
        return DONE

    assert await wait_for_sync(ask, look, heard.append, poll_s=0) == DONE
    assert [result.done_files for result in heard] == [1, 2]


async def test_the_failure_of_a_sync_comes_out_as_it_is() -> None:
    """Wrapped in a group it would count as a bug."""

    async def ask() -> Reply:
        raise NoIndex("none")

    async def look() -> IndexingProgress:
        raise AssertionError

    with pytest.raises(NoIndex, match=r"^none$"):
        await wait_for_sync(ask, look, pytest.fail)


async def test_who_leaves_calls_off_both() -> None:
    begun, ended = anyio.Event(), anyio.Event()

    async def ask() -> Reply:
        begun.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()
        return DONE

    async with anyio.create_task_group() as group:
        group.start_soon(wait_for_sync, ask, anyio.sleep_forever, pytest.fail)
        await begun.wait()
        group.cancel_scope.cancel()
    assert ended.is_set()


def test_each_has_the_time_that_those_before_it_left() -> None:
    left: list[int] = []

    async def ask(question: int, left_ms: int) -> int:
        left.append(left_ms)
        await anyio.sleep(0.4)
        return question

    async def run() -> None:
        first, two, three, four = await in_turn([1, 2, 3, 4], ask, 1_000, VirtualClock())
        assert (first, two, three) == (1, 2, 3)
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
        refused, result = await in_turn([InvalidRequest("no"), None], ask, 1_000)
        assert isinstance(refused, InvalidRequest)
        assert result == "found"
        with pytest.raises(Busy):
            await in_turn([Busy(retry_after_ms=1), None], ask, 1_000)

    run_virtually(run)
