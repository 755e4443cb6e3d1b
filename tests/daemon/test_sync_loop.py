"""Syncs begin when they are due, and whoever waits hears what came of them."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import anyio
import pytest
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded, GgrepError, InvalidRequest
from ggrep.daemon.sync_loop import SyncKind, SyncLoop
from ggrep.daemon.sync_schedule import LoopFigures
from ggrep.model.daemons import WAITS_FOR_GIT
from ggrep.model.sync import SyncFailed, SyncJob, SyncOutcome, SyncProgress
from tests.fakes.clocks import ManualClock

AT_ONCE = LoopFigures(debounce_ms=0, coalesce_ms=0)
OUTCOME = SyncOutcome("store", "s1", True, 1, 0, 0, 2, 1, 0, 0, 0, 0, 0, (), 5, 5)
NOTHING = replace(OUTCOME, published=False)


class Runner:
    """Syncs that go on until the test says what came of them."""

    def __init__(self) -> None:
        self.jobs: list[SyncJob] = []
        self.killed = 0
        self._arrived, self.arrivals = anyio.create_memory_object_stream[SyncJob](99)
        self._answers, self._answered = anyio.create_memory_object_stream[SyncOutcome | Exception](
            99
        )

    async def run(self, job: SyncJob, on_progress: Callable[[SyncProgress], None]) -> SyncOutcome:
        self.jobs.append(job)
        on_progress(SyncProgress("index", len(self.jobs), 9, 0))
        self._arrived.send_nowait(job)
        try:
            came = await self._answered.receive()
        except anyio.get_cancelled_exc_class():
            self.killed += 1
            raise
        if isinstance(came, Exception):
            raise came
        return came

    async def begun(self) -> SyncJob:
        with anyio.fail_after(5):
            return await self.arrivals.receive()

    def end(self, came: SyncOutcome | Exception = OUTCOME) -> None:
        self._answers.send_nowait(came)

    def close(self) -> None:
        for stream in (self._arrived, self.arrivals, self._answers, self._answered):
            stream.close()


class Stage:
    """A loop, its runner and its clock."""

    tasks: anyio.abc.TaskGroup

    def __init__(self, figures: LoopFigures) -> None:
        self.clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
        self.runner, self.compactor = Runner(), Runner()
        self.published: list[SyncOutcome] = []
        self.failed: list[GgrepError] = []
        self.git_at_work = False
        job = SyncJob(Path("/root"), Path("/home"))
        self.loop = SyncLoop(
            job,
            self.runner,
            figures,
            self.clock,
            self.published.append,
            self.failed.append,
            compactor=self.compactor,
            is_git_at_work=lambda: self.git_at_work,
        )

    def close(self) -> None:
        self.runner.close()
        self.compactor.close()

    async def ask(self, *, fresh: bool = False, seconds: float = 9) -> SyncOutcome:
        deadline = Deadline.after(self.clock, seconds * 1000)
        return await self.loop.sync_now(SyncKind(fresh=fresh), deadline)


@asynccontextmanager
async def running(figures: LoopFigures = AT_ONCE) -> AsyncIterator[Stage]:
    """Run a loop within the block."""
    stage = Stage(figures)
    async with anyio.create_task_group() as stage.tasks:
        stage.tasks.start_soon(stage.loop.run)
        yield stage
        stage.tasks.cancel_scope.cancel()
    stage.close()


async def settled(stage: Stage, syncs: int) -> None:
    """Wait until so many syncs have ended."""
    with anyio.fail_after(5):
        while stage.loop.statistics().syncs_total < syncs:
            await anyio.lowlevel.checkpoint()


async def test_segments_are_merged_only_when_nothing_has_changed_for_a_while() -> None:
    """A compaction takes a core for a while."""
    async with running(replace(AT_ONCE, quiet_ms=0)) as stage:
        merging = []
        for _step in range(3):  # the start, a change, and the quiet after it
            job = await stage.runner.begun()
            merging.append((stage.loop.statistics().trigger, job.compaction))
            if len(merging) == 1:
                stage.loop.note_change()
            stage.runner.end()
        assert merging == [("start", "never"), ("change", "never"), ("quiet", "apart")]


OVERDUE = replace(NOTHING, overdue=True)


async def test_a_save_does_not_wait_for_a_merge(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A large store takes minutes for one."""
    async with running() as stage:
        await stage.runner.begun()
        stage.runner.end(OVERDUE)
        merge = await stage.compactor.begun()
        stage.loop.note_change()
        save = await stage.runner.begun()
        stage.runner.end(OVERDUE)
        await settled(stage, 2)
        assert (merge.compaction, merge.low_impact, save.compaction) == ("alone", True, "never")
        assert len(stage.compactor.jobs) == 1, "one at a time"
        stage.compactor.end(GgrepError("the disk is full"))
        stage.loop.note_change()
        await stage.runner.begun()
        stage.runner.end(OVERDUE)
        await stage.compactor.begun()

    assert stage.compactor.killed == 1, "with the loop"
    assert caplog.messages == ["segments could not be merged: the disk is full"]


