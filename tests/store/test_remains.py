"""What dead writers left beside a store goes, and nothing that a living one makes."""

from datetime import timedelta
from pathlib import Path

import pytest

from ggrep.base.errors import LeaseLost
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.last_used import note_use, read_last_use
from ggrep.index.store.remains import Swept, sweep_home, sweep_remains
from tests.fakes.clocks import ManualClock
from tests.fakes.leases import OTHER_WRITER, held_lease
from tests.golden.documents import START


@pytest.fixture
def store(home: Path) -> Path:
    """Return a store with remains of three kinds beside it, and those of another store."""
    result = home / "data" / "shop"
    for path in (
        result,
        store_files.trash_dir(result, 3),
        store_files.clone_dir(result, 4),
        store_files.rebuild_dir(result, 5),
        result.with_name(".rebuild-shop"),
        store_files.rebuild_dir(result.with_name("shop-eval"), 5),
    ):
        path.mkdir(parents=True)
        (path / "file").write_bytes(b"")
    return result


def lying(store: Path) -> list[str]:
    return sorted(path.name for path in store.parent.iterdir())


def test_remains_of_a_store_go_whatever_epoch_they_are_of(store: Path) -> None:
    with held_lease(store, ManualClock(START)) as lease:
        sweep_remains(store, lease)

    assert lying(store) == [".rebuild-shop-eval~5", "shop"]


def test_remains_in_a_home_go_unless_a_writer_lives(store: Path, home: Path) -> None:
    """Any command that writes sweeps for those that never come again, and never under a writer."""
    clock = ManualClock(START)
    with held_lease(store, clock):
        assert sweep_home(Home(home), clock, lambda _: None, 60_000) == Swept(1, 0)
        assert len(lying(store)) == 5

    assert sweep_home(Home(home), clock, lambda _: None, 60_000).directories == 4
    assert lying(store) == ["shop"]


def test_who_was_taken_over_sweeps_nothing(store: Path) -> None:
    before = lying(store)
    with held_lease(store, ManualClock(START)) as lease:
        store_files.lease_files(store).record.write_bytes(OTHER_WRITER)
        with pytest.raises(LeaseLost):
            sweep_remains(store, lease)

    assert lying(store) == before


def test_it_is_written_about_once_an_hour(tmp_path: Path) -> None:
    """A query must not write each time."""
    note_use(tmp_path, START)
    file = store_files.last_used_file(tmp_path)
    first = file.stat().st_ino
    note_use(tmp_path, START + timedelta(minutes=59))

    assert (read_last_use(tmp_path), file.stat().st_ino) == (START, first)
    note_use(tmp_path, START + timedelta(minutes=60))
    assert read_last_use(tmp_path) == START + timedelta(minutes=60)


def test_a_clock_that_was_ahead_does_not_keep_a_store_for_ever(tmp_path: Path) -> None:
    note_use(tmp_path, START + timedelta(days=9000))
    note_use(tmp_path, START)
    assert read_last_use(tmp_path) == START
    for rubbish in (b"", b"\xff", b"2031-02-03T04:05:06", b"2031-02-03T04:05:06+05"):
        store_files.last_used_file(tmp_path).write_bytes(rubbish)
        assert read_last_use(tmp_path) is None
    note_use(tmp_path, START)

    assert read_last_use(tmp_path) == START


def test_a_store_that_is_gone_stays_gone(tmp_path: Path) -> None:
    """A query that ends after a removal must not bring half of it back."""
    note_use(tmp_path / "gone", START)

    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_no_reason_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is what counts."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ggrep.base.durable.replace_file", full)
    note_use(tmp_path, START)

    assert read_last_use(tmp_path) is None
