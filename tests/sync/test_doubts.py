"""What the file system or git would not tell never takes files out of an index unsaid."""

import errno
import os
from pathlib import Path

import pytest

from ggrep.base.errors import LeaseLost, SyncRefused
from ggrep.config import git as git_module
from ggrep.config import store_files
from ggrep.index.sync.index_state import IndexState, read_index_state
from ggrep.index.sync.sync_report import SyncProgress
from ggrep.model.files import FileText, SkippedFile, SourceFile
from ggrep.model.request import SearchRequest
from ggrep.parse.source import read
from ggrep.parse.source.dir_stack import DirStack
from ggrep.parse.source.read import read_file
from ggrep.search.engine.engine import Engine
from tests.fakes.git import Git
from tests.fakes.leases import OTHER_WRITER
from tests.fakes.repos import (
    AheadClock,
    answer,
    answer_bytes,
    indexed,
    open_engine,
    paths,
    write_tree,
)

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)


def live(engine: Engine) -> list[str]:
    return sorted(engine.view().live_files())


def state(engine: Engine) -> IndexState:
    result = read_index_state(store_files.index_state_file(engine.identity.store))
    assert result is not None
    return result


def listing_fails(patch: pytest.MonkeyPatch, name: str, number: int) -> None:
    enter = DirStack.enter

    def refuse(trail: DirStack, prefix: bytes) -> int:
        if os.fsdecode(prefix) == f"{name}/":
            raise OSError(number, os.strerror(number))
        return enter(trail, prefix)

    patch.setattr(DirStack, "enter", refuse)


