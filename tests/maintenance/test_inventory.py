"""Removal of stores while others use them."""

from datetime import timedelta
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, InvalidRequest, NoIndex
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.maintenance import inventory
from ggrep.index.maintenance.inventory import list_stores, remove_store
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.last_used import note_use
from ggrep.model.request import SearchRequest
from tests.fakes.clocks import ManualClock
from tests.fakes.leases import held_lease
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


def test_a_removal_that_died_leaves_no_index(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    held = engine.view()
    remove(home, engine.identity.store_id)
    home.joinpath("data", engine.identity.store_id).mkdir()
    engine._snapshots.view = lambda *_: held  # type: ignore[method-assign] # as of such a query

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
    """What nobody needs any more stands at the end."""
    for number, name in enumerate(("b", "a", "c")):
        store = home / "data" / name
        store.mkdir(parents=True)
        note_use(store, START + timedelta(days=4000 - number // 2))

    assert [entry.store_id for entry in list_stores(Home(home))] == ["a", "b", "c"]


def test_a_list_tells_of_a_root_that_is_gone(root: Path, home: Path) -> None:
    """Its store serves nobody."""
    indexed(root, home, {"a.py": "x = 1\n"})
    (before,) = list_stores(Home(home))
    root.rename(root.with_name("elsewhere"))
    (after,) = list_stores(Home(home))

    assert (before.root_exists, after.root_exists) == (True, False)


def test_a_store_that_cannot_be_looked_at_hides_no_other(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its row says so; the others are as they are."""
    engine = indexed(root, home, {"a.py": "x = 1\n"})
    (home / "data" / "closed").mkdir()
    measure = inventory.store_bytes

    def refuse(directory: Path) -> int:
        if directory.name == "closed":
            raise PermissionError(13, "Permission denied", str(directory))
        return measure(directory)

    monkeypatch.setattr(inventory, "store_bytes", refuse)
    found = {entry.store_id: entry.problem for entry in list_stores(Home(home))}

    assert found == {engine.identity.store_id: None, "closed": "cannot be read: Permission denied"}