async def test_a_frozen_loop_merges_nothing() -> None:
    """The store may be another one by now."""
    async with running() as stage:
        await stage.runner.begun()
        stage.runner.end(OVERDUE)
        await stage.compactor.begun()
        stage.loop.freeze("other settings")
        with anyio.fail_after(5):
            while not stage.compactor.killed:
                await anyio.lowlevel.checkpoint()


async def test_a_loop_begins_with_a_sync_and_tells_who_listens() -> None:
    """A search right after the start should see what is there."""
    async with running() as stage:
        await stage.runner.begun()
        indexing = stage.loop.statistics()
        assert (indexing.state, indexing.stage, indexing.done_files) == ("indexing", "index", 1)
        stage.runner.end()
        await settled(stage, 1)

    state = stage.loop.statistics()
    assert (state.state, state.last_result, state.pending) == ("idle", "ok", False)
    assert state.last_sync_at == "2026-01-01T00:00:00Z"
    assert stage.published == [OUTCOME]


async def test_changes_during_a_sync_make_one_more_however_many_they_are() -> None:
    """They came too late for it, and one takes up all."""
    async with running() as stage:
        await stage.runner.begun()
        for _number in range(20):
            stage.loop.note_change()
        assert stage.loop.statistics().pending
        stage.runner.end()
        await stage.runner.begun()
        stage.runner.end(NOTHING)
        await settled(stage, 2)

    assert len(stage.runner.jobs) == 2
    assert stage.published == [OUTCOME]  # the second moved nothing


async def test_changes_are_noted_from_any_thread() -> None:
    """The watcher has a thread of its own and must not wait for ours."""
    async with running() as stage:
        await stage.runner.begun()
        stage.runner.end()
        await settled(stage, 1)
        noting = Thread(target=stage.loop.note_change)
        noting.start()
        noting.join()
        await stage.runner.begun()

    assert len(stage.runner.jobs) == 2


async def test_a_failed_sync_blocks_neither_changes_nor_its_own_retry() -> None:
    """One unreadable file must not leave an index behind for ever."""
    async with running() as stage:
        await stage.runner.begun()
        stage.runner.end(SyncFailed("no luck"))
        await settled(stage, 1)
        failed = stage.loop.statistics()
        assert (failed.last_result, failed.last_error) == ("failed", "internal: no luck")
        assert (failed.pending, failed.next_retry_ms) == (True, 1_000)
        stage.loop.note_change()
        await stage.runner.begun()
        stage.runner.end(Busy(retry_after_ms=4_000))
        await settled(stage, 2)
        assert stage.loop.statistics().next_retry_ms == 4_000
        stage.clock.advance(4_000)
        stage.loop.note_change(0)  # wakes the loop as its timer would
        await stage.runner.begun()
        stage.runner.end()
        await settled(stage, 3)

    state = stage.loop.statistics()
    assert (state.last_result, state.failures_total, state.next_retry_ms) == ("ok", 2, None)
    assert [error.code for error in stage.failed] == ["internal", "busy"]


