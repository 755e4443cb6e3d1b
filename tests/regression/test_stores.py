"""Defects of stores and publishes that came once and must not come again."""

import hashlib
import shutil
from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy
from ggrep.base.lease import read_record
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.maintenance.compaction import compact
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.verify import Verifier
from ggrep.index.sync.syncer import sync
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.crash.faults import recorded
from tests.fakes.repos import answer, answer_bytes, open_engine, paths, write_tree
from tests.journeys.command import Command

pytestmark = pytest.mark.slow


def test_segment_files_are_synced_before_the_manifest_names_them(root: Path, home: Path) -> None:
    """The engine of the tables syncs nothing, and nobody else did.

    After a power cut a manifest could name a table of empty files. The test that was to prove
    the contrary synced a file of its own.
    """
    engine = open_engine(root, home)
    for number in range(2):
        write_tree(root, {"a.py": f"retry = {number}\n", f"{number}.py": "queue\n"})
        with recorded() as recorder:
            engine.sync()
        store, manifest = engine.identity.store, engine.view().manifest
        named = recorder.events.index(("replace", "manifest.json"))
        synced = {what for kind, what in recorder.events[:named] if kind == "sync"}
        table = store_files.table_dir(store, manifest.segments[-1].table)
        image = store / manifest.segments[-1].image.path
        parts = [table, *table.rglob("*"), image, image.parent, store]

        assert len([part for part in parts if part.is_file()]) >= 3
        assert [part for part in parts if part.stat().st_ino not in synced] == []
        assert named < recorder.events.index(("replace", "ACTIVE_SNAPSHOT"))


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


def collect(engine: Engine) -> None:
    with engine.target() as target:
        collect_garbage(target, deadline=Deadline.after(target.clock, 0))


def directories(engine: Engine) -> set[str]:
    return {path.name for path in store_files.snapshots_dir(engine.identity.store).iterdir()}


def test_journal_only_directories_are_collected_later(root: Path, home: Path) -> None:
    """A snapshot's directory may be kept for its journal alone, which later snapshots name.

    Only directories with a manifest were once looked at, so these stayed for ever.
    """
    engine = open_engine(
        root,
        home,
        encoder="none",
        retain_snapshots_min=1,
        retain_snapshots_min_age_secs=0,
        gc_safety_margin_ms=0,
        query_timeout_ms=1,
    )
    for number in range(4):
        write_tree(root, {"a.py": f"retry = {number}\n", f"{number}.py": "queue\n"})
        engine.sync()
    collect(engine)
    kept = directories(engine)
    Verifier(engine.identity.store, full=True).manifest(engine.view().manifest)
    with engine.target() as target:
        compact(target, force=True)
    collect(engine)

    assert len(kept) > 1, "journals of snapshots that are gone"
    assert directories(engine) == {engine.view().manifest.snapshot_id}
    Verifier(engine.identity.store, full=True).manifest(engine.view().manifest)


ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)
FIRST = {
    "kept.py": "def retry_kept():\n    pass\n",
    "modified.py": "def retry_modified():\n    pass\n",
    "readded.py": "def retry_readded():\n    pass\n",
    "renamed.py": "def queue_renamed():\n    pass\n",
    "deleted.py": "def queue_deleted():\n    pass\n",
}
THEN: tuple[dict[str, str | None], ...] = (
    {"modified.py": "def retry_modified_again():\n    pass\n"},
    {"readded.py": None, "deleted.py": None},
    {"readded.py": FIRST["readded.py"]},
    {"renamed.py": None, "new_name.py": FIRST["renamed.py"]},
)


def hashes(root: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in root.iterdir()}


def test_compaction_keeps_modified_and_readded_files(root: Path, home: Path) -> None:
    """A merge once dropped every row whose path had a tombstone, whatever segment it was in.

    So a file that was ever modified, or deleted and put back, was gone from the merged snapshot;
    and as the records called it unchanged, it never came back.
    """
    engine = open_engine(root, home)
    for edit in (FIRST, *THEN):
        write_tree(root, edit)
        engine.sync()
    assert engine.view().manifest.counts.tombstones_added > 0
    before = answer_bytes(engine, ASK)
    fresh = open_engine(root, home.with_name("fresh"))
    fresh.sync()
    with engine.target() as target:
        report = compact(target, force=True)

    assert (report.performed, report.segments_after, report.tombstones_after) == (True, 1, 0)
    assert engine.view().live_files() == hashes(root)
    assert answer_bytes(engine, ASK) == before == answer_bytes(fresh, ASK)
    assert not engine.sync().published


