"""Which stores of a home are listed, collected and removed while others use them."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, InvalidRequest, NoIndex
from ggrep.base.ids import StoreId
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.maintenance import inventory
from ggrep.index.maintenance.inventory import (
    NEVER_PUBLISHED,
    REMAINS,
    ROOT_GONE,
    UNUSED,
    StoresReport,
    collect_stores,
    list_stores,
    remove_store,
)
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.last_used import note_use
from ggrep.model.request import SearchRequest
from tests.fakes.clocks import ManualClock
from tests.fakes.leases import held_lease
from tests.fakes.old_stores import everything_in
from tests.fakes.repos import indexed, open_engine, write_tree
from tests.golden.documents import START


def remove(home: Path, store_id: str) -> int:
    clock = ManualClock(START)
    return remove_store(Home(home), store_id, clock=clock, wait=lambda s: clock.advance(1000 * s))


def test_a_removed_store_leaves_its_locks_and_its_epoch(root: Path, home: Path) -> None:
    """A guard that went with the store would let two writers in, and an epoch unfence one."""
    engine = indexed(root, home, {"a.py": "x = 1\n"})
    files = store_files.lease_files(engine.identity.store)
    guard = files.guard.stat().st_ino
    assert remove(home, engine.identity.store_id) > 0
    engine.sync()

    assert files.guard.stat().st_ino == guard
    assert engine.view().manifest.snapshot_id
    manifest = open_engine(root, home).view().manifest
    assert manifest.lease_epoch == 3, "the removal was a writer too"


def test_a_store_is_not_removed_under_a_query_or_a_writer(root: Path, home: Path) -> None:
    """Nor once it was used after the list was made."""
    engine = indexed(root, home, {"a.py": "retry = 1\n"})
    with engine.pin(Deadline.never(engine.clock)), pytest.raises(Busy, match="query"):
        remove(home, engine.identity.store_id)

    assert len(engine.search(SearchRequest("retry")).hits) == 1

    with (
        held_lease(engine.identity.store, engine.clock),
        pytest.raises(Busy, match="is writing"),
    ):
        remove(home, engine.identity.store_id)

    assert engine.identity.store.is_dir()

    with pytest.raises(Busy, match="has just used"):
        remove_store(Home(home), engine.identity.store_id, wanted=lambda: False)

    assert engine.identity.store.is_dir()


def test_a_dead_removal_is_whole(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a store must neither answer nor be listed; the next removal takes its remains."""
    engine = indexed(root, home, {"a.py": "retry = 1\n"})

    def die(_: Path) -> None:
        raise OSError("died")

    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", die)
        with pytest.raises(OSError, match="died"):
            remove(home, engine.identity.store_id)

    assert list_stores(Home(home)) == ()
    with pytest.raises(NoIndex):
        engine.search(SearchRequest("retry"))
    with pytest.raises(InvalidRequest):
        remove(home, store_files.trash_dir(engine.identity.store, 1).name)
    engine.sync()
    remove(home, engine.identity.store_id)
    assert list(Home(home).data.iterdir()) == []


def test_a_held_view_of_a_removed_store_still_answers(root: Path, home: Path) -> None:
    """A query that began before the removal has all of it mapped."""
    engine = indexed(root, home, {"a.py": "retry = 1\n"})
    kept = engine.view()
    remove(home, engine.identity.store_id)
    home.joinpath("data", engine.identity.store_id).mkdir()
    engine._snapshots.view = lambda *_: kept  # type: ignore[method-assign] # as of such a query

    assert [hit.content for hit in engine.search(SearchRequest("retry")).hits] == ["retry = 1"]