async def test_a_sync_that_is_asked_for_begins_after_the_question() -> None:
    outcomes = []
    async with running() as stage:

        async def ask() -> None:
            outcomes.append((await stage.ask()).snapshot_id)

        await stage.runner.begun()
        stage.tasks.start_soon(ask)
        stage.tasks.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        stage.runner.end(replace(OUTCOME, snapshot_id="before"))
        await stage.runner.begun()
        stage.runner.end(replace(OUTCOME, snapshot_id="after"))
        await settled(stage, 2)
        await anyio.wait_all_tasks_blocked()

    assert outcomes == ["after", "after"]
    assert len(stage.runner.jobs) == 2


async def test_who_wants_all_anew_does_not_share_with_who_does_not() -> None:
    """A shared sync would do too little for one, or minutes too much for the other."""
    async with running() as stage:

        async def ask(fresh: bool) -> None:
            await stage.ask(fresh=fresh)

        await stage.runner.begun()
        stage.tasks.start_soon(ask, False)
        stage.tasks.start_soon(ask, True)
        await anyio.wait_all_tasks_blocked()
        for _number in range(3):
            stage.runner.end()
        await settled(stage, 3)

    assert sorted(job.fresh for job in stage.runner.jobs[1:]) == [False, True]


async def test_a_failure_reaches_who_asked() -> None:
    """They would else search an index they believe to be fresh."""
    async with running() as stage:
        await stage.runner.begun()
        stage.runner.end()
        stage.runner.end(SyncFailed("disk full", code="budget_exceeded"))
        with pytest.raises(SyncFailed, match="disk full") as caught:
            await stage.ask()
        assert caught.value.code == "budget_exceeded"


async def test_a_deadline_ends_the_wait_and_not_the_sync() -> None:
    """Work that is half done would only be done again; a sync nobody waits for is not begun."""
    async with running() as stage:
        await stage.runner.begun()
        with pytest.raises(DeadlineExceeded):
            await stage.ask(seconds=0)
        stage.runner.end()
        await settled(stage, 1)
        await anyio.wait_all_tasks_blocked()

    assert (len(stage.runner.jobs), stage.runner.killed) == (1, 0)


async def test_a_cancelled_sync_is_killed_and_says_why() -> None:
    messages = []
    async with running() as stage:

        async def ask() -> None:
            try:
                await stage.ask()
            except Cancelled as error:
                messages.append(str(error))

        await stage.runner.begun()
        stage.runner.end()
        stage.tasks.start_soon(ask)
        await stage.runner.begun()
        assert stage.loop.cancel("because")
        await settled(stage, 2)
        await anyio.wait_all_tasks_blocked()
        assert not stage.loop.cancel("nothing runs")

    assert messages == ["because"]
    assert stage.runner.killed == 1
    assert stage.loop.statistics().last_result == "cancelled"
    assert stage.loop.statistics().next_retry_ms is None


async def test_a_frozen_loop_begins_nothing_until_it_thaws() -> None:
    """A daemon whose settings are out of date would write the wrong store."""
    async with running() as stage:
        await stage.runner.begun()
        stage.loop.freeze("settings changed")
        await settled(stage, 1)
        stage.loop.note_change()
        with pytest.raises(InvalidRequest, match="settings changed"):
            await stage.ask()
        for _ in range(20):  # what a thread sets is seen by the event loop at its next look
            await anyio.lowlevel.checkpoint()
        frozen = stage.loop.statistics()
        assert (frozen.state, frozen.reason) == ("frozen", "settings changed")
        assert len(stage.runner.jobs) == 1
        stage.loop.thaw()
        await stage.runner.begun()
        stage.runner.end()
        await settled(stage, 2)

    assert stage.loop.statistics().state == "idle"


