"""A receipt's question asked again: over its snapshot, or over what there is."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest, NoIndex
from ggrep.base.ids import SnapshotId
from ggrep.base.stable_json import Json
from ggrep.config import store_files
from ggrep.model.receipt import ReplayDifference, ReplayResult
from ggrep.search.engine import receipts
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.receipts import MOST_DIFFERENCES, differences
from tests.fakes.receipts import AFTER, BEFORE, receipt_of, replayed, told
from tests.fakes.repos import indexed, open_engine, write_tree


@pytest.fixture
def engine(root: Path, home: Path) -> Engine:
    """Return an engine over the tree before the edit."""
    return indexed(root, home, BEFORE, encoder="none")


def edit(engine: Engine) -> None:
    write_tree(engine.identity.root, AFTER)
    engine.sync()


def remove(engine: Engine, snapshot_id: str) -> None:
    store_files.manifest_file(engine.identity.store, SnapshotId(snapshot_id)).unlink()


def test_a_receipt_of_the_newest_snapshot_is_reproduced(engine: Engine) -> None:
    """Receipts of one state are equal, and cannot lift the caps: they come from anywhere."""
    assert receipt_of(engine) == receipt_of(engine)

    assert replayed(engine, receipt_of(engine), today=True).is_reproduced

    receipt = receipt_of(engine)
    greedy = replace(receipt, budgets=(("max_query_results", 10**9),))

    with pytest.raises(InvalidRequest, match="max_query_results"):
        replayed(engine, greedy)


def test_the_same_bytes_come_after_edits_while_the_snapshot_lives(engine: Engine) -> None:
    """An answer can be shown to be what it was said to be."""
    receipt = receipt_of(engine)
    edit(engine)
    result = replayed(engine, receipt)

    assert result.outcome is ReplayResult.REPRODUCED
    assert (result.changes, result.differing, result.new_hits) == ((), 0, ())
    assert {fate for fate, _ in told(result).values()} == {"same"}


def test_the_newest_snapshot_tells_what_became_of_each_hit(engine: Engine) -> None:
    receipt = receipt_of(engine)
    edit(engine)
    result = replayed(engine, receipt, today=True)

    assert result.outcome is ReplayResult.NEWER_SNAPSHOT
    assert told(result) == {
        "edited.py": ("edited", "edited.py:4"),
        "gone.md": ("gone", ""),
        "moved.py": ("moved", "deeper/moved.py:1"),
        "same.py": ("same", "same.py:1"),
        "shifted.py": ("moved", "shifted.py:5"),
    }
    assert [item.path for item in result.new_hits] == ["new.py"]
    assert not result.same_hits


def test_a_snapshot_that_is_gone_is_told(engine: Engine) -> None:
    """The answer of now must not pass for the one that was given."""
    receipt = receipt_of(engine)
    edit(engine)
    remove(engine, receipt.origin.snapshot_id)
    result = replayed(engine, receipt)

    assert result.outcome is ReplayResult.SNAPSHOT_GONE
    assert {change.what for change in result.changes} == {"snapshot_id"}
    assert told(result)["moved.py"] == ("moved", "deeper/moved.py:1")


def test_the_budgets_of_the_receipt_hold(engine: Engine) -> None:
    """Settings that changed since must not change the answer."""
    receipt = receipt_of(engine)
    flags = {"encoder": "none", "max_query_results": 1}
    narrow = open_engine(engine.identity.root, engine.home.base, **flags)

    assert len(narrow.search(receipt.question).hits) == 1
    assert replayed(narrow, receipt).is_reproduced


def test_another_ranking_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upgrade that ranks anew is seen in figures."""
    receipt = receipt_of(engine)
    monkeypatch.setattr("ggrep.search.engine.query_answers.RANKING_REVISION", "ranking-next")
    result = replayed(engine, receipt)

    assert result.outcome is ReplayResult.DIFFERS
    assert [change.what for change in result.changes] == ["query_fingerprint"]
    assert [item.place for item in result.differences] == ["$.query_fingerprint", "$.request_id"]
    assert result.same_hits


def test_a_long_answer_is_kept_as_digest(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A receipt stays small enough to be read."""
    monkeypatch.setattr(receipts, "MAX_ANSWER_BYTES", 10)
    receipt = receipt_of(engine)
    told_lie = replace(receipt, origin=replace(receipt.origin, answer_sha256="0" * 64))

    assert receipt.answer is None
    assert replayed(engine, receipt).is_reproduced
    assert replayed(engine, told_lie).outcome is ReplayResult.DIFFERS


def test_another_store_of_the_repository_is_told(engine: Engine) -> None:
    """Other settings make another index; its snapshots are others too."""
    receipt = receipt_of(engine)
    flags = {"encoder": "none", "max_chunks_per_file": 7}
    other = open_engine(engine.identity.root, engine.home.base, **flags)
    other.sync()
    result = replayed(other, receipt)

    assert result.outcome is ReplayResult.OTHER_STORE
    assert {"store_id", "snapshot_id", "config_fingerprint"} <= {x.what for x in result.changes}
    assert result.same_hits


def test_a_copy_is_another_repository_with_the_same_hits(engine: Engine, tmp_path: Path) -> None:
    """A colleague's checkout has other names and the same text."""
    receipt = receipt_of(engine)
    copy = tmp_path.resolve() / "copy"
    write_tree(copy, BEFORE)
    other = open_engine(copy, engine.home.base, encoder="none")
    other.sync()
    result = replayed(other, receipt)

    assert result.outcome is ReplayResult.OTHER_REPOSITORY
    assert result.same_hits
    assert {fate for fate, _ in told(result).values()} == {"same"}


def test_a_repository_without_an_index_fails(engine: Engine, tmp_path: Path, home: Path) -> None:
    """Nothing was reproduced, and nothing was refuted."""
    receipt = receipt_of(engine)
    bare = tmp_path.resolve() / "bare"
    bare.mkdir()

    with pytest.raises(NoIndex):
        replayed(open_engine(bare, home, encoder="none"), receipt)


@pytest.mark.parametrize(
    ("was", "now", "result"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ("$.a[1].b", "2", "3")),
        ({"a": 1}, {}, ("$.a", "1", None)),
        ({}, {"a": None}, ("$.a", None, "null")),
        ([1], [1, 2], ("$[1]", None, "2")),
        ({"a": 1}, {"a": True}, ("$.a", "1", "true")),
        ({"a": 1}, {"a": 1.0}, ("$.a", "1", "1.0")),
        ({"a": [1]}, {"a": {"b": 1}}, ("$.a", "[1]", '{"b":1}')),
    ],
)
def test_the_place_is_the_deepest_that_differs(
    was: Json, now: Json, result: tuple[str, str | None, str | None]
) -> None:
    assert differences(was, now) == ([ReplayDifference(*result)], 1)


def test_equal_documents_do_not_differ_and_long_differences_are_cut() -> None:
    """In whatever order their keys stand; a hit more at the top moves all others."""
    assert differences({"a": 1, "b": [0.1]}, {"b": [0.1], "a": 1}) == ([], 0)

    shown, count = differences([*range(40)], [*range(1, 41)])

    assert (len(shown), count) == (MOST_DIFFERENCES, 40)

    (shown,), _ = differences("x" * 1000, "y")

    assert shown.was is not None
    assert len(shown.was) <= 160
