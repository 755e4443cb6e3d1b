"""What is damaged is built anew, what is sound stays, and the result is proved."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from ggrep.base.errors import CorruptStore, NoIndex
from ggrep.base.ids import StoreId
from ggrep.config import store_files
from ggrep.index.maintenance.repair import repair
from ggrep.index.store.image import open_image, write_image
from ggrep.index.store.salvage import Salvage, salvage
from ggrep.index.store.verify import Mender
from ggrep.model.maintenance import RepairReport
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.built_store import built_once
from tests.fakes.repos import answer_bytes, indexed, open_engine, write_tree

pytestmark = pytest.mark.slow

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)


def build(root: Path, home: Path) -> None:
    """Make a store of three segments: a and b, then c, then b anew; one snapshot is left."""
    engine = indexed(
        root, home, {"a.py": "def retry_a():\n    pass\n", "b.py": "def retry_b():\n    pass\n"}
    )
    write_tree(root, {"c.py": "def queue_c():\n    pass\n"})
    engine.sync()
    write_tree(root, {"b.py": "def queue_b():\n    pass\n"})
    engine.sync()
    store = engine.identity.store
    for directory in store_files.snapshots_dir(store).iterdir():
        if directory.name != engine.view().manifest.snapshot_id:
            (directory / "manifest.json").unlink()


engine = built_once(build)


def run(engine: Engine) -> RepairReport:
    with engine.target() as target:
        return repair(target)


def again(engine: Engine) -> Engine:
    return open_engine(engine.identity.root, engine.home.base)


def test_a_whole_store_is_left_as_it_is(engine: Engine) -> None:
    """Hashing it all is how that is known."""
    before = engine.view().manifest.snapshot_id
    report = run(engine)

    assert not report.performed
    assert report.damage is None
    assert report.snapshot_id == before


@pytest.mark.parametrize("what", ["table", "both"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_only_files_of_a_lost_segment_are_read(engine: Engine, what: str, place: int) -> None:
    """In a large repository the difference is hours of encoding."""
    before = answer_bytes(engine, ASK)
    segment = engine.view().manifest.segments[place].table
    shutil.rmtree(store_files.table_dir(engine.identity.store, segment))
    if what != "table":
        store_files.image_file(engine.identity.store, segment).unlink()
    with pytest.raises(CorruptStore):
        again(engine).search(ASK)
    report = run(again(engine))

    assert report.performed
    assert report.lost_segments == (segment,)
    assert (report.files.rebuilt, report.files.kept) == (1, 2)
    assert answer_bytes(again(engine), ASK) == before
    assert again(engine).view().notices == ()


@pytest.mark.parametrize("artifact", ["visibility", "tombstones", "segment_map"])
def test_masks_and_journal_stand_in_for_each_other(engine: Engine, artifact: str) -> None:
    """They say the same, so nothing has to be read again."""
    before = answer_bytes(engine, ASK)
    refs = getattr(engine.view().manifest, artifact)
    path = engine.identity.store / (refs.path if artifact == "visibility" else refs[-1].path)
    path.write_bytes(b"x")
    report = run(again(engine))

    assert report.performed
    assert (report.lost_segments, report.files.rebuilt) == ((), 0)
    assert answer_bytes(again(engine), ASK) == before


def test_masks_that_are_not_those_published_are_not_believed(engine: Engine) -> None:
    """They can be read, and would bring a replaced row back beside the files of a lost segment."""
    before = answer_bytes(engine, ASK)
    manifest = engine.view().manifest
    shutil.rmtree(store_files.table_dir(engine.identity.store, manifest.segments[1].table))
    path = engine.identity.store / manifest.visibility.path
    masks = {name: np.ones_like(mask) for name, mask in open_image(path).arrays.items()}
    path.unlink()
    write_image(path, masks, {})
    report = run(again(engine))

    assert report.performed
    assert answer_bytes(again(engine), ASK) == before


def test_a_lost_pointer_is_set_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest snapshot is whole and nothing points at it; all is hashed once."""
    before = answer_bytes(engine, ASK)
    store_files.active_file(engine.identity.store).unlink()
    calls = []

    def counted(store: Path, store_id: StoreId, mender: Mender) -> Salvage | None:
        calls.append(store_id)
        return salvage(store, store_id, mender)

    monkeypatch.setattr("ggrep.index.maintenance.repair.salvage", counted)
    report = run(again(engine))

    assert report.performed
    assert (report.files.rebuilt, len(calls)) == (0, 1)
    assert answer_bytes(again(engine), ASK) == before
    assert again(engine).view().notices == ()


def test_changes_made_meanwhile_are_taken_in(engine: Engine) -> None:
    """A repair ends where a sync would have."""
    root = engine.identity.root
    write_tree(root, {"a.py": "def queue_a():\n    pass\n", "c.py": None})
    shutil.rmtree(
        store_files.table_dir(engine.identity.store, engine.view().manifest.segments[0].table)
    )
    run(again(engine))
    fresh = open_engine(root, engine.home.base / "fresh")
    fresh.sync()

    assert answer_bytes(again(engine), ASK) == answer_bytes(fresh, ASK)


def test_a_store_without_a_readable_manifest_is_indexed_anew(engine: Engine) -> None:
    """Which segment showed what is not known: a guess could bring dead rows back."""
    before = answer_bytes(engine, ASK)
    store_files.manifest_file(
        engine.identity.store, engine.view().manifest.snapshot_id
    ).write_bytes(b"{")
    report = run(again(engine))

    assert report.performed
    assert (report.files.rebuilt, report.files.kept) == (3, 0)
    assert answer_bytes(again(engine), ASK) == before


def test_without_an_index_there_is_nothing_to_repair(root: Path, home: Path) -> None:
    """Repairing must not be another word for indexing."""
    write_tree(root, {"a.py": "x = 1\n"})

    with pytest.raises(NoIndex):
        run(open_engine(root, home))


def test_wrongly_suspected_stores_return(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Damage is remembered, and a memory chip may have made it up."""
    before = answer_bytes(engine, ASK)
    store_files.verified_file(engine.identity.store).unlink()
    with monkeypatch.context() as patch:
        patch.setattr("ggrep.index.store.verify.measure_table", lambda *_: (0, ""))
        with pytest.raises(CorruptStore):
            again(engine).search(ASK)
    with pytest.raises(CorruptStore):
        again(engine).search(ASK)
    report = run(again(engine))

    assert not report.performed
    assert answer_bytes(again(engine), ASK) == before
