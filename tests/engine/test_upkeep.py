"""What a store is owed after a sync, and what gives way when it is full."""

from pathlib import Path

import pytest

from ggrep.base.errors import BudgetExceeded
from ggrep.config import store_files
from ggrep.index.store.disk import store_bytes
from ggrep.search.engine.engine import Engine
from tests.fakes.leases import held_lease
from tests.fakes.repos import LaterClock, open_engine, write_tree

pytestmark = pytest.mark.slow


def published(root: Path, home: Path, times: int, **flags: object) -> Engine:
    engine = open_engine(root, home, **({"retain_snapshots_min": 1} | flags))
    for number in range(times):
        write_tree(root, {f"{number}.py": f"def retry_{number}():\n    pass\n"})
        engine.sync()
    return engine


def test_an_overdue_compaction_is_done_and_what_is_old_goes(root: Path, home: Path) -> None:
    """Nobody has to run a command for a store to stay small."""
    engine = published(root, home, 4, compaction_overdue_segments=3)
    engine.clock = LaterClock()
    done, again = engine.keep_up(), engine.keep_up()

    assert done.compaction is not None
    assert (done.compaction.segments_before, done.compaction.segments_after) == (4, 1)
    assert again.compaction is None
    assert again.collection is not None
    assert len(again.collection.deleted_segments) == 4


def test_upkeep_waits_for_nobody(root: Path, home: Path) -> None:
    """A sync that is done must not hang on another writer."""
    engine = published(root, home, 4, compaction_overdue_segments=3)
    with held_lease(engine.identity.store, engine.clock):
        done = engine.keep_up()

    assert done.compaction is None
    assert len(engine.view().segments) == 4


def test_a_store_over_its_budget_is_collected_before_it_refuses(root: Path, home: Path) -> None:
    """Old snapshots are worth less than today's files."""
    engine = published(root, home, 8, max_segments=1)
    used = store_bytes(engine.identity.store)
    write_tree(root, {"new.py": "queue = 1\n"})
    small = open_engine(root, home, max_segments=1, retain_snapshots_min=1, max_store_bytes=used)
    with pytest.raises(BudgetExceeded):
        small.sync()
    small.clock = LaterClock()

    assert small.sync().files.indexed == 1
    assert len(list(store_files.snapshots_dir(small.identity.store).glob("*/manifest.json"))) <= 2
