"""Slots of a host for encoding: lanes, dead and stopped holders, what a status reads."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base import durable
from ggrep.base.clock import Deadline, Stop, SystemClock
from ggrep.base.errors import Cancelled, DeadlineExceeded
from ggrep.base.fair_queue import Lane
from ggrep.base.locks import HeldFile, heartbeat_age_ms, take
from ggrep.index.embedding.encode_slots import EncodeSlots, SlotStatistics, back_off_ms
from tests.fakes.clocks import ManualClock

ROOT = Path(__file__).parents[2]
HOLDER = """
import os, sys, time, pathlib
from ggrep.base.clock import SystemClock
from ggrep.base.clock import Deadline
from ggrep.index.embedding.encode_slots import EncodeSlots
from ggrep.base.fair_queue import Lane
clock = SystemClock()
slots = EncodeSlots(pathlib.Path(sys.argv[1]), 1, clock, wait=time.sleep)
with slots.hold(Deadline.after(clock, 5000), lane=Lane.BATCH):
    if sys.argv[2] == "exec":
        sleeper = os.posix_spawn("/bin/sleep", ["sleep", "30"], {})
        print(sleeper, flush=True)
    else:
        print(flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2030, 1, 1, tzinfo=UTC))


@pytest.fixture
def slot_dir(tmp_path: Path) -> Path:
    return tmp_path / "locks" / "encode"


def slots_of(directory: Path, count: int, clock: ManualClock) -> EncodeSlots:
    """Return slots whose waits pass on the clock."""
    return EncodeSlots(
        directory, count, clock, ttl_ms=1000, wait=lambda seconds: clock.advance(seconds * 1000)
    )


@pytest.mark.parametrize(("count", "batches", "queries"), [(1, 1, 1), (2, 1, 1), (4, 3, 3)])
def test_each_lane_has_a_slot_of_its_own_and_shares_the_rest(
    slot_dir: Path, clock: ManualClock, count: int, batches: int, queries: int
) -> None:
    """A query never waits for bulk encoding, and bulk encoding never for queries."""
    slots = slots_of(slot_dir, count, clock)
    soon = Deadline.after(clock, 500)

    for lane, most, other in (
        (Lane.BATCH, batches, Lane.INTERACTIVE),
        (Lane.INTERACTIVE, queries, Lane.BATCH),
    ):
        with ExitStack() as stack:
            for _ in range(most):
                stack.enter_context(slots.hold(soon, lane=lane))
            with slots.hold(soon, lane=other):
                assert slots.statistics() == SlotStatistics(max(2, count), most + 1, 0)
            clock_before = clock.monotonic_ms()
            with (
                pytest.raises(DeadlineExceeded, match="encoding slot"),
                slots.hold(Deadline.after(clock, 100), lane=lane),
            ):
                pass
            assert clock.monotonic_ms() >= clock_before + 100
    assert slots.statistics().in_use == 0


def test_no_slots_means_no_limit(slot_dir: Path, clock: ManualClock) -> None:
    """A host that does nothing else need not hold back."""
    slots = slots_of(slot_dir, 0, clock)

    with ExitStack() as stack:
        for _ in range(9):
            stack.enter_context(slots.hold(Deadline.after(clock, 0)))
        assert slots.statistics() == SlotStatistics(0, 0, 0)
    assert not slot_dir.exists()


def test_a_request_that_was_ended_stops_waiting(slot_dir: Path, clock: ManualClock) -> None:
    """Nothing is encoded for a client that has gone."""
    slots = slots_of(slot_dir, 1, clock)
    stop = Stop()
    never = Deadline.never(clock)

    with slots.hold(never):
        stop.set("the client asked")
        with (
            pytest.raises(Cancelled, match="the client asked"),
            slots.hold(Deadline(clock, float("inf"), stop)),
        ):
            pass
    with slots.hold(never):
        assert slots.statistics().in_use == 1


