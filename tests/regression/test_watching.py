"""Defects of what is watched and scanned that came once and must not come again."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import pytest

from ggrep.base import durable
from ggrep.base.clock import SystemClock
from ggrep.config import store_files
from ggrep.daemon.sync_loop import SyncLoop
from ggrep.daemon.sync_schedule import LoopFigures
from ggrep.daemon.watching import HostWatcher
from ggrep.model.request import SearchRequest
from ggrep.model.sync import SyncFailed, SyncJob, SyncOutcome, SyncProgress
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.sync_outcomes import outcome_of
from tests.crash.faults import Death
from tests.fakes.repos import answer_bytes, open_engine, write_tree

pytestmark = pytest.mark.slow

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)
OLD = {"a.py": "def retry():\n    pass\n", "gone.py": "retry = 2\n"}
NEW = {"a.py": "def retry_new():\n    pass\n", "gone.py": None, "b.py": "queue = 1\n"}


def dying_sync(engine: Engine, at: str) -> None:
    def die(point: str) -> None:
        if point == at:
            raise Death(point)

    with durable.watched(die), pytest.raises(Death):
        engine.sync()


@pytest.mark.parametrize("at", ["publish.after_table", "publish.before_swap"])
def test_metadata_is_never_ahead_of_the_snapshot(root: Path, home: Path, at: str) -> None:
    """Files were once recorded as indexed, and deletions as done, before they were published.

    After a sync that died there they were never looked at again: new text was not found, and
    deleted text was.
    """
    engine = open_engine(root, home)
    write_tree(root, OLD)
    engine.sync()
    store = engine.identity.store
    kept = [store_files.stat_cache_file(store), store_files.index_state_file(store)]
    records = [file.read_bytes() for file in kept]
    active = engine.view().manifest.snapshot_id
    write_tree(root, NEW)
    dying_sync(engine, at)

    assert [file.read_bytes() for file in kept] == records
    assert open_engine(root, home).view().manifest.snapshot_id == active
    report = open_engine(root, home).sync()
    assert (report.published, report.files.indexed, report.files.deleted) == (True, 2, 1)
    fresh = open_engine(root, home.with_name("fresh"))
    fresh.sync()
    assert answer_bytes(open_engine(root, home), ASK) == answer_bytes(fresh, ASK)


FIGURES = LoopFigures(debounce_ms=20, coalesce_ms=50, fruitless_most_ms=50)
"""So quick that no reconciliation can be what is seen."""


class Here:
    """Syncs in this process.

    Attributes:
        fails: so many syncs fail before the next that does not.
    """

    def __init__(self, root: Path, home: Path) -> None:
        self.engine = open_engine(root, home)
        self.fails = 0

    async def run(self, job: SyncJob, on_progress: Callable[[SyncProgress], None]) -> SyncOutcome:
        if self.fails:
            self.fails -= 1
            raise SyncFailed("no luck")
        report = await anyio.to_thread.run_sync(self.engine.sync)
        return outcome_of(report)


class Watched:
    """A root that is watched and synced."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.runner = Here(root, home)
        self.published = 0
        job = SyncJob(root, home)
        self.loop = SyncLoop(job, self.runner, FIGURES, SystemClock(), self._count)

    def _count(self, _: SyncOutcome) -> None:
        self.published += 1

    def files(self) -> list[str]:
        return sorted(self.runner.engine.view().live_files())

    async def until(self, holds: Callable[[], bool]) -> None:
        with anyio.fail_after(60):
            while not holds():  # noqa: ASYNC110 - a thread and a loop
                await anyio.sleep(0.005)

    async def shows(self, *files: str) -> None:
        """Wait until the index shows these files and no others."""
        await self.until(lambda: self.published > 0 and self.files() == sorted(files))


