"""A sync brings the snapshot up to the tree, whole, or leaves it and says why."""

import os
from pathlib import Path
from threading import Event, Thread

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import BudgetExceeded
from ggrep.base.ids import PathKey
from ggrep.config import store_files
from ggrep.index.embedding.hashed import HashedEncoder
from ggrep.index.store.disk import store_bytes
from ggrep.index.store.view import open_snapshot
from ggrep.index.sync.sync_report import SyncProgress
from ggrep.model.files import FileText, SkippedFile, SourceFile
from ggrep.model.request import SearchRequest
from ggrep.parse.source.read import read_file
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import (
    HangingPool,
    answer,
    answer_bytes,
    indexed,
    open_engine,
    paths,
    write_tree,
)

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)


def codes_of(engine: Engine) -> set[str]:
    return {notice["code"] for notice in answer(engine, ASK)["warnings"]}


def fresh(engine: Engine, home: Path, **flags: object) -> Engine:
    """Return an engine over a store built from the same tree this minute."""
    built = open_engine(engine.identity.root, home / "fresh", **flags)
    built.sync()
    return built


def test_empty_trees_and_empty_files_are_indexed(root: Path, home: Path) -> None:
    """Nothing there is not the same as no index; empty files count and go without trace."""
    engine = open_engine(root, home)
    report = engine.sync()

    assert (report.published, report.chunks, report.segments) == (True, 0, 0)
    assert answer(engine, ASK)["results"] == []
    assert engine.sync().published is False

    write_tree(root, {"retry.py": "", "a/__init__.py": ""})
    engine.sync()

    assert engine.view().manifest.counts.files_indexed == 2
    assert engine.sync().published is False
    write_tree(root, {"retry.py": None})
    engine.sync()
    assert engine.view().live_files().keys() == {"a/__init__.py"}
    assert answer_bytes(engine, ASK) == answer_bytes(fresh(engine, home), ASK)


def test_everything_can_go_and_come_back(root: Path, home: Path) -> None:
    """A checkout of an empty branch, and back."""
    engine = indexed(root, home, {"a.py": "retry = 1\n", "b.md": "# queue\n"})
    before = answer_bytes(engine, ASK)
    write_tree(root, {"a.py": None, "b.md": None})
    report = engine.sync()

    assert (report.files.deleted, report.segments, report.chunks) == (2, 0, 0)
    assert paths(engine, "retry queue") == []
    write_tree(root, {"a.py": "retry = 1\n", "b.md": "# queue\n"})
    engine.sync()
    assert answer_bytes(engine, ASK) == before


def test_only_changes_are_read(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sync of a large tree must cost what changed."""
    engine = indexed(root, home, {"a.py": "a = 1\n", "b.py": "b = 1\n"})
    read: list[str] = []

    def spy(root: Path, file: SourceFile, **limits: int) -> FileText | SkippedFile:
        read.append(file.path_key)
        return read_file(root, file, **limits)

    monkeypatch.setattr("ggrep.index.sync.declarations.read_file", spy)
    write_tree(root, {"b.py": "b = 2\n"})
    report = engine.sync()

    assert read == ["b.py"]
    assert (report.files.indexed, report.files.unchanged) == (1, 1)


def test_a_merge_encodes_nothing(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors are the dearest thing in a store."""
    engine = open_engine(root, home, max_segments=3)
    for number in range(3):
        write_tree(root, {f"a{number}.py": "retry = 1\n", f"b{number}.py": f"queue = {number}\n"})
        engine.sync()
    write_tree(root, {"a0.py": "queue = 9\n"})
    encoded: list[str] = []
    plain = HashedEncoder.encode_documents

    def spy(self: HashedEncoder, texts: list[str]) -> object:
        encoded.extend(texts)
        return plain(self, texts)

    monkeypatch.setattr(HashedEncoder, "encode_documents", spy)
    report = engine.sync()
    manifest = engine.view().manifest
    monkeypatch.undo()

    assert report.merged_segments == 3
    assert manifest.counts.chunks_indexed == manifest.counts.chunks_visible
    assert [ref.kind for ref in manifest.segments] == ["compacted"]
    assert all("9" in text for text in encoded)
    assert report.vectors_reused == 0, "carried ones come from the segment, not from the cache"
    assert answer_bytes(engine, ASK) == answer_bytes(fresh(engine, home, max_segments=3), ASK)


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 3])
def test_the_number_of_segments_is_bounded(root: Path, home: Path, most: int) -> None:
    """Every query opens all of them."""
    engine = open_engine(root, home, max_segments=most)
    for number in range(5):
        write_tree(root, {f"f{number}.py": f"retry = {number}\n"})
        assert engine.sync().segments <= most

    assert answer_bytes(engine, ASK) == answer_bytes(fresh(engine, home, max_segments=most), ASK)


