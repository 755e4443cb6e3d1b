"""Merging segments shows the same, loses nothing, and undoes no change made meanwhile."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.errors import Busy, CorruptStore, StoreError
from ggrep.config import store_files
from ggrep.index.maintenance import compaction, compaction_policy
from ggrep.index.maintenance.checks import check_health
from ggrep.index.maintenance.compaction import compact
from ggrep.index.maintenance.compaction_policy import overdue
from ggrep.index.sync.index_state import read_index_state
from ggrep.index.sync.snapshot_assembly import write_shown
from ggrep.model.maintenance import CompactionReport
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.built_store import built_once
from tests.fakes.leases import held_lease
from tests.fakes.repos import answer, answer_bytes, indexed, open_engine, write_tree

pytestmark = pytest.mark.slow

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)


def build(root: Path, home: Path) -> None:
    """Make a store of five segments with modified and re-added files."""
    engine = open_engine(root, home)
    write_tree(root, {f"{name}.py": f"def retry_{name}():\n    pass\n" for name in "abcdef"})
    engine.sync()
    write_tree(root, {"a.py": "def queue_a():\n    pass\n", "b.py": None})
    engine.sync()
    write_tree(root, {"b.py": "def queue_b():\n    pass\n", "c.py": None, "empty.py": ""})
    engine.sync()
    write_tree(root, {"c.py": "def retry_c():\n    return 2\n", "g.md": "# Retry\n"})
    engine.sync()
    write_tree(root, {"e.py": "def retry_e():\n    return 3\n"})
    engine.sync()
    assert len(engine.view().segments) == 5


engine = built_once(build)


def run(engine: Engine, *, force: bool = True) -> CompactionReport:
    with engine.target() as target:
        return compact(target, force=force)


def fresh_answer(engine: Engine) -> bytes:
    """Return the answer of a store built from the tree as it is."""
    fresh = open_engine(engine.identity.root, engine.home.base / "fresh")
    fresh.sync()
    return answer_bytes(fresh, ASK)


def again(engine: Engine) -> Engine:
    return open_engine(engine.identity.root, engine.home.base)


def test_answers_stay_the_same(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter by tombstones would lose live rows of files that were modified or added again."""
    before, files = answer_bytes(engine, ASK), engine.view().live_files()
    with monkeypatch.context() as patch:
        patch.setattr(type(engine.encoder), "encode_documents", None)  # vectors are carried
        report = run(engine)

    assert report.performed
    assert (report.segments_before, report.segments_after) == (5, 1)
    assert (report.tombstones_after, report.rows_after) == (
        0,
        engine.view().manifest.counts.chunks_visible,
    )
    assert report.rows_before > report.rows_after
    assert engine.view().live_files() == files
    assert answer_bytes(engine, ASK) == before == fresh_answer(engine)
    assert engine.view().manifest.segments[0].kind == "compacted"
    identity = engine.identity
    assert check_health(identity.store, identity.store_id, engine.settings, deep=True).ok

    tables = list(engine.identity.store.glob("*.lance"))

    assert len(tables) == 6
    assert all(len(list((table / "_versions").glob("*.manifest"))) == 1 for table in tables)

    state = read_index_state(store_files.index_state_file(engine.identity.store))
    assert state is not None

    assert state.active_snapshot_id == engine.view().manifest.snapshot_id
    assert state.upkeep.last_compaction_at is not None
    engine.sync()
    later = read_index_state(store_files.index_state_file(engine.identity.store))
    assert later is not None
    assert later.upkeep == state.upkeep, "a sync keeps it"

    report = run(engine)

    assert not report.performed
    assert report.reason == "nothing to merge"


def test_a_compacted_store_goes_on_like_any_other(engine: Engine) -> None:
    """The next sync hides and adds over the merged segment."""
    run(engine)
    write_tree(engine.identity.root, {"a.py": None, "d.py": "def queue_d():\n    pass\n"})
    report = engine.sync()

    assert (report.files.indexed, report.files.deleted, report.files.unchanged) == (1, 1, 6)
    assert answer_bytes(engine, ASK) == fresh_answer(engine)


def test_tombstones_of_nothing_go_too(root: Path, home: Path) -> None:
    """A clean segment may be left of a store that dropped all others."""
    engine = indexed(root, home, {"a.py": "retry = 1\n"})
    write_tree(root, {"a.py": "retry = 2\n", "b.py": "queue = 1\n"})
    engine.sync()
    write_tree(root, {"b.py": None})
    engine.sync()
    write_tree(root, {"a.py": "retry = 3\n"})
    engine.sync()
    assert len(engine.view().segments) == 1
    report = run(engine)

    assert report.tombstones_after == 0
    assert answer_bytes(engine, ASK) == fresh_answer(engine)
    assert not run(engine).performed