def play(root: Path, home: Path, act: Callable[[Watched], Awaitable[None]]) -> None:
    """Watch `root` while `act` plays in it; it begins once all is at rest."""

    async def main() -> None:
        watcher, watched = HostWatcher(SystemClock()), Watched(root, home)
        try:
            watcher.add(root, (home,), watched.loop.note_change)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watched.loop.run)
                await watched.until(lambda: watcher.state(root).mode == "watching")
                await watched.until(lambda: _is_at_rest(watched))
                await act(watched)
                tasks.cancel_scope.cancel()
        finally:
            await anyio.to_thread.run_sync(watcher.close)

    anyio.run(main)


def _is_at_rest(watched: Watched) -> bool:
    state = watched.loop.statistics()
    return state.state == "idle" and not state.pending and state.syncs_total > 0


def test_a_renamed_directory_is_found_under_its_new_name_alone(root: Path, home: Path) -> None:
    """The kernel tells of the directory; of the files in it nobody says a word."""
    write_tree(root, {"old/a.py": "a = 1\n", "old/deep/b.py": "b = 2\n", "c.py": "c = 3\n"})

    async def act(watched: Watched) -> None:
        (root / "old").rename(root / "new")

        await watched.shows("c.py", "new/a.py", "new/deep/b.py")

    play(root, home, act)


def test_a_deleted_directory_takes_its_files_with_it(root: Path, home: Path) -> None:
    write_tree(root, {"gone/a.py": "a = 1\n", "gone/deep/b.py": "b = 2\n", "c.py": "c = 3\n"})

    async def act(watched: Watched) -> None:
        (root / "gone").rename(root.with_name("outside"))

        await watched.shows("c.py")

    play(root, home, act)


def test_a_directory_that_is_moved_in_comes_with_its_files(root: Path, home: Path) -> None:
    write_tree(root, {"c.py": "c = 3\n"})
    write_tree(root.with_name("outside"), {"a.py": "a = 1\n", "deep/b.py": "b = 2\n"})

    async def act(watched: Watched) -> None:
        root.with_name("outside").rename(root / "in")

        await watched.shows("c.py", "in/a.py", "in/deep/b.py")

    play(root, home, act)


def test_pictures_and_ignored_files_do_not_enter_by_way_of_events(root: Path, home: Path) -> None:
    """They would be indexed now and deleted by the next reconciliation, for ever."""
    write_tree(root, {".gitignore": "*.log\n", "c.py": "c = 3\n"})

    async def act(watched: Watched) -> None:
        write_tree(
            root,
            {
                "picture.png": b"\x89PNG\r\n\x1a\n\0\0",
                "noise.log": "words\n",
                "yarn.lock": "words\n",
                "blob.py": b"\0\1\2",
                "last.py": "d = 4\n",
            },
        )

        await watched.until(lambda: "last.py" in watched.files())
        assert [name for name in watched.files() if name != ".gitignore"] == ["c.py", "last.py"]

    play(root, home, act)


def test_a_failed_sync_does_not_keep_later_changes_out(root: Path, home: Path) -> None:
    """What was pending when it failed is looked at again with what comes after."""
    write_tree(root, {"c.py": "c = 3\n"})

    async def act(watched: Watched) -> None:
        watched.runner.fails = 1
        write_tree(root, {"a.py": "a = 1\n"})
        await watched.until(lambda: watched.loop.statistics().failures_total == 1)
        write_tree(root, {"b.py": "b = 2\n"})

        await watched.shows("a.py", "b.py", "c.py")

    play(root, home, act)


def test_a_failed_sync_is_made_good_without_any_further_event(root: Path, home: Path) -> None:
    write_tree(root, {"c.py": "c = 3\n"})

    async def act(watched: Watched) -> None:
        watched.runner.fails = 1
        (root / "c.py").unlink()
        write_tree(root, {"d.py": "d = 4\n"})

        await watched.shows("d.py")
        assert watched.loop.statistics().failures_total == 1

    play(root, home, act)
