"""One writer at a time, the next one's turn, and a fenced-off one that notices."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, Incompatible, LeaseLost, StoreError
from ggrep.base.lease import Lease, LeaseFiles, acquire, is_live, read_record
from ggrep.base.locks import Patience, in_line
from tests.fakes.clocks import ManualClock

TTL_MS = 10_000


class Store:
    """A store's lease and a clock that moves while somebody waits."""

    def __init__(self, directory: Path) -> None:
        locks = directory / "locks"
        self.files = LeaseFiles(
            locks / "lease.json", locks / "guard", locks / "queue", locks / "alive"
        )
        self.clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
        self.waits = 0
        self.last_epoch: Callable[[], int] = lambda: 0

    def wait(self, seconds: float) -> None:
        self.waits += 1
        self.clock.advance(seconds * 1000)

    def acquire(self, owner: str, timeout_ms: float = 1000) -> AbstractContextManager[Lease]:
        return acquire(
            self.files,
            owner_id=owner,
            clock=self.clock,
            patience=Patience(Deadline.after(self.clock, timeout_ms), self.wait),
            ttl_ms=TTL_MS,
            last_epoch=self.last_epoch,
        )

    def change(self, **fields: stable_json.Json) -> None:
        record = stable_json.loads(self.files.record.read_bytes())
        self.files.record.write_bytes(stable_json.dumps(seal(record | fields)))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def test_epochs_only_grow(store: Store) -> None:
    """A manifest tells by its epoch which writer came later, across releases."""
    epochs = []
    for owner in "abc":
        with store.acquire(owner) as lease:
            epochs.append(lease.epoch)

    assert epochs == [1, 2, 3]
    record = read_record(store.files.record)
    assert record is not None
    assert record.released


def test_a_second_writer_waits_and_then_gives_up(store: Store) -> None:
    """Two agents may index at once; the later one learns when to try again."""
    with (
        store.acquire("a"),
        pytest.raises(Busy, match="process") as caught,
        store.acquire("b", 200),
    ):
        pass

    assert store.waits == 4
    assert caught.value.retry_after_ms > 0


def test_a_second_writer_goes_on_once_the_first_is_done(store: Store) -> None:
    """Waiting must be worth it."""
    first = store.acquire("a")
    first.__enter__()
    store.wait = lambda _: first.__exit__(None, None, None)  # type: ignore[method-assign,assignment] # what happens while b waits
    with store.acquire("b") as lease:
        lease.check()

    assert lease.epoch == 2


def test_a_writer_that_was_not_heard_of_is_taken_over_and_notices(store: Store) -> None:
    """It may have been stopped in the middle of its work; when it goes on it is too late."""
    with store.acquire("a") as stopped:
        store.clock.advance(TTL_MS + 1)
        with store.acquire("b", 0) as lease:
            with pytest.raises(LeaseLost, match="epoch 1"):
                stopped.check()
            with pytest.raises(LeaseLost), stopped.fenced():
                pytest.fail("nothing may be published")
            with pytest.raises(LeaseLost):
                stopped.beat()
            lease.check()
        assert lease.epoch == 2

    record = read_record(store.files.record)
    assert record is not None
    assert (record.owner_id, record.lease_epoch) == ("b", 2), "who lost it releases nothing"


def test_a_heartbeat_keeps_a_long_sync_going(store: Store) -> None:
    """A first index of a large tree takes longer than any time to live."""
    with store.acquire("a") as lease:
        for _ in range(5):
            store.clock.advance(TTL_MS - 1)
            lease.beat()
        with pytest.raises(Busy), store.acquire("b", 0):
            pass
        lease.check()


@pytest.mark.parametrize("years", [-10, 10])
def test_a_clock_that_jumps_ends_no_lease(store: Store, years: int) -> None:
    """Someone sets the date; the writer is at work all the same."""
    with store.acquire("a") as lease:
        store.clock._now += timedelta(days=365 * years)
        with pytest.raises(Busy), store.acquire("b", 0):
            pass
        lease.check()
        lease.beat()
    with store.acquire("b", 0) as lease:
        assert lease.epoch == 2


