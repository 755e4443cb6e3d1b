"""One writer at a time, and a fenced-off one notices."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ggrep import stable_json
from ggrep.clock import ManualClock
from ggrep.domain.deadline import Deadline
from ggrep.errors import Busy, CorruptStore, LeaseLost
from ggrep.lease import Lease, Patience, acquire, alone, is_held, shared


class Store:
    """A store directory and a clock that moves while somebody waits."""

    def __init__(self, directory: Path) -> None:
        self.file = directory / "locks" / "lease.json"
        self.guard = directory / "locks" / "guard.lock"
        self.clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
        self.waits = 0

    def wait(self, seconds: float) -> None:
        self.waits += 1
        self.clock.advance(seconds * 1000)

    def acquire(self, owner: str, timeout_ms: float = 1000):  # type: ignore[no-untyped-def] # noqa: ANN201 - a context manager
        return acquire(
            self.file,
            self.guard,
            owner_id=owner,
            clock=self.clock,
            patience=Patience(Deadline.after(self.clock, timeout_ms), self.wait),
        )


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
    assert stable_json.loads(store.file.read_bytes())["released"] is True


def test_a_second_writer_waits_and_then_gives_up(store: Store) -> None:
    """Two agents may index at once; the later one learns when to try again."""
    with store.acquire("a"), pytest.raises(Busy) as caught, store.acquire("b", 200):
        pass

    assert store.waits == 4
    assert caught.value.retry_after_ms > 0


def test_a_second_writer_goes_on_once_the_first_is_done(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waiting must be worth it."""
    first = store.acquire("a")
    first.__enter__()
    monkeypatch.setattr(store, "wait", lambda _: first.__exit__(None, None, None))
    with store.acquire("b") as lease:
        lease.check()

    assert lease.epoch == 2


def test_a_fenced_off_writer_notices(store: Store) -> None:
    """It may have been stopped for an hour while another took over."""
    with store.acquire("a") as lease:
        record = stable_json.loads(store.file.read_bytes())
        store.file.write_bytes(stable_json.dumps(record | {"owner_id": "b", "lease_epoch": 2}))
        with pytest.raises(LeaseLost, match="epoch 1"):
            lease.check()

    assert stable_json.loads(store.file.read_bytes())["owner_id"] == "b"


def test_a_writer_that_raised_leaves_the_store_free(store: Store) -> None:
    """A failed sync must not block the next."""
    with pytest.raises(ZeroDivisionError), store.acquire("a"):
        raise ZeroDivisionError
    with store.acquire("b", 0) as lease:
        assert lease.epoch == 2


@pytest.mark.parametrize("data", [b"", b"[]", b'{"lease_epoch":"1"}'])
def test_a_damaged_record_is_named(store: Store, data: bytes) -> None:
    """An epoch that started anew would unfence old writers."""
    store.file.parent.mkdir()
    store.file.write_bytes(data)

    with pytest.raises(CorruptStore, match=r"lease\.json"), store.acquire("a"):
        pass


def test_a_missing_record_is_a_lost_lease(tmp_path: Path) -> None:
    """Nobody can say who holds the store then."""
    with pytest.raises(LeaseLost):
        Lease(tmp_path / "none", "a", 1).check()


def test_a_guard_that_was_removed_meanwhile_guards_nothing(store: Store) -> None:
    """Whoever waited for it must not write beside the holder of the new one."""
    with store.acquire("a"):
        store.guard.unlink()
        with store.acquire("b", 0) as second, pytest.raises(Busy), store.acquire("c", 0):
            pass

    assert second.epoch == 2


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


def test_a_lost_record_goes_on_from_the_snapshots(store: Store) -> None:
    """Epochs order snapshots; they may not start anew."""
    patience = Patience(Deadline.never(store.clock), store.wait)
    with acquire(
        store.file,
        store.guard,
        owner_id="a",
        clock=store.clock,
        patience=patience,
        last_epoch=lambda: 7,
    ) as lease:
        assert lease.epoch == 8


def test_readers_share_and_keep_a_lone_one_out(tmp_path: Path, store: Store) -> None:
    """Two queries run side by side; what removes the store waits for both."""
    file = tmp_path / "locks" / "readers"
    patience = Patience(Deadline.after(store.clock, 0), store.wait)
    with (
        shared(file, patience),
        shared(file, patience),
        pytest.raises(Busy),
        alone(file, patience),
    ):
        pass

    assert not is_held(file)
    assert not is_held(tmp_path / "none")
    with alone(file, patience):
        assert is_held(file)
