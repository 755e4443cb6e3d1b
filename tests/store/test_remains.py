"""What dead writers left beside a store goes, and nothing that a living one makes."""

from pathlib import Path

import pytest

from ggrep.base.errors import LeaseLost
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.remains import Swept, sweep_home, sweep_remains
from tests.fakes.clocks import ManualClock
from tests.fakes.leases import OTHER_WRITER, held_lease
from tests.golden.documents import START


@pytest.fixture
def store(home: Path) -> Path:
    """Return a store with remains of three kinds beside it, and those of another store."""
    found = home / "data" / "shop"
    for path in (
        found,
        store_files.trash_dir(found, 3),
        store_files.clone_dir(found, 4),
        store_files.rebuild_dir(found, 5),
        found.with_name(".rebuild-shop"),
        store_files.rebuild_dir(found.with_name("shop-eval"), 5),
    ):
        path.mkdir(parents=True)
        (path / "file").write_bytes(b"")
    return found


def lying(store: Path) -> list[str]:
    return sorted(path.name for path in store.parent.iterdir())


def test_remains_of_a_store_go_whatever_epoch_they_are_of(store: Path) -> None:
    """Those of an earlier build carry none."""
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
    """What lies there may be what its successor puts together."""
    before = lying(store)
    with held_lease(store, ManualClock(START)) as lease:
        store_files.lease_files(store).record.write_bytes(OTHER_WRITER)
        with pytest.raises(LeaseLost):
            sweep_remains(store, lease)

    assert lying(store) == before
