"""Tables stay open as long as somebody is to read them, and no longer."""

from pathlib import Path

import pytest

from ggrep.base.ids import SegmentName
from ggrep.index.store import tables
from ggrep.index.store.open_tables import OpenTables
from ggrep.index.store.rows import to_batch
from ggrep.index.store.tables import write_table
from tests.fakes.repos import open_engine, paths, write_tree

A, B, C = (SegmentName(f"seg_{name}_0") for name in "abc")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return where three tables lie."""
    for segment in (A, B, C):
        write_table(tmp_path, segment, [to_batch([], None, None)])
    return tmp_path


@pytest.fixture
def shared_tables(monkeypatch: pytest.MonkeyPatch) -> OpenTables:
    """Return the tables that this process holds from here on: none yet."""
    held = OpenTables()
    monkeypatch.setattr(tables, "_TABLES", held)
    return held


def test_a_table_is_opened_once(store: Path) -> None:
    """Opening costs as much as a read."""
    held = OpenTables()

    assert held.open(store, A) is held.open(store, A)


def test_of_too_many_the_one_that_was_read_longest_ago_is_closed(store: Path) -> None:
    """However many stores a process carries, it holds no more."""
    held = OpenTables(2)
    a, b = held.open(store, A), held.open(store, B)
    held.open(store, A)
    held.open(store, C)

    assert len(held) == 2
    assert held.open(store, A) is a
    assert held.open(store, B) is not b


def test_closing_is_of_one_store_and_spares_what_is_named(store: Path, tmp_path: Path) -> None:
    """A publish in one repository costs another nothing."""
    other = tmp_path / "other"
    write_table(other, A, [to_batch([], None, None)])
    held = OpenTables()
    first, kept, elsewhere = held.open(store, A), held.open(store, B), held.open(other, A)
    held.close(store, but={B})

    assert held.open(store, B) is kept
    assert held.open(other, A) is elsewhere
    assert held.open(store, A) is not first
    assert first.count_rows() == 0


def test_a_new_snapshot_closes_the_tables_that_it_does_not_show(
    root: Path, home: Path, shared_tables: OpenTables
) -> None:
    """Each publish would leave one more."""
    write_tree(root, {"a.py": "def retry():\n    pass\n"})
    engine = open_engine(root, home)
    for number in range(4):
        write_tree(root, {"a.py": f"def retry():\n    return {number}\n"})
        engine.sync()
        paths(engine, "retry")

    assert len(shared_tables) == len(engine.view().segments)
    engine.close()
    assert len(shared_tables) == 0
    assert paths(engine, "retry") == ["a.py"]