def test_sizes_are_told_while_files_vanish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ggrep list` during a sync crashed over a temporary file."""
    write_tree(tmp_path, {"a": "12345", "d/b": "678"})
    (tmp_path / "dangling").symlink_to("nowhere")
    plain = store_bytes(tmp_path)

    assert plain >= 8
    assert store_bytes(tmp_path / "none") == 0
    monkeypatch.setattr("ggrep.index.store.disk._size", lambda entry: 0)
    assert store_bytes(tmp_path) == 0


def test_stores_are_listed_by_their_last_use(root: Path, home: Path) -> None:
    for number, name in enumerate(("b", "a", "c")):
        store = home / "data" / name
        store.mkdir(parents=True)
        note_use(store, START + timedelta(days=4000 - number // 2))

    assert [entry.store_id for entry in list_stores(Home(home))] == ["a", "b", "c"]


def test_a_list_tells_of_a_root_that_is_gone(root: Path, home: Path) -> None:
    indexed(root, home, {"a.py": "x = 1\n"})
    (before,) = list_stores(Home(home))
    root.rename(root.with_name("elsewhere"))
    (after,) = list_stores(Home(home))

    assert (before.root_exists, after.root_exists) == (True, False)


def test_a_closed_store_is_listed(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its row says so; the others are as they are."""
    engine = indexed(root, home, {"a.py": "x = 1\n"})
    (home / "data" / "closed").mkdir()
    measure = inventory.store_bytes

    def refuse(directory: Path) -> int:
        if directory.name == "closed":
            raise PermissionError(13, "Permission denied", str(directory))
        return measure(directory)

    monkeypatch.setattr(inventory, "store_bytes", refuse)
    results = {entry.store_id: entry.problem for entry in list_stores(Home(home))}

    assert results == {
        engine.identity.store_id: None,
        "closed": "cannot be read: Permission denied",
    }


NOW = START + timedelta(days=400)
OLD = "old-0123456789ab-0123456789ab"


def store(home: Path, name: str, *, days: float, used: float | None = None) -> Path:
    """Make a store that was never published, so many days old."""
    path = home / "data" / name
    path.mkdir(parents=True)
    if used is not None:
        note_use(path, NOW - timedelta(days=used))
    moment = (NOW - timedelta(days=days)).timestamp()
    os.utime(path, (moment, moment))
    return path


def collect(home: Path, *, force: bool = False, current: str | None = None) -> StoresReport:
    clock = ManualClock(NOW)
    return collect_stores(
        Home(home),
        Settings(store_gc_days=30),
        current=StoreId(current) if current else None,
        force=force,
        clock=clock,
        wait=lambda seconds: clock.advance(1000 * seconds),
    )


def found(report: StoresReport) -> dict[str, str]:
    return {item.store_id: item.reason for item in report.candidates}


def age(path: Path, days: float) -> None:
    moment = (NOW - timedelta(days=days)).timestamp()
    for file in (path, *path.rglob("*")):
        os.utime(file, (moment, moment))


def test_a_dry_run_names_what_nobody_used_and_writes_nothing(home: Path) -> None:
    """Deleting is for those who have read the list."""
    store(home, OLD, days=31)
    store(home, "new-0123456789ab-0123456789ab", days=29)
    before = everything_in(home)
    report = collect(home)

    assert found(report) == {OLD: NEVER_PUBLISHED}
    assert (report.dry_run, report.deleted) == (True, ())
    assert everything_in(home) == before
    assert not (home / "locks").exists()


def test_a_store_whose_root_is_gone_says_so(root: Path, home: Path) -> None:
    """It is the surest of all candidates, once it is old."""
    engine = indexed(root, home, {"a.py": "x = 1\n"}, encoder="none")
    age(engine.identity.store, 60)
    note_use(engine.identity.store, NOW - timedelta(days=60))
    store_files.last_used_file(engine.identity.store).write_bytes(b"rubbish")
    assert found(collect(home)) == {engine.identity.store_id: UNUSED}
    root.rename(root.with_name("elsewhere"))

    assert found(collect(home)) == {engine.identity.store_id: ROOT_GONE}
    age(engine.identity.store, 1)
    assert found(collect(home)) == {}


def test_force_deletes(home: Path) -> None:
    path = store(home, OLD, days=31)
    report = collect(home, force=True)

    assert [item.store_id for item in report.deleted] == [OLD]
    assert not path.exists()
    assert list_stores(Home(home)) == ()
    assert found(collect(home)) == {}


def test_the_store_of_the_current_root_stays(home: Path) -> None:
    store(home, OLD, days=900)

    assert found(collect(home, force=True, current=OLD)) == {}


def test_a_store_in_use_is_named_and_kept(home: Path) -> None:
    path = store(home, OLD, days=31)
    with held_lease(path, ManualClock(NOW)):
        report = collect(home, force=True)

    assert [(item.store_id, item.error.code) for item in report.refused] == [(OLD, "busy")]
    assert path.exists()


def test_a_store_that_is_searched_meanwhile_is_kept(root: Path, home: Path) -> None:
    """Between the list and the deletion somebody may come back to it."""
    engine = indexed(root, home, {"a.py": "x = 1\n"}, encoder="none")
    age(engine.identity.store, 60)
    store_files.last_used_file(engine.identity.store).unlink()
    with engine.pin(Deadline.never(engine.clock)):
        store_files.last_used_file(engine.identity.store).unlink()
        age(engine.identity.store, 60)
        report = collect(home, force=True)

    assert [item.error.code for item in report.refused] == ["busy"]
    assert engine.identity.store.is_dir()


def test_a_store_used_since_then_is_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last look is taken when nobody can use it any more."""
    path = store(home, OLD, days=31)

    def use(*_: object) -> None:
        note_use(path, NOW)

    monkeypatch.setattr("ggrep.index.maintenance.inventory.sweep_remains", use)
    report = collect(home, force=True)

    assert [str(item.error) for item in report.refused] == [
        "another process has just used this store, retry after 1000 ms"
    ]
    assert path.is_dir()


def test_remains_go_at_any_age(home: Path) -> None:
    data = home / "data"
    base = data / OLD
    for remains in (
        store_files.trash_dir(base, 1),
        store_files.clone_dir(base, 2),
        store_files.rebuild_dir(base, 2),
    ):
        remains.mkdir(parents=True)
        (remains / "file").write_bytes(b"12345")
    (data / ".someone-elses").mkdir()
    with held_lease(base, ManualClock(NOW)):
        assert collect(home).candidates == ()
    report = collect(home, force=True)

    assert [item.reason for item in report.deleted] == [REMAINS] * 3
    assert {item.size_bytes for item in report.deleted} == {5}
    assert [path.name for path in data.iterdir()] == [".someone-elses"]


def test_use_keeps_a_store(home: Path) -> None:
    """A store that is only searched changes nothing in it but the record of its use."""
    assert collect(home, force=True).candidates == ()
    assert not home.exists()

    store(home, OLD, days=90, used=2)

    assert found(collect(home)) == {}
