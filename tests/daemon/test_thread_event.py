"""Threads wake a task of the event loop, and no wake-up is lost."""

from pathlib import Path
from threading import Thread

import anyio
import pytest

from ggrep.daemon.sync_loop import ThreadEvent


def descriptors() -> int:
    """Return how many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_a_thread_wakes_the_task_that_waits() -> None:
    """The watcher's thread knows of changes first."""
    event = ThreadEvent()
    with event.opened(), anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(event.wait)
            await anyio.lowlevel.checkpoint()
            Thread(target=event.set).start()


async def test_what_was_set_before_anybody_waited_is_not_lost() -> None:
    """A change may come before the loop of syncs has begun, or while a sync runs."""
    event = ThreadEvent()
    event.set()
    with event.opened(), anyio.fail_after(5):
        await event.wait()
        event.clear()
        event.set()
        await event.wait()


async def test_what_was_set_before_a_clear_wakes_nobody_after_it() -> None:
    """The loop is told of a set late; by then it may have been seen and cleared."""
    event = ThreadEvent()
    with event.opened():
        event.set()
        event.clear()
        with anyio.move_on_after(0.05) as waited:
            await event.wait()

    assert waited.cancelled_caught


async def test_events_hold_no_descriptors() -> None:
    """A process that carries a thousand daemons has a thousand of them."""
    before = descriptors()
    events = [ThreadEvent() for _ in range(3)]
    with events[0].opened(), events[1].opened(), events[2].opened():
        assert descriptors() == before


async def test_it_is_set_after_the_loop_has_left() -> None:
    """The watcher may tell of a change while its daemon ends."""
    event = ThreadEvent()
    with event.opened():
        pass
    event.set()

    with pytest.raises(RuntimeError):
        await event.wait()
