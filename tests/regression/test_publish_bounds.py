"""A bound is something a publish works within, not something that ends publishing."""

from pathlib import Path

import pytest

from ggrep.base.clock import Deadline
from ggrep.config import store_files
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.store.verify import Verifier
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import answer, open_engine, write_tree

pytestmark = pytest.mark.slow

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)


def check_fresh(engine: Engine, root: Path, home: Path) -> None:
    """Compare with a store that is built in one go; bounds of a sync are part of its identity."""
    fresh = open_engine(root, home.with_name("fresh"), encoder="none")
    fresh.sync()
    assert answer(engine, ASK)["results"] == answer(fresh, ASK)["results"]


def test_publish_caps_leave_no_orphans_that_a_collection_misses(root: Path, home: Path) -> None:
    """A publish over a cap once failed after its table was written, and nothing removed that."""
    engine = open_engine(
        root,
        home,
        encoder="none",
        max_segments=3,
        max_tombstones_per_snapshot=2,
        retain_snapshots_min=1,
        retain_snapshots_min_age_secs=0,
        gc_safety_margin_ms=0,
        query_timeout_ms=1,
    )
    for number in range(7):
        write_tree(root, {"a.py": f"retry = {number}\n", f"{number % 4}.py": f"queue{number}\n"})
        assert engine.sync().published
    with engine.target() as target:
        collect_garbage(target, deadline=Deadline.after(target.clock, 0))
    store, manifest = engine.identity.store, engine.view().manifest
    named = {f"{segment.table}{store_files.TABLE_SUFFIX}" for segment in manifest.segments}

    assert {path.name for path in store.glob(f"*{store_files.TABLE_SUFFIX}")} == named
    assert len(list(store_files.images_dir(store).iterdir())) == len(named) <= 3
    Verifier(store, full=True).manifest(manifest)
    check_fresh(engine, root, home)


def test_a_first_index_over_the_cap_of_one_sync_succeeds(root: Path, home: Path) -> None:
    """It once failed each time, as nothing smaller had been published to go on from."""
    write_tree(root, {f"{n}.py": f"retry = {n}\n" + "queue = 1\n" * 20 for n in range(5)})
    engine = open_engine(root, home, encoder="none", max_bytes_per_sync=300)
    report = engine.sync()
    manifest = engine.view().manifest

    assert (report.published, report.files.indexed) == (True, 5)
    assert (manifest.partial, manifest.counts.files_indexed) == (False, 5)
    assert manifest.parent_snapshot_id is not None, "in several publishes"
    check_fresh(engine, root, home)


@pytest.mark.parametrize("most", [5, pytest.param(64, marks=pytest.mark.deep)])
def test_the_publish_after_the_last_segment_succeeds_without_a_compaction(
    root: Path, home: Path, most: int
) -> None:
    """From the 65th publish on every sync once failed, until somebody compacted by hand."""
    engine = open_engine(root, home, encoder="none", max_segments=most)
    for number in range(most + 3):
        write_tree(root, {f"{number}.py": f"retry = {number}\n"})
        assert engine.sync().published
        assert len(engine.view().segments) <= most

    assert engine.view().manifest.counts.files_indexed == most + 3
    check_fresh(engine, root, home)