def test_a_dead_writer_is_followed_at_once(store: Store) -> None:
    """Its record says nothing of its death, but the kernel let its byte go."""
    with store.acquire("a"):
        record = store.files.record.read_bytes()
    store.files.record.write_bytes(record)
    with store.acquire("b", 0) as lease:
        assert lease.epoch == 2
        assert is_live(store.files)

    assert not is_live(store.files)


def test_a_writer_of_before_the_restart_is_dead(store: Store) -> None:
    """Also when some process of today holds the byte of its epoch."""
    with store.acquire("a"):
        store.change(boot_id="another start")
        assert not is_live(store.files)
        with store.acquire("b", 0) as lease:
            assert lease.epoch == 2


def test_nobody_takes_over_between_check_and_swap(store: Store) -> None:
    """However long the holder is stopped there: the guard outlasts the time to live."""
    with store.acquire("a") as lease, lease.fenced():
        store.clock.advance(100 * TTL_MS)
        with pytest.raises(Busy), store.acquire("b", 0):
            pass
        lease.check()


def test_a_writer_that_raised_leaves_the_store_free(store: Store) -> None:
    """A failed sync must not block the next."""
    with pytest.raises(ZeroDivisionError), store.acquire("a"):
        raise ZeroDivisionError
    with store.acquire("b", 0) as lease:
        assert lease.epoch == 2


def test_a_release_that_cannot_be_written_lets_the_next_one_in(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk, for one; and it must not hide that the sync itself went well."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with store.acquire("a"):
        monkeypatch.setattr("ggrep.base.durable.replace_file", full)
    monkeypatch.undo()
    with store.acquire("b", 0) as lease:
        assert lease.epoch == 2


def test_a_record_that_cannot_be_written_grants_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer without an epoch could not be fenced off."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ggrep.base.durable.replace_file", full)
    with pytest.raises(StoreError, match="No space left"), store.acquire("a"):
        pytest.fail("there is no record yet to write over")
    monkeypatch.undo()
    with store.acquire("b", 0) as lease:
        lease.check()


@pytest.mark.parametrize("data", [None, b"", b"[]", b'{"lease_epoch":"1"}', b"\x00" * 100])
def test_a_lost_record_goes_on_from_the_snapshots(store: Store, data: bytes | None) -> None:
    """Epochs order snapshots; they may not start anew, and damage may not stop all writing."""
    store.last_epoch = lambda: 7
    if data is not None:
        store.files.record.parent.mkdir()
        store.files.record.write_bytes(data)
    with store.acquire("a") as lease:
        assert lease.epoch == 8


def test_a_lost_record_never_gives_an_epoch_that_is_held(store: Store) -> None:
    """Its holder may live and not know yet."""
    with ExitStack() as stack:
        first = stack.enter_context(store.acquire("a"))
        store.files.record.unlink()
        second = stack.enter_context(store.acquire("b", 0))

        assert (first.epoch, second.epoch) == (1, 2)
        with pytest.raises(LeaseLost):
            first.check()


def test_a_changed_digit_of_the_record_is_damage(store: Store) -> None:
    """A lower epoch would let an old snapshot stand before a new one."""
    store.last_epoch = lambda: 41
    with store.acquire("a") as lease:
        assert lease.epoch == 42
    data = store.files.record.read_bytes()
    store.files.record.write_bytes(data.replace(b'"lease_epoch":42', b'"lease_epoch":2'))
    with store.acquire("b") as lease:
        assert lease.epoch == 42


def test_a_newer_builds_record_is_not_touched(store: Store) -> None:
    """What it means by it is not known."""
    with store.acquire("a"):
        pass
    store.change(schema_version=99)
    with (
        pytest.raises(Incompatible, match="writer lease: schema_version is 99"),
        store.acquire("b"),
    ):
        pass


def test_an_earlier_builds_record_hands_its_epoch_on(store: Store) -> None:
    """Version 1 knew neither host nor heartbeat."""
    store.files.record.parent.mkdir()
    store.files.record.write_bytes(
        b'{"schema_version":1,"owner_id":"a","pid":7,"lease_epoch":41,'
        b'"last_heartbeat_at":"2030-01-01T00:00:00Z","released":true}'
    )
    with store.acquire("b") as lease:
        assert lease.epoch == 42


