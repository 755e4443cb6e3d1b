"""Which stores of a home go, and which stay whatever happens."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.ids import StoreId
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.maintenance.inventory import (
    NEVER_PUBLISHED,
    REMAINS,
    ROOT_GONE,
    UNUSED,
    StoresReport,
    collect_stores,
    list_stores,
)
from ggrep.index.store.last_used import note_use
from tests.fakes.clocks import ManualClock
from tests.fakes.leases import held_lease
from tests.fakes.old_stores import everything_in
from tests.fakes.repos import indexed
from tests.golden.documents import START

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
    """And says what became free."""
    path = store(home, OLD, days=31)
    report = collect(home, force=True)

    assert [item.store_id for item in report.deleted] == [OLD]
    assert not path.exists()
    assert list_stores(Home(home)) == ()
    assert found(collect(home)) == {}


def test_the_store_of_the_current_root_stays(home: Path) -> None:
    """Somebody stands in it."""
    store(home, OLD, days=900)

    assert found(collect(home, force=True, current=OLD)) == {}


def test_a_store_in_use_is_named_and_kept(home: Path) -> None:
    """Nobody waits for it: the next collection will find it."""
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


def test_a_store_that_was_used_since_the_list_is_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    """Of a removal, a clone and a rebuild that died; never those at work."""
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
