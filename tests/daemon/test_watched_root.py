"""Events that cannot change an index wake nobody."""

from pathlib import Path
from threading import Thread

import anyio
import pytest

from ggrep.daemon.sync_loop import ThreadEvent
from ggrep.daemon.watched_root import EventFilter
from tests.daemon.conftest import descriptors

ROOT = Path("/w/repo")
FILTER = EventFilter(ROOT, (Path("/w/repo/.home"), Path("/elsewhere")))
FILTER.expect(("build/kept/a.c",))


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/a.py",
        "/src/deep/b.py",
        "/src",
        "/.gitignore",
        "/.ggrep.toml",
        "/.github/workflows/x.yml",
        "/.git/HEAD",
        "/.git/index",
        "/.git/packed-refs",
        "/.git/config",
        "/.git/refs/heads/main",
        "/sub/.git/HEAD",
        "/builder/a.py",
        "/.homeless/a.py",
        "/node_modules",
        "/build/kept/a.c",
        "/build/kept",
        "/build",
    ],
)
def test_what_may_change_an_index_passes(path: str) -> None:
    """A change that is dropped is not seen before the next reconciliation.

    A directory of products counts itself: it may have come or gone as a whole.
    """
    assert FILTER.concerns(f"{ROOT}{path}")


@pytest.mark.parametrize(
    "path",
    [
        "/w/repo/.git",
        "/w/repo/.git/objects/ab/cdef",
        "/w/repo/.git/logs/HEAD",
        "/w/repo/.git/index.lock",
        "/w/repo/.git/refs/heads/main.lock",
        "/w/repo/.git/COMMIT_EDITMSG",
        "/w/repo/sub/.git/objects/pack/x",
        "/w/repo/node_modules/x/index.js",
        "/w/repo/build/kept/a.o",
        "/w/repo/build/a.c",
        "/w/repo/sub/build/kept/a.c",
        "/w/repo/node_modules/x/.git/HEAD",
        "/w/repo/src/__pycache__/a.pyc",
        "/w/repo/.home/data/store/x",
        "/w/repo/.home",
        "/w/repository/a.py",
        "/w/a.py",
    ],
)
def test_what_cannot_is_dropped(path: str) -> None:
    """Git writes hundreds of files for one commit, and ggrep itself writes stores."""
    assert not FILTER.concerns(path)


def test_all_passes_in_directories_of_products_until_their_files_are_known() -> None:
    fresh = EventFilter(ROOT, ())

    assert fresh.concerns(f"{ROOT}/build/kept/a.c")
    assert not fresh.expect(())
    assert not fresh.concerns(f"{ROOT}/build/kept/a.c")


def test_it_says_when_something_may_have_been_dropped() -> None:
    """A file that git tracks from now on may have been saved just before that was known."""
    known = EventFilter(ROOT, ())
    known.expect(("build/a.c",))

    assert known.expect(("build/a.c", "build/b.c"))
    assert not known.expect(("build/b.c",))
    assert known.expect(None)
    assert not known.expect(("build/c.c",))


def test_a_root_at_the_top_of_the_file_system_is_understood() -> None:
    """Its path ends with a slash as no other does."""
    assert EventFilter(Path("/"), ()).concerns("/a.py")


async def test_a_thread_wakes_the_task_that_waits() -> None:
    """The watcher's thread knows of changes first."""
    event = ThreadEvent()
    with event.opened(), anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            group.start_soon(event.wait)
            await anyio.lowlevel.checkpoint()
            Thread(target=event.set).start()


async def test_what_was_set_before_anybody_waited_is_not_lost() -> None:
    """A change may come before the loop of syncs has begun, or while a sync runs."""
    event = ThreadEvent()
    event.set()
    with event.opened(), anyio.fail_after(60):
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
