"""No record may know of a file what no snapshot shows."""

from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.config import store_files
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
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
