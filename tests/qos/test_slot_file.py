"""One slot: what is left of a holder, and the races of those who take over a stopped one's."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.fair_queue import Lane
from ggrep.base.locks import HeldFile, heartbeat_age_ms, take
from ggrep.index.embedding.encode_slots import EncodeSlots
from tests.fakes.clocks import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2030, 1, 1, tzinfo=UTC))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "slot-0.lock"


def test_a_slot_let_go_says_nothing_of_its_last_holder(file: Path, clock: ManualClock) -> None:
    """The next one is not taken for somebody who was silent for hours."""
    held = take(file, clock=clock)

    assert held is not None
    assert heartbeat_age_ms(file, clock) == 0
    held.release()
    assert heartbeat_age_ms(file, clock) is None
    assert len(file.read_bytes()) == 8  # on a full disk, the next one writes into these bytes


def test_a_slot_let_go_is_free_although_a_forked_child_has_its_descriptor(
    file: Path, clock: ManualClock
) -> None:
    """A copy of the descriptor shares the lock; closing ours alone would not end it."""
    held = take(file, clock=clock)
    assert held is not None
    copy = os.dup(held.descriptor)
    try:
        held.release()

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
