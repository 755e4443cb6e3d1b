"""`index --reset`: the old index answers until the new one is published, and goes then."""

from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.clock import Deadline
from ggrep.base.errors import CorruptStore, StoreError, SyncRefused
from ggrep.base.locks import Patience, shared
from ggrep.config import store_files
from ggrep.index.maintenance.collection import collect_garbage
from ggrep.index.store.disk import store_bytes
from ggrep.model.request import SearchRequest
from tests.fakes.repos import answer_bytes, indexed, open_engine, paths, write_tree

ASK = SearchRequest("retry queue", deterministic=True, keep_weak=True)
POINTS = ["publish.after_table", "rebuild.before_adoption", "rebuild.after_adoption"]
POINTS += ["publish.after_manifest", "publish.before_swap"]


class Death(Exception):
    """The process is gone."""


def dying_at(point: str, patch: pytest.MonkeyPatch) -> durable.Hook:
    """Return what ends a reset at a point, with all it would have cleaned up."""

    def die(reached: str) -> None:
        if reached == point:
            patch.setattr("shutil.rmtree", lambda *_, **__: None)
            raise Death

    return die


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_a_reset_that_dies_leaves_the_old_index(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """An index of an hour's work must not be lost to an interrupted wish for a fresh one."""
    indexed(root, home, {"a.py": "retry = 1\n", "b.py": "queue = 2\n"})
    before = answer_bytes(open_engine(root, home), ASK)
    write_tree(root, {"a.py": None, "c.py": "retry = 3\n"})
    with (
        monkeypatch.context() as patch,
        durable.watched(dying_at(point, patch)),
        pytest.raises(Death),
    ):
        open_engine(root, home).sync(fresh=True)

    assert answer_bytes(open_engine(root, home), ASK) == before
    remains = [path for path in (home / "data").iterdir() if path.name[0] == "."]
    assert [store_files.store_of_remains(path) is not None for path in remains] == [True]
    open_engine(root, home).sync(fresh=True)
    assert [path.name for path in (home / "data").iterdir() if path.name[0] == "."] == []
    assert paths(open_engine(root, home), "retry") == ["c.py"]


@pytest.mark.slow
def test_what_a_reset_took_over_is_verified_before_it_is_shown(root: Path, home: Path) -> None:
    """A disk that loses bytes must cost this reset, not the index."""
    engine = indexed(root, home, {"a.py": "retry = 1\n", "b.py": "queue = 2\n"})
    before, store = answer_bytes(engine, ASK), engine.identity.store
    old = set(store_files.images_dir(store).iterdir())
    write_tree(root, {"a.py": None, "c.py": "retry = 3\n"})

    def lose_bytes(point: str) -> None:
        if point == "rebuild.after_adoption":
            for image in set(store_files.images_dir(store).iterdir()) - old:
                image.write_bytes(b"")

    with durable.watched(lose_bytes), pytest.raises(CorruptStore):
        engine.sync(fresh=True)

    view = open_engine(root, home).view()
    assert view.notices == ()
    assert answer_bytes(open_engine(root, home), ASK) == before


@pytest.mark.slow
def test_portions_of_a_reset_are_not_shown(root: Path, home: Path) -> None:
    """The first of them holds a few files: an answer from it would miss nearly all."""
    engine = indexed(
        root,
        home,
        {f"{n}.py": f"retry{n} = 1\n" + "x = 1\n" * 200 for n in range(4)},
        max_bytes_per_sync=2000,
    )
    old = engine.view().manifest.snapshot_id
    seen = set()

    def look(point: str) -> None:
        seen.add(open_engine(root, home, max_bytes_per_sync=2000).view().manifest.snapshot_id)

    with durable.watched(lambda p: look(p) if p == "publish.after_table" else None):
        report = engine.sync(fresh=True)

    assert seen == {old}
    assert report.snapshot_id == engine.view().manifest.snapshot_id
    assert not engine.view().manifest.partial


@pytest.mark.slow
def test_a_reset_leaves_nothing_of_the_old_index(root: Path, home: Path) -> None:
    write_tree(root, {"a.py": "retry = 1\n"})
    engine = open_engine(root, home)
    for number in range(3):
        write_tree(root, {f"b{number}.py": "queue = 2\n" * 50})
        engine.sync()
    used = store_bytes(engine.identity.store)
    write_tree(root, {f"b{number}.py": None for number in range(3)})
    report = engine.sync(fresh=True)

    assert store_bytes(engine.identity.store) < used / 2
    assert len(list(store_files.snapshots_dir(engine.identity.store).glob("*/manifest.json"))) == 1
    assert sorted(path.name for path in (home / "data").iterdir()) == [engine.identity.store_id]
    assert report.files.indexed == 1
    assert not engine.sync().published


@pytest.mark.slow
def test_a_reset_leaves_files_that_a_query_reads(root: Path, home: Path) -> None:
    engine = indexed(root, home, {"a.py": "retry = 1\n"})
    reader = open_engine(root, home)
    with reader.pin(Deadline.never(reader.clock)) as view:
        engine.sync(fresh=True)
        table = store_files.table_dir(engine.identity.store, view.manifest.segments[0].table)

        assert table.is_dir()


@pytest.mark.slow
def test_a_store_damaged_beyond_opening_is_reset(root: Path, home: Path) -> None:
    engine = indexed(root, home, {"a.py": "retry = 1\n"})
    store_files.active_file(engine.identity.store).write_bytes(b"rubbish")
    for manifest in store_files.snapshots_dir(engine.identity.store).glob("*/manifest.json"):
        manifest.write_bytes(b"{")
    store_files.index_state_file(engine.identity.store).write_bytes(b'{"schema_version": 99}')
    with pytest.raises(StoreError):
        engine.search(ASK)
    engine.sync(fresh=True)

    assert paths(open_engine(root, home), "retry") == ["a.py"]


def test_a_refused_reset_leaves_the_old_index(root: Path, home: Path) -> None:
    engine = indexed(root, home, {"a.py": "retry = 1\n"}, portable_paths=True)
    write_tree(root, {"A.py": "retry = 2\n"})
    with pytest.raises(SyncRefused):
        engine.sync(fresh=True)

    assert paths(open_engine(root, home), "retry") == ["a.py"]
    assert sorted(path.name for path in (home / "data").iterdir()) == [engine.identity.store_id]


def test_a_reset_of_nothing_is_an_index(root: Path, home: Path) -> None:
    """Scripts reset without looking first."""
    write_tree(root, {"a.py": "retry = 1\n"})
    open_engine(root, home).sync(fresh=True)

    assert paths(open_engine(root, home), "retry") == ["a.py"]


@pytest.mark.slow
def test_a_reset_is_not_hashed(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one would have to hash a large store within its deadline."""
    engine = indexed(root, home, {"a.py": "retry = 1\n"})
    engine.sync(fresh=True)
    monkeypatch.setattr("ggrep.index.store.verify.measure_table", lambda *_: pytest.fail("hashed"))

    assert paths(open_engine(root, home), "retry") == ["a.py"]


@pytest.mark.slow
def test_remains_fail_no_reset(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new index is published by then; a collection takes the rest."""
    engine = indexed(root, home, {"a.py": "retry = 1\n"})
    store, seen = engine.identity.store, []

    def resist(path: Path, ignore_errors: bool = False) -> None:
        within = Patience(Deadline.after(engine.clock, 0), lambda _: None)
        with shared(store_files.readers_lock(store), within):
            seen.append(path.parent.name)
        if not ignore_errors:
            raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", resist)
        report = engine.sync(fresh=True)

    assert report.published
    assert store_files.store_trash_dir(store).name in seen
    assert [path.name for path in store_files.snapshots_dir(store).iterdir()] == [
        report.snapshot_id
    ]
    with engine.target() as target:
        collect_garbage(target, deadline=Deadline.after(target.clock, 0))
    assert list(store_files.store_trash_dir(store).iterdir()) == []