def test_policy_decides_without_force(engine: Engine) -> None:
    """A handful of small segments costs a query less than merging them costs the disk."""
    assert overdue(engine.view(), engine.settings) is not None, "more than a fifth is dead"
    for most in (2, 5):
        settings = replace(engine.settings, compaction_overdue_segments=most)
        assert overdue(engine.view(), settings) == "5 segments"
    calm = open_engine(engine.identity.root, engine.home.base / "calm")
    calm.sync()

    assert overdue(calm.view(), calm.settings) is None
    assert run(calm, force=False).reason == "not overdue"


def test_later_changes_are_kept(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A merge of an old snapshot must not bring deleted and replaced files back."""
    other = again(engine)

    def meanwhile(*arguments: object, **options: object) -> object:
        write_tree(
            engine.identity.root,
            {"a.py": "def queue_new():\n    pass\n", "d.py": None, "n.py": "retry = 1\n"},
        )
        other.sync()
        return write_shown(*arguments, **options)  # type: ignore[arg-type] # handed through

    monkeypatch.setattr(compaction, "write_shown", meanwhile)
    report = run(engine)

    assert report.performed
    assert answer_bytes(engine, ASK) == fresh_answer(engine)
    identity = engine.identity
    assert check_health(identity.store, identity.store_id, engine.settings, deep=True).ok


def test_a_useless_merge_is_gone(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment of dead rows helps nobody; and it must not try for ever."""
    other = again(engine)
    rounds = []

    def meanwhile(*arguments: object, **options: object) -> object:
        rounds.append(None)
        write_tree(
            engine.identity.root, {f"{name}.py": f"x = {len(rounds)}\n" for name in "abcdefg"}
        )
        other.sync()
        return write_shown(*arguments, **options)  # type: ignore[arg-type] # handed through

    monkeypatch.setattr(compaction, "write_shown", meanwhile)
    report = run(engine)

    assert not report.performed
    assert report.reason == "other changes made the merge useless"
    assert len(rounds) == 2
    assert answer_bytes(engine, ASK) == fresh_answer(engine)


def test_an_empty_store_has_nothing_to_merge(root: Path, home: Path) -> None:
    """An empty snapshot has no segment at all."""
    engine = indexed(root, home, {"a.py": "x = 1\n"})
    write_tree(root, {"a.py": None})
    engine.sync()

    assert not run(engine).performed
    assert answer(engine, ASK)["results"] == []


def test_large_stores_keep_some(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment is put together in memory."""
    before = answer_bytes(engine, ASK)
    monkeypatch.setattr(compaction_policy, "MOST_ROWS", 8)
    report = run(engine)

    assert report.performed
    assert 1 < report.segments_after < 5
    assert answer_bytes(engine, ASK) == before
    assert len(list(store_files.images_dir(engine.identity.store).iterdir())) > 0


def tables(engine: Engine) -> set[str]:
    return {path.name for path in engine.identity.store.glob("*.lance")}


def test_what_stands_in_is_not_compacted(engine: Engine) -> None:
    """From then on it would be the active snapshot, and newer files missing without a word."""
    segment = engine.view().manifest.segments[-1].table
    shutil.rmtree(store_files.table_dir(engine.identity.store, segment))
    later = again(engine)
    assert later.view().notices

    with pytest.raises(CorruptStore, match="ggrep repair"):
        run(later)
    assert again(engine).view().notices


def test_an_unpublished_one_goes(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each try would leave a whole segment behind."""
    before = tables(engine)
    with held_lease(engine.identity.store, engine.clock), engine.target() as target:
        monkeypatch.setattr(type(engine.clock), "monotonic_ms", ticking())
        with pytest.raises(Busy):
            compact(target, force=True, lease_ms=10)

    assert tables(engine) == before


def ticking() -> Callable[[object], float]:
    """Return a clock's method by which a deadline passes after some looks."""
    now = [0.0]

    def tick(_: object) -> float:
        now[0] += 1.0
        return now[0]

    return tick


def test_an_overtaken_merge_goes(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "_rebased", lambda *_: None)
    before = tables(engine)

    assert not run(engine).performed
    assert tables(engine) == before


def test_a_late_failure_is_kept(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pointer names what was built."""
    before = answer_bytes(engine, ASK)

    def fail(point: str) -> None:
        if point == "publish.after_swap":
            raise OSError(28, "No space left on device")

    with durable.watched(fail), pytest.raises(StoreError):
        run(engine)

    assert len(again(engine).view().segments) == 1
    assert answer_bytes(again(engine), ASK) == before