def test_a_missing_record_is_a_lost_lease(store: Store) -> None:
    """Nobody can say who holds the store then."""
    with store.acquire("a") as lease:
        store.files.record.unlink()
        with pytest.raises(LeaseLost):
            lease.check()


def test_a_guard_that_was_removed_meanwhile_guards_nothing(store: Store) -> None:
    """The record and the byte say who holds the store, whatever becomes of the guard's file."""
    with store.acquire("a") as lease:
        store.files.guard.unlink()
        with pytest.raises(Busy), store.acquire("b", 0):
            pass
        lease.check()


def test_who_waits_comes_before_who_lets_go_and_returns(store: Store) -> None:
    """A process that indexes in a loop must not keep all others out."""
    first = store.acquire("a")
    first.__enter__()
    greedy: list[str] = []

    def let_go_and_return(_: float) -> None:
        first.__exit__(None, None, None)
        try:
            with store.acquire("a", 0):
                greedy.append("came first")
        except Busy:
            greedy.append("had to wait")

    store.wait = let_go_and_return  # type: ignore[method-assign] # what happens while b waits
    with store.acquire("b") as lease:
        assert lease.epoch == 2

    assert greedy == ["had to wait"]


def test_the_record_names_what_is_being_put_together(store: Store) -> None:
    """Status shows it, and it is gone with the lease."""
    with store.acquire("a") as lease:
        lease.note_staging("01HZZ")
        record = read_record(store.files.record)
        assert record is not None
        assert (record.staging_txn_id, record.released) == ("01HZZ", False)
        lease.beat()
        record = read_record(store.files.record)
        assert record is not None
        assert record.staging_txn_id == "01HZZ"

    record = read_record(store.files.record)
    assert record is not None
    assert record.staging_txn_id is None


def test_a_late_beat_does_not_undo_the_release(store: Store) -> None:
    """It may have queued for the guard meanwhile; status would tell of a writer that died."""
    with store.acquire("a") as lease:
        pass
    lease.beat()

    record = read_record(store.files.record)
    assert record is not None
    assert record.released


def test_a_newer_build_that_took_over_is_a_lost_lease(store: Store) -> None:
    """What was published before is published, and the thread of heartbeats ends quietly."""
    with store.acquire("a") as lease:
        store.change(schema_version=99)
        with pytest.raises(LeaseLost):
            lease.check()
        with pytest.raises(LeaseLost):
            lease.beat()


def test_an_error_after_a_takeover_is_told_as_one(store: Store) -> None:
    """What was staged is gone: that is the consequence, not the cause."""
    with pytest.raises(LeaseLost), store.acquire("a"):  # noqa: PT012 - what happens inside it
        store.change(owner_id="b", lease_epoch=2)
        raise FileNotFoundError


def test_who_waits_and_was_stopped_is_passed(store: Store) -> None:
    """It holds nothing but its place in the line."""
    clock, patience = store.clock, Patience(Deadline.never(store.clock), store.wait)
    store.files.writer_queue.parent.mkdir()
    with in_line(store.files.writer_queue, patience, clock, ttl_ms=TTL_MS):
        with pytest.raises(Busy), store.acquire("a", 0):
            pytest.fail("who is awake comes first")
        store.clock.advance(TTL_MS + 1)
        for owner in "ab":  # and who passed did not speak for it
            with store.acquire(owner, 0) as lease:
                lease.check()


def test_who_waits_says_that_it_is_awake(store: Store) -> None:
    """However long the writer before it takes."""
    clock = store.clock
    store.files.writer_queue.parent.mkdir()
    with in_line(
        store.files.writer_queue,
        Patience(Deadline.never(clock), store.wait),
        clock,
        ttl_ms=TTL_MS,
    ) as patient:
        for _ in range(1000):
            patient.pause()
        with pytest.raises(Busy), store.acquire("a", 0):
            pytest.fail("it waits since fifty seconds, awake")


def test_a_full_disk_still_grants_the_lease(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it nothing could be deleted."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with store.acquire("a"):
        pass
    monkeypatch.setattr("ggrep.base.durable.replace_file", full)
    with store.acquire("b") as lease:
        lease.check()
        lease.beat()

    record = read_record(store.files.record)
    assert record is not None
    assert (record.lease_epoch, record.released) == (2, True)
