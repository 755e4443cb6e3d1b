"""Who waits for a sync hears how far it is."""

import anyio
import pytest

from ggrep.base.errors import Busy, GgrepError, NoIndex
from ggrep.protocol.client.daemon_client import IndexingProgress
from ggrep.protocol.wire.replies import Reply
from ggrep.service.syncing import wait_for_sync

DONE = Reply("sync", "r-1", {"state": "done"})


async def test_progress_is_told_until_the_answer_comes() -> None:
    """What is idle, or cannot be looked at, is not told."""
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
        found = looks.pop(0)
        if isinstance(found, GgrepError):
            raise found
        return found

    async def ask() -> Reply:
        await finished.wait()
        return DONE

    assert await wait_for_sync(ask, look, heard.append, poll_s=0) == DONE
    assert [found.done_files for found in heard] == [1, 2]


async def test_the_failure_of_a_sync_comes_out_as_it_is() -> None:
    """Wrapped in a group it would count as a bug."""

    async def ask() -> Reply:
        raise NoIndex("none")

    async def look() -> IndexingProgress:
        raise AssertionError

    with pytest.raises(NoIndex, match=r"^none$"):
        await wait_for_sync(ask, look, pytest.fail)


async def test_who_leaves_calls_off_both() -> None:
    """The daemon is told by the connection that was asked on."""
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