async def test_the_end_of_the_loop_kills_the_sync_and_frees_who_waits() -> None:
    """A daemon that stops leaves nobody hanging."""
    messages = []
    stage = Stage(AT_ONCE)

    async def ask() -> None:
        try:
            await stage.ask()
        except Cancelled as error:
            messages.append(str(error))

    async with anyio.create_task_group() as waiting, anyio.create_task_group() as tasks:
        tasks.start_soon(stage.loop.run)
        await stage.runner.begun()
        waiting.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    stage.close()
    assert stage.runner.killed == 1

    assert messages == ["the daemon is stopping"]


async def test_other_settings_hold_from_the_next_sync_on() -> None:
    """Low impact can be switched on while the daemon runs."""
    async with running() as stage:
        await stage.runner.begun()
        stage.runner.end()
        await settled(stage, 1)
        quiet = SyncJob(Path("/root"), Path("/home"), low_impact=True)
        stage.loop.reconfigure(quiet, AT_ONCE)
        stage.loop.note_change()
        assert await stage.runner.begun() == replace(quiet, compaction="never")


async def test_a_mere_suspicion_is_no_change_that_is_pending() -> None:
    """A root that is polled is suspected every few seconds, and answers would always warn."""
    async with running(LoopFigures()) as stage:
        await stage.runner.begun()
        stage.runner.end()
        await settled(stage, 1)
    stage.loop.note_change(0)
    suspected = stage.loop.statistics()
    stage.loop.note_change(1)

    assert (suspected.pending, suspected.behind) == (False, False)
    assert stage.loop.statistics().behind


async def test_changes_noted_before_and_after_the_loop_ran_harm_nobody() -> None:
    """The watcher starts before it and ends after it."""
    async with running() as stage:
        stage.loop.note_change()
        await stage.runner.begun()
    stage.loop.note_change()

    assert stage.loop.statistics().pending


async def test_a_bug_in_one_sync_is_a_failure_and_the_loop_goes_on() -> None:
    """Its kind is told and not its words, which may quote what was indexed."""
    async with running() as stage:
        await stage.runner.begun()
        stage.runner.end()
        stage.runner.end(ValueError("a secret"))
        with pytest.raises(SyncFailed, match="a bug in ggrep: ValueError"):
            await stage.ask()
        stage.loop.note_change()
        for _number in range(2):
            await stage.runner.begun()
        stage.runner.end()
        await settled(stage, 3)

    state = stage.loop.statistics()
    assert (state.last_result, state.failures_total) == ("ok", 1)
    assert [str(error) for error in stage.failed] == ["a bug in ggrep: ValueError"]


async def test_no_sync_begins_while_git_is_at_work() -> None:
    """Files of two branches would stand side by side, and whoever asks hears why they wait."""
    async with running(replace(AT_ONCE, settle_ms=0)) as stage:
        await stage.runner.begun()
        stage.runner.end()
        await settled(stage, 1)
        stage.git_at_work = True
        stage.loop.note_change()
        with anyio.fail_after(5):
            while not stage.loop.statistics().git_at_work:
                await anyio.lowlevel.checkpoint()
        kept = stage.loop.statistics()
        assert (kept.state, kept.behind, len(stage.runner.jobs)) == ("idle", True, 1)
        stage.git_at_work = False
        await stage.runner.begun()
        assert not stage.loop.statistics().git_at_work
        stage.runner.end()
        await settled(stage, 2)


async def test_a_running_sync_that_waits_for_git_is_told_as_such() -> None:
    """Git may begin after the sync did."""
    async with running() as stage:
        await stage.runner.begun()
        stage.loop._advance(SyncProgress(WAITS_FOR_GIT, 0, 0, 0))
        assert stage.loop.statistics().git_at_work
        stage.runner.end()
        await settled(stage, 1)
        assert not stage.loop.statistics().git_at_work
