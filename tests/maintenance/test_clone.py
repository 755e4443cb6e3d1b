"""A clone is whole or absent, and a store of its own."""

import os
import shutil
from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.errors import Busy, CorruptStore, GgrepError, InvalidRequest
from ggrep.base.ids import StoreId
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.maintenance.clone import clone_store
from ggrep.index.maintenance.inventory import REMAINS, collect_stores, list_stores
from ggrep.index.store.judging import open_active
from ggrep.index.store.verify import Verifier
from ggrep.index.sync.index_state import read_index_state
from ggrep.search.engine.engine import Engine
from tests.fakes.built_store import built_once
from tests.fakes.clocks import ManualClock
from tests.fakes.leases import held_lease
from tests.fakes.old_stores import everything_in, schema_1_store
from tests.fakes.repos import indexed, open_engine, write_tree
from tests.golden.documents import START


def build(root: Path, home: Path) -> None:
    """Make a store of two publishes."""
    engine = indexed(root, home, {"a.py": "retry = 1\n", "b.py": "queue = 2\n"}, encoder="none")
    write_tree(root, {"b.py": "queue = 3\n"})
    engine.sync()


engine = built_once(build, encoder="none")


def clone(engine: Engine, suffix: str = "-eval") -> StoreId:
    """Return the name of a clone."""
    target = StoreId(engine.identity.store_id + suffix)
    clock = ManualClock(START)
    clone_store(
        engine.home,
        engine.identity.store_id,
        target,
        Settings(),
        clock=clock,
        wait=lambda seconds: clock.advance(1000 * seconds),
    )
    return target


def test_a_clone_shows_the_same(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every artifact is verified, each record names the clone, and no query hashes it again."""
    assert engine.view().notices == ()
    target = clone(engine)
    store = engine.home.store_dir(target)
    view = open_active(store, store_id=target)
    state = read_index_state(store_files.index_state_file(store))

    assert view.live_files() == engine.view().live_files()
    assert view.manifest.store_id == target
    assert state is not None
    assert state.store_id == target
    Verifier(store, full=True).manifest(view.manifest)
    assert _linked(store)

    assert len(list(store_files.snapshots_dir(store).glob("*/manifest.json"))) == 1

    roots = {entry.store_id: entry.canonical_root for entry in list_stores(engine.home)}
    assert roots[target] == str(engine.identity.root)

    monkeypatch.setattr("ggrep.index.store.verify.measure_table", lambda *_: pytest.fail("hashed"))

    assert open_active(engine.identity.store).notices == ()
    assert open_active(engine.home.store_dir(target)).notices == ()


def test_a_clone_outlives_its_source(engine: Engine) -> None:
    """Links share bytes, not fates."""
    store = engine.home.store_dir(clone(engine))
    before = everything_in(store)
    engine.sync(fresh=True)

    assert everything_in(store) == before


def test_without_links_files_are_copied(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some file systems have none."""

    def refuse(self: Path, other: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    store = engine.home.store_dir(clone(engine))

    assert not _linked(store)
    assert open_active(store).notices == ()


def _linked(store: Path) -> bool:
    tables = store
    return any(path.stat().st_nlink > 1 for path in tables.rglob("*") if path.is_file())


def test_an_existing_store_is_never_replaced(engine: Engine) -> None:
    """A store is no clone of itself or of nothing either."""
    clone(engine)

    with pytest.raises(InvalidRequest, match="exists"):
        clone(engine)

    with pytest.raises(InvalidRequest, match="itself"):
        clone(engine, "")
    with pytest.raises(InvalidRequest, match="no store"):
        clone_store(
            engine.home, engine.identity.store_id + "-x", engine.identity.store_id, Settings()
        )


@pytest.mark.parametrize(
    ("target", "output"),
    [
        ("shop-0123456789ab-000000000000", "configuration"),
        ("../x", "invalid store id"),
        (".trash-x", "invalid store id"),
        ("", "invalid store id"),
    ],
)
def test_a_clone_has_its_sources_configuration(engine: Engine, target: str, output: str) -> None:
    with pytest.raises(InvalidRequest, match=output):
        clone_store(engine.home, engine.identity.store_id, target, Settings())


def test_a_store_of_the_first_schema_is_cloned(home: Path) -> None:
    store = schema_1_store(home)
    clone_store(Home(home), store.name, f"{store.name}-eval", Settings())
    copy = home / "data" / f"{store.name}-eval"

    assert open_active(copy).live_files() == open_active(store).live_files()


def test_a_damaged_store_is_not_cloned(engine: Engine) -> None:
    """The clone would call an older state the active one."""
    manifest = engine.view().manifest
    shutil.rmtree(store_files.table_dir(engine.identity.store, manifest.segments[-1].table))
    with pytest.raises(CorruptStore):
        clone(engine)

    assert len(list_stores(engine.home)) == 1
    assert [path.name for path in engine.home.data.iterdir() if path.name[0] == "."] == []


@pytest.mark.parametrize("suffix", ["", "-eval"])
def test_a_clone_waits_for_writers_of_either_store(engine: Engine, suffix: str) -> None:
    """A source that changes under the copy, or a target that a sync creates."""
    store = engine.home.store_dir(StoreId(engine.identity.store_id + suffix))
    with held_lease(store, engine.clock), pytest.raises(Busy, match="is writing"):
        clone(engine)

    assert len(list_stores(engine.home)) == 1


def test_a_clone_names_another_root_once_it_is_synced(engine: Engine, tmp_path: Path) -> None:
    """Until then nobody knows it, and the source's would be wrong."""
    write_tree(tmp_path / "other", {"a.py": "retry = 1\n", "b.py": "queue = 3\n"})
    other = open_engine(tmp_path / "other", engine.home.base, encoder="none")
    source, target = engine.identity.store_id, other.identity.store_id
    clone_store(engine.home, source, target, Settings())
    (entry,) = (entry for entry in list_stores(engine.home) if entry.store_id == target)
    assert (entry.canonical_root, entry.root_exists) == (None, None)
    report = other.sync()

    assert (report.published, report.files.indexed) == (True, 0)
    assert other.view().manifest.canonical_root == str(tmp_path / "other")
    assert not other.sync().published


@pytest.mark.slow
@pytest.mark.parametrize("point", ["clone.after_copy", "clone.before_move"])
def test_a_clone_that_is_killed_leaves_none(engine: Engine, point: str) -> None:
    """The remains beside the stores are collected."""
    target = engine.home.store_dir(StoreId(engine.identity.store_id + "-eval"))
    _kill_at(point, lambda: clone(engine))
    assert not target.exists()
    report = collect_stores(engine.home, Settings(), current=engine.identity.store_id, force=True)

    assert {item.reason for item in report.deleted} <= {REMAINS}
    assert all(not path.name.startswith(".") for path in engine.home.data.iterdir())
    assert clone(engine) == target.name


def _kill_at(point: str, act: object) -> None:
    """Run in a process of its own that ends at a point without any cleaning up."""
    child = os.fork()
    if child == 0:
        try:
            with durable.watched(lambda reached: os._exit(9) if reached == point else None):
                act()  # type: ignore[operator] # whatever is given is called
        except GgrepError:
            os._exit(3)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in {0, 9}
