"""Which fate a chunk that was seen before has."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.model.receipt import ReceiptHit
from ggrep.search.engine.engine import Engine
from ggrep.search.query.relocate import whereabouts
from tests.fakes.receipts import receipt_of
from tests.fakes.repos import indexed, write_tree

TWO = "def first_needle():\n    return 1\n\n\ndef second_needle():\n    return 2\n"


@pytest.fixture
def engine(root: Path, home: Path) -> Engine:
    """Return an engine over a file of two functions."""
    return indexed(root, home, {"a.py": TWO}, encoder="none")


def hit_of(engine: Engine, name: str) -> ReceiptHit:
    """Return the hit of a function."""
    (hit,) = [hit for hit in receipt_of(engine).hits if hit.name == name]
    return hit


def found(engine: Engine, *hits: ReceiptHit) -> list[tuple[str, str]]:
    """Return fate and place of hits in the active snapshot."""
    shown = []
    never = Deadline.never(engine.clock)
    for item in whereabouts(engine.view(), hits, never):
        place = item.place
        shown.append((item.fate.value, f"{place.path}:{place.start_line}" if place else ""))
    return shown


def publish(engine: Engine, **files: str | None) -> None:
    """Write Python files and publish them."""
    write_tree(engine.identity.root, {f"{name}.py": text for name, text in files.items()})
    engine.sync()


def test_hits_of_one_file_are_told_apart(engine: Engine) -> None:
    """What is below an edit has moved, what is edited was edited."""
    hits = [hit_of(engine, name) for name in ("first_needle", "second_needle")]
    publish(engine, a=TWO.replace("return 1", "more = 1\n    return more"))

    assert found(engine, *hits) == [("edited", "a.py:1"), ("moved", "a.py:6")]


def test_a_copy_in_the_same_file_is_nearer_than_one_elsewhere(engine: Engine) -> None:
    """The text that stayed in its file is the one that was meant."""
    hit = hit_of(engine, "second_needle")
    second = "def second_needle():\n    return 2\n"
    publish(engine, a="NUMBER = 7\n\n\n" + second, aa=second)

    assert found(engine, hit) == [("moved", "a.py:4")]


def test_a_copy_in_a_file_of_the_same_name_is_nearer_than_others(engine: Engine) -> None:
    """Files are moved to other directories more often than their parts to other files."""
    hit = hit_of(engine, "second_needle")
    write_tree(engine.identity.root, {"a.py": None, "0.py": TWO, "z/a.py": TWO})
    engine.sync()

    assert found(engine, hit) == [("moved", "z/a.py:5")]


def test_another_name_at_the_same_lines_is_an_edit(engine: Engine) -> None:
    """A function that was renamed is where it was."""
    hit = hit_of(engine, "second_needle")
    publish(engine, a=TWO.replace("second_needle", "other_needle"))

    assert found(engine, hit) == [("edited", "a.py:5")]


def test_lines_that_hold_nothing_any_more_are_gone(engine: Engine) -> None:
    """The file is there, and shorter."""
    hit = hit_of(engine, "second_needle")
    publish(engine, a=TWO.split("\n\n\n", maxsplit=1)[0] + "\n")

    assert found(engine, hit) == [("gone", "")]


def test_a_file_that_is_hidden_is_not_looked_into(engine: Engine) -> None:
    """Rows of older segments lie there until they are compacted away."""
    publish(engine, a=TWO.replace("return 1", "return 11"), b=TWO.replace("needle", "thread"))
    hit = hit_of(engine, "first_needle")
    publish(engine, a=None)

    assert any(not segment.visible_files.all() for segment in engine.view().segments)
    assert found(engine, hit) == [("gone", "")]


def test_a_path_that_names_nothing_is_gone(engine: Engine) -> None:
    """Receipts come from anywhere; none of their paths is opened."""
    hit = hit_of(engine, "first_needle")
    strange = replace(hit, row_id="0" * 64, chunk_id="1" * 64, path="../../etc/passwd")

    assert found(engine, strange) == [("gone", "")]


def test_no_hits_are_nowhere(engine: Engine) -> None:
    """An answer without hits has a receipt too."""
    assert found(engine) == []
