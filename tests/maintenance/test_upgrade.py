"""Older stores become current without being indexed anew, or say what they need."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import durable, stable_json
from ggrep.base.checksummed import seal
from ggrep.base.errors import CorruptStore, Incompatible, NoIndex
from ggrep.base.formats import INDEX_STATE, MANIFEST
from ggrep.base.ids import RepoId, StoreId
from ggrep.config import store_files
from ggrep.index.maintenance.upgrade import upgrade_store
from ggrep.index.store.judging import open_active
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.store_versions import version_in
from ggrep.index.store.verify import Verifier
from ggrep.index.sync.index_state import read_index_state
from ggrep.model.maintenance import UpgradeReport
from ggrep.model.request import SearchRequest
from tests.fakes.old_stores import (
    active_manifest,
    active_of,
    change_json,
    everything_in,
    schema_1_store,
    target_of,
)
from tests.fakes.repos import answer_bytes, indexed, open_engine, write_tree

SHOP = RepoId("shop-e7c7ea0ba435")


def upgrade(store: Path) -> UpgradeReport:
    return upgrade_store(target_of(store), repo_id=SHOP)


def test_a_store_of_the_first_schema_is_published_anew(home: Path) -> None:
    """The same files, nothing read, all in this build's formats; status reads the record."""
    store = schema_1_store(home)
    before = open_active(store).live_files()
    report = upgrade(store)
    manifest = read_manifest(store, report.snapshot_id)

    assert report.upgraded
    assert report.from_versions == {"manifest.json": 1, "index_state.json": 1}
    assert open_active(store).live_files() == before
    assert open_active(store).notices == ()
    assert manifest.segments[0].path == f"{manifest.segments[0].table}.lance"
    assert {ref.image.ref_type for ref in manifest.segments} == {"image"}
    assert version_in(active_manifest(store), MANIFEST) == MANIFEST.writes
    Verifier(store, full=True).manifest(manifest, store_id=StoreId(store.name))

    state = read_index_state(store_files.index_state_file(store))

    assert version_in(store_files.index_state_file(store), INDEX_STATE) == INDEX_STATE.writes
    assert state is not None
    assert state.active_snapshot_id == report.snapshot_id
    assert state.git is not None
    assert state.git.last_head_sha is not None


def test_a_store_of_the_second_schema_answers_the_same_bytes(root: Path, home: Path) -> None:
    """It had no name beside its directory's, and keeps that one."""
    engine = indexed(root, home, {"a.py": "def retry():\n    pass\n", "b.md": "# Queue\n"})
    file = active_manifest(engine.identity.store)
    values = stable_json.loads(file.read_bytes()) | {"schema_version": 2}
    for key in ("index_id", "sha256"):
        values.pop(key)
    file.write_bytes(stable_json.dumps(seal(values, MANIFEST)))
    request = SearchRequest("retry queue", deterministic=True)
    before = answer_bytes(open_engine(root, home), request)

    engine = open_engine(root, home)
    assert engine.upgrade().upgraded
    assert answer_bytes(engine, request) == before
    write_tree(root, {"a.py": "def retry():\n    return 1\n"})
    engine.sync()
    assert engine.view().manifest.name == engine.identity.store_id


def test_a_current_store_is_left_alone(home: Path) -> None:
    store = schema_1_store(home)
    first = upgrade(store)
    before = everything_in(store)
    second = upgrade(store)

    assert (second.upgraded, second.snapshot_id) == (False, first.snapshot_id)
    assert everything_in(store) == before


def test_a_record_alone_is_upgraded(home: Path) -> None:
    """It is an artifact with a version of its own."""
    store = schema_1_store(home)
    upgrade(store)
    change_json(store_files.index_state_file(store), {"schema_version": 1, "sha256": None})

    assert upgrade(store).upgraded
    assert not upgrade(store).upgraded


@pytest.mark.parametrize("point", ["publish.after_manifest", "publish.before_swap"])
def test_an_upgrade_that_dies_leaves_the_last_good_snapshot(home: Path, point: str) -> None:
    """Half an upgrade would be worse than none."""
    store = schema_1_store(home)
    before = active_of(store)

    def die(reached: str) -> None:
        if reached == point:
            raise RuntimeError("died")

    with durable.watched(die), pytest.raises(RuntimeError, match="died"):
        upgrade(store)

    assert open_active(store).manifest.snapshot_id == before
    assert upgrade(store).upgraded


def test_rows_of_an_older_schema_want_a_new_index(home: Path) -> None:
    """No conversion makes of them what this build searches."""
    store = schema_1_store(home)
    target = target_of(store)
    change_json(active_manifest(store), {"chunk_row_schema_version": 1})
    before = everything_in(store)

    with pytest.raises(Incompatible, match=r"chunk_row_schema_version 1 .*reindex required"):
        upgrade_store(target, repo_id=SHOP)
    assert everything_in(store) == before


def test_a_damaged_store_is_not_upgraded_from_an_older_snapshot(home: Path) -> None:
    """That would make the damage the last good state."""
    store = schema_1_store(home)
    target = target_of(store)
    (store_files.snapshot_dir(store, active_of(store)) / store_files.VISIBILITY).unlink()

    with pytest.raises(CorruptStore, match="ggrep repair"):
        upgrade_store(target, repo_id=SHOP)


def test_an_index_of_other_settings_wants_a_new_index(root: Path, home: Path) -> None:
    """Its rows are not what this build would make of the files."""
    write_tree(root, {"a.py": "x = 1\n"})
    engine = open_engine(root, home, encoder="none")
    with pytest.raises(NoIndex):
        engine.upgrade()
    theirs = engine.identity.store.with_name(f"{engine.identity.repo_id}-000000000000")
    theirs.mkdir(parents=True)

    with pytest.raises(Incompatible, match="reindex required"):
        engine.upgrade()
    shutil.rmtree(theirs)


def test_a_store_without_a_pointer_has_nothing_to_upgrade(home: Path) -> None:
    """An empty directory may be left of a first sync that failed."""
    store = schema_1_store(home)
    target = target_of(store)
    store_files.active_file(store).unlink()

    with pytest.raises(NoIndex):
        upgrade_store(replace(target), repo_id=SHOP)
