"""A token that does not grow fences nobody off."""

from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy
from ggrep.base.lease import read_record
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import read_manifest
from ggrep.index.sync.syncer import sync
from tests.fakes.repos import open_engine, write_tree
from tests.journeys.command import Command

pytestmark = pytest.mark.slow


def test_the_fencing_token_grows_over_release(ggrep: Command, indexed: Path, home: Path) -> None:
    """A release once deleted the record, so the next writer was granted epoch 1 again.

    A writer that had been stopped under an earlier epoch 1 then took itself for the holder.
    """
    store = Home(home).data / ggrep("status", "--json").document["store_id"]
    epochs = []
    for number in range(3):
        write_tree(indexed, {"a.py": f"needle = {number}\n"})
        if number == 2:
            assert ggrep("clean").status == 0
        assert ggrep("index").status == 0
        active = read_active(store)
        assert active is not None
        epochs.append(read_manifest(store, active).lease_epoch)
        record = read_record(store_files.lease_files(store).record)
        assert record is not None
        assert (record.released, record.lease_epoch >= epochs[-1]) == (True, True)

    assert epochs == sorted(set(epochs))
    assert epochs[0] > 1


def test_the_lease_is_checked_next_to_the_swap(root: Path, home: Path) -> None:
    """The check once came before a verification that took minutes, and the swap after it."""
    write_tree(root, {"a.py": "retry = 1\n"})
    ours, theirs = open_engine(root, home), open_engine(root, home)
    order = []

    def steal(point: str) -> None:
        order.append(point)
        if point == "publish.before_swap":
            with theirs.target() as target, pytest.raises(Busy):
                sync(target, deadline=Deadline.after(target.clock, 0))

    with durable.watched(steal):
        ours.sync()

    assert order.index("publish.after_verification") < order.index("publish.before_swap")
    assert ours.view().manifest.lease_epoch == 1