def test_candidates_are_cut_after_sorting_and_without_dead_rows(root: Path, home: Path) -> None:
    """Lists of segments were once joined oldest first and cut unsorted, with dead rows in them.

    Then the oldest segment filled the list, and after many edits what is shown no longer existed.
    """
    flags = {"encoder": "none", "max_candidates": 2}
    engine = open_engine(root, home, **flags)
    write_tree(root, {f"old{n}.py": f"# {'filler ' * 9}\nvalue = 'retry {n}'\n" for n in range(8)})
    engine.sync()
    for number in range(4):
        edited = f"def retry_queue():\n    retry_queue_{number}()\n"
        write_tree(root, {"edited.py": edited, f"beside{number}.py": "x = 1\n"})
        engine.sync()
    write_tree(root, {"edited.py": "nothing = 1\n", "best.py": "def retry_queue():\n    pass\n"})
    engine.sync()
    counts = engine.view().manifest.counts
    fresh = open_engine(root, home.with_name("fresh"), **flags)
    fresh.sync()

    assert counts.chunks_indexed - counts.chunks_visible >= 4, "dead rows that match better"
    assert paths(engine, "retry queue", limit=5)[0] == "best.py"
    assert "edited.py" not in paths(engine, "retry queue", limit=5)
    assert answer_bytes(engine, ASK) == answer_bytes(fresh, ASK)


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


def store_of(ggrep: Command, home: Path) -> Path:
    return Home(home).data / ggrep("status", "--json").document["store_id"]


def tables(store: Path) -> set[str]:
    return {path.name for path in store.iterdir() if path.suffix == store_files.TABLE_SUFFIX}


def test_readers_never_create_tables(ggrep: Command, indexed: Path, home: Path) -> None:
    """Opening a missing segment once made an empty one.

    So a lost segment was never seen to be lost, its files were silently not found, and a repair,
    which opened it first, had nothing to repair.
    """
    store = store_of(ggrep, home)
    write_tree(indexed, {"c.py": "def gamma_needle():\n    return 3\n"})
    assert ggrep("index").status == 0
    active = read_active(store)
    assert active is not None
    lost = read_manifest(store, active).segments[-1].table
    shutil.rmtree(store_files.table_dir(store, lost))
    left = tables(store)
    answered = ggrep("needle", "--json")
    for command in (("health",), ("audit",), ("status",), ("stores",)):
        ggrep(*command)

    assert answered.status == 0
    assert "snapshot_fallback" in [w["code"] for w in answered.document["warnings"]]
    assert ggrep("health").status == 1
    assert tables(store) == left
    assert ggrep("repair").status == 0
    assert ggrep("audit").status == 0
    assert "c.py" in [hit["path"] for hit in ggrep("needle", "--json").document["results"]]


def test_a_pointer_without_manifest_falls_back(ggrep: Command, indexed: Path, home: Path) -> None:
    """A pointer to a manifest that is not there was once an error of every command.

    What else lay there, whole, was not tried; a power cut could leave just that.
    """
    store = store_of(ggrep, home)
    write_tree(indexed, {"c.py": "def gamma_needle():\n    return 3\n"})
    assert ggrep("index").status == 0
    active = read_active(store)
    assert active is not None
    store_files.manifest_file(store, active).unlink()
    answered = ggrep("needle", "--json")

    assert answered.status == 0
    assert answered.document["snapshot_id"] != active
    assert "snapshot_fallback" in [w["code"] for w in answered.document["warnings"]]
    assert {hit["path"] for hit in answered.document["results"]} == {"a.py", "docs/b.md"}
    assert ggrep("index").status == 0
    healed = ggrep("needle", "--json").document
    assert [w["code"] for w in healed["warnings"] if w["code"] == "snapshot_fallback"] == []
    assert "c.py" in {hit["path"] for hit in healed["results"]}