def test_a_hanging_parser_degrades(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays findable, the answer says so, and it heals with its next edit."""
    engine = open_engine(root, home)
    write_tree(root, {"a.py": "def retry():\n    pass\n", "b.txt": "queue\n"})
    with monkeypatch.context() as patch:
        patch.setattr("ggrep.index.sync.syncer.IndexPool", HangingPool)
        report = engine.sync()
    output = answer(engine, ASK)

    assert ("chunk_failed", "a.py") in [(p.code, p.path_key) for p in report.degraded]
    assert report.retry_after_ms is None
    assert output["degraded"] is True
    assert "degraded_snapshot" in codes_of(engine)
    assert "a.py" in paths(engine, "retry")
    write_tree(root, {"b.txt": "queues\n"})
    again = engine.sync()
    assert [p.path_key for p in again.degraded] == ["a.py"]
    assert engine.sync().published is False
    write_tree(root, {"a.py": "def retry():\n    return 1\n"})
    assert engine.sync().degraded == ()
    assert not codes_of(engine) & {"degraded_snapshot", "partial_index"}


def test_a_sync_speaks_of_indexing_once_a_file_differs(root: Path, home: Path) -> None:
    """Files that were touched, or written just before the last sync, are read to make sure."""
    write_tree(root, {f"f{i}.py": f"retry = {i}\n" for i in range(3)})
    engine = open_engine(root, home)
    stages: list[tuple[str, int]] = []

    def told() -> list[tuple[str, int]]:
        stages.clear()
        engine.sync(progress=lambda progress: stages.append((progress.stage, progress.done_files)))
        return stages[1:]

    engine.sync()
    for file in root.glob("*.py"):
        os.utime(file, (1, 1))
    same = told().copy()
    for file in root.glob("*.py"):
        file.touch()
    (root / "f1.py").write_text("again = 1\n")

    assert same == [("compare", 1), ("compare", 2), ("compare", 3)]
    assert told() == [("compare", 1), ("index", 2), ("index", 3), ("publish", 0)]


def test_a_file_that_is_none_of_the_index_any_more_differs(root: Path, home: Path) -> None:
    """It goes from the answers, so they are behind until then."""
    engine = indexed(root, home, {"a.py": "retry = 1\n"})
    (root / "a.py").write_bytes(b"\0\0\0")
    stages: list[str] = []
    engine.sync(progress=lambda progress: stages.append(progress.stage))

    assert stages == ["scan", "index", "publish"]


def test_a_first_part_comes_early(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later syncs have something to be searched meanwhile, and publish once."""
    monkeypatch.setattr("ggrep.index.sync.portions.FIRST_BYTES", 250)
    write_tree(root, {f"f{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)})
    engine = open_engine(root, home)
    engine.sync(early=True)
    first = engine.view().manifest
    write_tree(root, {f"f{i}.py": f"again = {i}  # {'x' * 100}\n" for i in range(6)})
    engine.sync(early=True)
    second = engine.view().manifest

    assert not first.partial
    assert first.parent_snapshot_id is not None, "a part of it was active before"
    assert second.parent_snapshot_id == first.snapshot_id


def test_a_first_part_ends_in_time(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what was asked for in it, one file at least; all of it follows, once."""
    monkeypatch.setattr("ggrep.index.sync.syncer.FIRST_MS", 0.0)
    write_tree(root, {f"f{i}.py": f"retry = {i}\n" for i in range(6)})
    engine = open_engine(root, home)
    stages: list[tuple[str, int]] = []
    engine.sync(
        early=True,
        wanted=lambda: (PathKey("f4.py"), PathKey("f2.py")),
        progress=lambda progress: stages.append((progress.stage, progress.done_files)),
    )
    manifest = engine.view().manifest
    assert manifest.parent_snapshot_id is not None
    first = open_snapshot(engine.identity.store, manifest.parent_snapshot_id)

    assert [done for stage, done in stages if stage == "index"] == [1, 2, 3, 4, 5, 6]
    assert first.manifest.partial
    assert list(first.live_files()) == ["f4.py"]
    assert not manifest.partial
    assert sorted(engine.view().live_files()) == [f"f{i}.py" for i in range(6)]


def test_a_large_first_index_is_published_in_portions(root: Path, home: Path) -> None:
    """Search works early and says how much it knows."""
    write_tree(root, {f"f{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)})
    engine = open_engine(root, home, max_bytes_per_sync=250)
    seen: list[tuple[bool, int, int]] = []

    def watch(progress: SyncProgress) -> None:
        if progress.stage == "publish" and store_files.active_file(engine.identity.store).exists():
            output = answer(engine, ASK)
            codes = [notice["code"] for notice in output["warnings"]]
            seen.append(("partial_index" in codes, *output["indexed"].values()))

    engine.sync(progress=watch)

    assert seen == [(True, 2, 6), (True, 4, 6)]
    assert not codes_of(engine) & {"degraded_snapshot", "partial_index"}
    assert answer_bytes(engine, ASK) == answer_bytes(
        fresh(engine, home, max_bytes_per_sync=250), ASK
    )


def test_portions_without_news_publish_nothing(root: Path, home: Path) -> None:
    """Touched files must not make a complete index call itself unfinished."""
    files = {f"f{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)}
    engine = indexed(root, home, files, max_bytes_per_sync=250)
    write_tree(root, files)

    assert engine.sync().published is False
    write_tree(root, {"f5.py": "queue = 5\n"})
    write_tree(root, {name: text for name, text in files.items() if name != "f5.py"})
    assert engine.sync().files.indexed == 1
    assert engine.view().manifest.partial is False


def test_two_syncs_take_turns(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two agents index at once; both end with the same, and nothing is published twice."""
    write_tree(root, {"a.py": "retry = 1\n"})
    first, second = open_engine(root, home), open_engine(root, home)
    waiting, go_on = Event(), Event()
    monkeypatch.setattr(
        "ggrep.search.engine.repo_index.time.sleep", lambda _: (waiting.set(), go_on.set())
    )

    def hold(progress: SyncProgress) -> None:
        if progress.stage == "publish":
            other.start()
            assert go_on.wait(30)

    reports = {}
    other = Thread(target=lambda: reports.update(second=second.sync()))
    reports["first"] = first.sync(progress=hold)
    other.join(30)

    assert waiting.is_set()
    assert {name: report.published for name, report in reports.items()} == {
        "first": True,
        "second": False,
    }
    assert first.view().manifest.snapshot_id == second.view().manifest.snapshot_id


def test_a_publish_that_would_break_the_budget_is_undone(root: Path, home: Path) -> None:
    """Else its orphan would keep the store over its budget for good."""
    first = indexed(root, home, {"a.py": "retry = 1\n"})
    used = store_bytes(first.identity.store)
    write_tree(root, {"b.py": "queue = 1\n" * 2000})
    with pytest.raises(BudgetExceeded, match="would have"):
        open_engine(root, home, max_store_bytes=used + 5000).sync()

    assert paths(open_engine(root, home), "retry") == ["a.py"]
    write_tree(root, {"b.py": None})
    assert open_engine(root, home, max_store_bytes=used + 5000).sync().files.unchanged == 1


def test_a_moved_file_is_told_from_a_deleted_one(root: Path, home: Path) -> None:
    """The journal says what became of a path."""
    engine = indexed(root, home, {"a.py": "retry = 1\n", "b.py": "queue = 1\n", "c.py": "x = 1\n"})
    write_tree(root, {"a.py": None, "moved/a.py": "retry = 1\n", "b.py": None})
    engine.sync()
    refs = engine.view().manifest.tombstones
    lines = (engine.identity.store / refs[-1].path).read_bytes().splitlines()

    reasons = {line["path_key"]: line["reason"] for line in map(stable_json.loads, lines)}
    assert reasons == {"a.py": "rename_from", "b.py": "delete"}


def test_skipped_files_are_named_with_their_reason(root: Path, home: Path) -> None:
    """A file that is silently missing is the worst answer."""
    engine = open_engine(root, home, max_file_size_bytes=50)
    write_tree(root, {"a.py": b"x\0y", "big.py": "x" * 99, "ok.py": "x = 1\n"})
    report = engine.sync()

    assert [(skip.path_key, skip.reason) for skip in report.skipped] == [
        ("a.py", "binary"),
        ("big.py", "too_large"),
    ]
    assert engine.sync().published is False
    write_tree(root, {"ok.py": b"now\0binary"})
    assert engine.sync().files.deleted == 1