def test_a_failed_read_is_kept(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No descriptors left, a failing disk: the file is still there and still wanted."""
    clock = AheadClock()
    engine = open_engine(root, home, clock=clock)
    write_tree(root, {"a.py": "retry = 1\n", "b.py": "queue = 1\n"})
    engine.sync()
    write_tree(root, {"a.py": "changed = 1\n"})

    def fail(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(read, "open_below", fail)
        with pytest.raises(SyncRefused, match=r"a\.py: Too many open files"):
            engine.sync(strict=True)
        report = engine.sync()

    assert [(p.code, p.path_key) for p in report.degraded] == [("read_failed", "a.py")]
    assert paths(engine, "retry") == ["a.py"]
    clock.advance(10_000)
    assert engine.sync().degraded == ()
    assert paths(engine, "changed") == ["a.py"]


def test_a_failed_listing_is_told(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a first index nobody would ever miss it."""
    engine = open_engine(root, home)
    write_tree(root, {"a.py": "retry = 1\n", "d/b.py": "queue = 1\n"})
    with monkeypatch.context() as patch:
        listing_fails(patch, "d", errno.EMFILE)
        with pytest.raises(SyncRefused, match="d: Too many open files"):
            engine.sync(strict=True)
        report = engine.sync()

    assert [(p.code, p.path_key) for p in report.degraded] == [("read_failed", "d")]
    assert answer(engine, ASK)["degraded"] is True
    engine.sync()
    assert live(engine) == ["a.py", "d/b.py"]
    assert answer(engine, ASK)["degraded"] is False


def test_a_closed_directory_stays(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages escape such a name, the index does not."""
    engine = indexed(root, home, {"a.py": "retry = 1\n", "a\u00a0b/c.py": "queue = 1\n"})
    listing_fails(monkeypatch, "a\u00a0b", errno.EACCES)
    with pytest.raises(SyncRefused, match="Permission denied"):
        engine.sync(strict=True)
    report = engine.sync()

    assert [(p.code, p.path_key) for p in report.degraded] == [("read_failed", "a\u00a0b/c.py")]
    assert live(engine) == ["a.py", "a\u00a0b/c.py"]
    assert answer(engine, ASK)["indexed"] == {"files": 2, "eligible": 2}


@pytest.mark.parametrize("replaced", [False, True])
def test_a_root_that_goes_meanwhile_publishes_nothing(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, *, replaced: bool
) -> None:
    """An unmounted disk must not look like a tree whose files were all deleted."""
    engine = indexed(root, home, {"a.py": "retry = 1\n"})
    write_tree(root, {"a.py": "retry = 2\n"})

    def unmount(root: Path, file: SourceFile, **limits: int) -> FileText | SkippedFile:
        root.rename(root.with_name("gone"))
        if replaced:
            root.mkdir()
        return read_file(root, file, **limits)

    monkeypatch.setattr("ggrep.index.sync.declarations.read_file", unmount)

    with pytest.raises(SyncRefused, match="root was removed or replaced"):
        engine.sync()
    assert live(engine) == ["a.py"]


def test_while_git_fails_an_index_made_with_it_keeps_its_list_of_files(
    root: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which files belong is git's to say; what they hold and whether they exist is not."""
    engine = open_engine(root, home)
    tree = {".gitignore": "a.py\n", "a.py": "retry = 1\n", "b.py": "old = 1\n", "c.py": "c = 1\n"}
    write_tree(root, tree)
    git(root, "init")
    git(root, "add", "-f", ".")
    engine.sync()
    write_tree(root, {"b.py": "queue = 1\n", "c.py": None, "new.py": "n = 1\n"})
    with monkeypatch.context() as patch:
        patch.setattr(git_module.shutil, "which", lambda _name: None)
        with pytest.raises(SyncRefused, match="git is not installed"):
            engine.sync(strict=True)
        report = engine.sync()
        again = engine.sync()
        while_it_fails = live(engine)
        degraded = answer(engine, ASK)["degraded"]
        result = paths(engine, "queue")

    assert [(p.code, p.message) for p in report.degraded] == [
        (
            "git_unavailable",
            "git is not installed: the list of files is kept, and new files are indexed once"
            " git answers",
        )
    ]
    assert (while_it_fails, result, degraded) == (["a.py", "b.py"], ["b.py"], True)
    assert again.published is False
    assert engine.sync().degraded == ()
    assert live(engine) == ["a.py", "b.py", "new.py"]


def test_a_first_index_without_git_is_made_and_says_so(
    root: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without git still searches; every answer tells what it misses."""
    engine = open_engine(root, home)
    write_tree(root, {"a.py": "retry = 1\n"})
    git(root, "init")
    monkeypatch.setattr(git_module.shutil, "which", lambda _name: None)
    engine.sync()
    write_tree(root, {"a.py": "retry = 2\n"})

    assert engine.sync().files.indexed == 1
    assert answer(engine, ASK)["degraded"] is True
    assert [p.code for p in engine.view().manifest.errors] == ["git_unavailable"]


def test_a_commit_alone_moves_the_snapshot(root: Path, home: Path, git: Git) -> None:
    """An answer names the commit it speaks of; a fresh index would name the new one."""
    engine = open_engine(root, home)
    write_tree(root, {"a.py": "retry = 1\n"})
    git(root, "init")
    git(root, "add", ".")
    engine.sync()
    git(root, "commit", "-m", "x")
    head = git(root, "rev-parse", "HEAD").strip()

    assert engine.sync().published is True
    result = engine.view().manifest.git
    assert result is not None
    assert (result.head_sha, result.dirty) == (head, False)
    assert engine.sync().published is False


@pytest.mark.parametrize(
    ("home", "files"), [("here", {"here/config.toml": "", "here/locks/x.json": "{}"}), (".", {})]
)
def test_a_home_in_the_root_is_not_indexed(root: Path, home: str, files: dict[str, str]) -> None:
    """Each sync would find what the last one wrote; other files beside a home are indexed."""
    engine = indexed(root, root / home, {"a.py": "retry = 1\n"})
    write_tree(root, files)

    assert engine.sync().published is False
    assert live(engine) == ["a.py"]


def test_a_failed_sync_is_recorded(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status would call an index healthy that was not brought up to date for a week."""
    engine = open_engine(root, home, portable_paths=True)
    write_tree(root, {"a.py": "retry = 1\n", "A.py": "retry = 1\n"})
    with pytest.raises(SyncRefused):
        engine.sync()
    assert state(engine).last_result == "error", "there is no record yet to amend"
    write_tree(root, {"A.py": None})
    engine.sync()
    snapshot = state(engine).active_snapshot_id
    write_tree(root, {"A.py": "retry = 1\n"})
    with pytest.raises(SyncRefused):
        engine.sync()
    assert (state(engine).last_result, state(engine).active_snapshot_id) == ("error", snapshot)
    write_tree(root, {"A.py": None})
    engine.sync()
    assert state(engine).last_result == "ok"

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "disk full")

    write_tree(root, {"A.py": "retry = 1\n"})
    monkeypatch.setattr("ggrep.index.sync.record.write_index_state", full)
    with pytest.raises(SyncRefused):
        engine.sync()


def test_who_lost_the_lease_writes_neither_a_record_nor_a_snapshot(root: Path, home: Path) -> None:
    """Both belong to the writer that took over; the view of this one is old."""
    engine = indexed(root, home, {"a.py": "retry = 1\n"})
    before = engine.view().manifest.snapshot_id
    write_tree(root, {"a.py": "queue = 1\n"})
    record = store_files.lease_files(engine.identity.store).record

    def take_over(progress: SyncProgress) -> None:
        if progress.stage == "publish":
            record.write_bytes(OTHER_WRITER)

    with pytest.raises(LeaseLost):
        engine.sync(progress=take_over)
    assert state(engine).last_result == "ok"
    assert open_engine(root, home).view().manifest.snapshot_id == before


def test_a_large_change_hides_what_is_gone_at_once(root: Path, home: Path) -> None:
    """After a checkout old and new names must not stand side by side while it is indexed."""
    engine = open_engine(root, home, max_bytes_per_sync=250)
    write_tree(root, {f"old{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)})
    engine.sync()
    write_tree(root, {f"old{i}.py": None for i in range(6)})
    write_tree(root, {f"new{i}.py": f"retry = {i}  # {'x' * 100}\n" for i in range(6)})
    seen: list[tuple[list[str], tuple[int, ...]]] = []

    def watch(progress: SyncProgress) -> None:
        if progress.stage == "publish":
            output = answer(engine, ASK)["indexed"]
            seen.append((live(engine), tuple(output.values())))

    engine.sync(progress=watch)

    assert seen[1:] == [
        (["new0.py", "new1.py"], (2, 6)),
        (["new0.py", "new1.py", "new2.py", "new3.py"], (4, 6)),
    ]
    fresh = open_engine(root, home / "fresh", max_bytes_per_sync=250)
    fresh.sync()
    assert answer_bytes(engine, ASK) == answer_bytes(fresh, ASK)