def test_a_silent_holder_loses_its_slot(slot_dir: Path, clock: ManualClock) -> None:
    """A process that was stopped in the middle of a batch holds up no other for ever."""
    slots = slots_of(slot_dir, 1, clock)
    never = Deadline.never(clock)

    with slots.hold(never, lane=Lane.BATCH):
        clock.advance(900)
        assert slots.statistics().stale == 0
        clock.advance(200)
        assert slots.statistics() == SlotStatistics(2, 1, 1)
        with slots.hold(Deadline.after(clock, 0), lane=Lane.BATCH):
            assert slots.statistics() == SlotStatistics(2, 1, 0)
            with (
                pytest.raises(DeadlineExceeded),
                slots.hold(Deadline.after(clock, 0), lane=Lane.BATCH),
            ):
                pass
    assert slots.statistics().in_use == 0


def test_a_record_from_another_boot_makes_nobody_stale(slot_dir: Path, clock: ManualClock) -> None:
    slots = slots_of(slot_dir, 1, clock)
    with slots.hold(Deadline.never(clock)):
        file = slot_dir / "query.lock"
        file.write_bytes((9999).to_bytes(8, "little"))
        clock.advance(5000)
        assert slots.statistics().stale == 0
        file.write_bytes(b"none")
        assert slots.statistics().stale == 0


def test_where_nothing_can_be_written_encoding_goes_on(
    slot_dir: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk or a home of another user must not end every search."""
    import errno

    from ggrep.base import durable

    slots = slots_of(slot_dir, 1, clock)

    def fail(error: int) -> None:
        def refuse(path: Path) -> int:
            raise OSError(error, os.strerror(error), str(path))

        monkeypatch.setattr(durable, "open_lock", refuse)

    for number in (errno.EROFS, errno.EIO, errno.ENOLCK):
        fail(number)
        with slots.hold(Deadline.never(clock)), slots.hold(Deadline.never(clock)):
            assert slots.statistics().in_use == 0


@pytest.mark.parametrize("same_process", [True, False])
def test_a_releaser_waits_its_turn(slot_dir: Path, clock: ManualClock, same_process: bool) -> None:
    """Else a long sync, which asks again at once, keeps all others waiting until it is done."""
    never = Deadline.never(clock)
    asleep, awake, served = threading.Event(), threading.Event(), threading.Event()

    def wait(_: float) -> None:
        asleep.set()
        assert awake.wait(60)

    waiting = EncodeSlots(slot_dir, 1, clock, wait=wait)
    busy = waiting if same_process else slots_of(slot_dir, 1, clock)

    def other() -> None:
        with waiting.hold(never, lane=Lane.BATCH):
            served.set()

    thread = threading.Thread(target=other)
    with busy.hold(never, lane=Lane.BATCH):
        thread.start()
        assert asleep.wait(60)
    try:
        assert busy.statistics().in_use == 0
        with (
            pytest.raises(DeadlineExceeded),
            busy.hold(Deadline.after(clock, 0), lane=Lane.BATCH),
        ):
            pass
        with busy.hold(never):
            assert not served.is_set()
    finally:
        awake.set()
        thread.join(60)
    assert served.is_set()


@given(st.integers(0, 100))
def test_the_back_off_is_bounded_and_its_jitter_repeats(attempt: int) -> None:
    pause_ms = back_off_ms(attempt)

    assert min(2**attempt, 50) / 2 <= pause_ms <= 50
    assert pause_ms == back_off_ms(attempt)


@pytest.fixture
def start_holder(slot_dir: Path) -> Iterator["StartHolder"]:
    with ExitStack() as processes:
        yield StartHolder(slot_dir, processes)


class StartHolder:
    """Starts processes that take the only slot for batches and keep it."""

    def __init__(self, directory: Path, processes: ExitStack) -> None:
        self.directory = directory
        self.processes = processes

    def __call__(self, how: str) -> tuple["subprocess.Popen[str]", str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(self.directory), how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            text=True,
        )
        self.processes.enter_context(process)
        self.processes.callback(process.kill)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()


@pytest.mark.slow
def test_a_killed_holder_frees_its_slot(slot_dir: Path, start_holder: StartHolder) -> None:
    """No time to live passes, and a child it had started does not hold on to the slot."""
    clock = SystemClock()
    slots = EncodeSlots(slot_dir, 1, clock, wait=lambda _: None)
    holder, sleeper = start_holder("exec")
    try:
        assert slots.statistics() == SlotStatistics(2, 1, 0)
        with (
            pytest.raises(DeadlineExceeded),
            slots.hold(Deadline.after(clock, 0), lane=Lane.BATCH),
        ):
            pass
        with slots.hold(Deadline.after(clock, 0)):
            assert slots.statistics().in_use == 2

        holder.kill()
        holder.wait()

        with slots.hold(Deadline.after(clock, 0), lane=Lane.BATCH):
            assert slots.statistics() == SlotStatistics(2, 1, 0)
    finally:
        os.kill(int(sleeper), 9)


@pytest.mark.slow
def test_processes_share_the_slots(slot_dir: Path, start_holder: StartHolder) -> None:
    """The limit is of the host: a slot of another process is taken, and free again after it."""
    clock = SystemClock()
    slots = EncodeSlots(slot_dir, 1, clock, wait=lambda _: None)
    first, _ = start_holder("plain")
    assert first.stdin is not None

    with (
        pytest.raises(DeadlineExceeded),
        slots.hold(Deadline.after(clock, 5), lane=Lane.BATCH),
    ):
        pass
    first.stdin.close()
    first.wait()
    with slots.hold(Deadline.after(clock, 0), lane=Lane.BATCH):
        assert slots.statistics().in_use == 1


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "slot-0.lock"


def test_a_slot_let_go_says_nothing_of_its_last_holder(file: Path, clock: ManualClock) -> None:
    """The next one is not taken for somebody who was silent for hours."""
    kept = take(file, clock=clock)

    assert kept is not None
    assert heartbeat_age_ms(file, clock) == 0
    kept.release()
    assert heartbeat_age_ms(file, clock) is None
    assert len(file.read_bytes()) == 8  # on a full disk, the next one writes into these bytes


def test_a_released_slot_is_free_despite_a_forked_child(file: Path, clock: ManualClock) -> None:
    """A copy of the descriptor shares the lock; closing ours alone would not end it."""
    kept = take(file, clock=clock)
    assert kept is not None
    copy = os.dup(kept.descriptor)
    try:
        kept.release()

        again = take(file, clock=clock)
        assert again is not None
        again.release()
    finally:
        os.close(copy)


@pytest.mark.parametrize("another", [False, True])
def test_who_locked_a_file_that_was_replaced_meanwhile_has_no_slot(
    file: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, *, another: bool
) -> None:
    """Race 2: the file of a dead holder goes between our lock and our record."""

    def lose(_: HeldFile) -> None:
        file.unlink()
        if another:
            file.touch()

    monkeypatch.setattr(HeldFile, "beat", lose)

    assert take(file, clock=clock) is None


def test_of_two_who_find_a_stopped_holder_one_takes_over(
    file: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Race 1: the other has replaced the file when we come to do it."""
    slots = EncodeSlots(file.parent, 1, clock, ttl_ms=10, wait=lambda _: None)
    stopped = take(file, clock=clock)
    assert stopped is not None
    clock.advance(11)
    winners: list[HeldFile | None] = []
    open_lock = durable.open_lock

    def overtaken(path: Path) -> int:
        if path.name == "replace.lock":
            monkeypatch.setattr(durable, "open_lock", open_lock)
            winners.append(slots._take(Lane.BATCH))
        return open_lock(path)

    monkeypatch.setattr(durable, "open_lock", overtaken)

    assert slots._take(Lane.BATCH) is None
    (winner,) = winners
    assert winner is not None
    assert (slots.statistics().in_use, slots.statistics().stale) == (1, 0)
    winner.release()
    stopped.release()
