"""A sync publishes what it can; a publish that the file system fails publishes nothing."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.errors import CorruptStore, StoreError, SyncRefused
from ggrep.base.ids import PathKey
from ggrep.config import confined, store_files
from ggrep.index.store import segment
from ggrep.parse.source import read
from ggrep.parse.source.dir_stack import DirStack
from ggrep.search.engine.engine import Engine
from tests.fakes.built_store import built_once
from tests.fakes.repos import indexed, open_engine, paths, write_tree
from tests.journeys.command import Command

ENTER = DirStack.enter
TREE = {
    "good.py": "retry = 1\n",
    "closed.py": "retry = 2\n",
    "bytes.py": b"retry = '\xff\xfe'\n",
    "shut/in.py": "retry = 3\n",
    "gone.py": "retry = 4\n",
    "moving.py": "retry = 5\n",
}


@pytest.fixture
def trouble(root: Path) -> Iterator[pytest.MonkeyPatch]:
    """Return what makes each file but one bad in a way of its own, until it is undone."""
    write_tree(root, TREE)
    patch = pytest.MonkeyPatch()
    open_below, read_descriptor, enter = read.open_below, read.read_descriptor, DirStack.enter
    opened = PathKey("")

    def open_file(root: Path, key: PathKey) -> int:
        nonlocal opened
        opened = key
        if key == "closed.py":
            raise PermissionError(errno.EACCES, "Permission denied")
        if key == "gone.py":
            (root / key).unlink(missing_ok=True)
        return open_below(root, key)

    def read_file(descriptor: int, *, most_bytes: int) -> bytes:
        if opened == "moving.py":
            with (root / opened).open("a") as file:
                file.write("retry = 6\n")
        return read_descriptor(descriptor, most_bytes=most_bytes)

    def list_directory(trail: DirStack, prefix: bytes) -> int:
        if prefix == b"shut/":
            raise PermissionError(errno.EACCES, "Permission denied")
        return enter(trail, prefix)

    patch.setattr(read, "open_below", open_file)
    patch.setattr(read, "read_descriptor", read_file)
    patch.setattr(DirStack, "enter", list_directory)
    yield patch
    patch.undo()


def test_each_bad_file_costs_itself(root: Path, home: Path, trouble: pytest.MonkeyPatch) -> None:
    """A first index, and every one after it; a strict one names each and publishes nothing."""
    engine = open_engine(root, home)
    with pytest.raises(SyncRefused) as refused:
        engine.sync(strict=True)
    write_tree(root, {"gone.py": TREE["gone.py"]})
    first, second = engine.sync(), engine.sync()
    result = paths(engine, "retry")
    trouble.undo()

    assert [reason.partition(":")[0] for reason in refused.value.reasons] == [
        "bytes.py",
        "closed.py",
        "moving.py",
        "shut",
    ]
    assert [(skip.path_key, skip.reason) for skip in first.skipped] == [
        ("closed.py", "unreadable"),
        ("gone.py", "vanished"),
        ("shut", "unreadable"),
    ]
    assert [(each.path_key, each.code) for each in first.degraded] == [
        ("moving.py", "stable_read_failed")
    ]
    assert second.degraded == first.degraded
    assert result == ["bytes.py", "good.py"]
    healed = engine.sync()
    assert healed.degraded == ()
    assert sorted(engine.view().live_files()) == [
        *("bytes.py", "closed.py", "good.py", "moving.py", "shut/in.py")
    ]


def test_what_was_indexed_stays_or_goes(
    root: Path, home: Path, trouble: pytest.MonkeyPatch
) -> None:
    with pytest.MonkeyPatch.context() as sound:
        sound.setattr(read, "open_below", confined.open_below)
        sound.setattr(read, "read_descriptor", confined.read_descriptor)
        sound.setattr("ggrep.parse.source.walker.DirStack.enter", ENTER)
        engine = open_engine(root, home)
        engine.sync()
        before = sorted(engine.view().live_files())
    write_tree(root, {name: f"retry = '{len(name)}'\n" for name in TREE})
    report = engine.sync()
    trouble.undo()

    assert before == sorted(TREE)
    assert sorted(engine.view().live_files()) == ["bytes.py", "good.py", "moving.py", "shut/in.py"]
    assert [each.path_key for each in report.degraded] == ["moving.py", "shut/in.py"]


def test_the_command_says_what_it_left_out(
    root: Path,
    home: Path,
    trouble: pytest.MonkeyPatch,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It succeeds; `--strict` fails, with every file and its reason."""
    monkeypatch.setenv("GGREP_HOME", str(home))
    monkeypatch.setenv("GGREP_ENCODER", "none")
    ggrep = Command(capsys)
    refused = ggrep("index", root, "--strict")
    stores = [*(home / "data").iterdir()]
    published = [store_files.active_file(store).exists() for store in stores]
    done = ggrep("index", root)
    asked = ggrep("search", "retry", root, "--offline", "--sync", "--strict")
    trouble.undo()

    assert (refused.status, done.status, asked.status) == (1, 0, 1)
    assert published == [False]
    for name in ("bytes.py", "closed.py", "moving.py", "shut"):
        assert name in refused.err
        assert name in asked.err
    assert "1 degraded" in done.err


CLASSES = [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EMFILE, errno.EIO]


def build(root: Path, home: Path) -> None:
    """Make a store whose next sync has something to publish."""
    indexed(root, home, {"a.py": "def needle():\n    return 1\n"})
    write_tree(root, {"b.py": "def needle():\n    return 2\n"})


engine = built_once(build)


@contextmanager
def unchanged(engine: Engine) -> Iterator[None]:
    """Fail unless the block leaves the active snapshot and its answers as they were."""
    pointer = store_files.active_file(engine.identity.store)
    before = pointer.read_bytes()
    yield
    assert pointer.read_bytes() == before
    assert paths(open_engine(engine.identity.root, engine.home.base), "needle") == ["a.py"]


def spoil(monkeypatch: pytest.MonkeyPatch, name: str, fail: Callable[[bytes], bytes]) -> None:
    """Pass what is written to files of that name through `fail`."""
    write = durable.replace_file

    def spoiled(path: Path, data: bytes, *, lasting: bool = True) -> None:
        write(path, fail(data) if path.name == name else data, lasting=lasting)

    monkeypatch.setattr(durable, "replace_file", spoiled)
    monkeypatch.setattr("ggrep.index.store.active.replace_file", spoiled)


@pytest.mark.parametrize("number", CLASSES, ids=lambda number: errno.errorcode[number])
@pytest.mark.parametrize("name", ["manifest.json", "ACTIVE_SNAPSHOT"])
def test_a_rename_that_fails_publishes_nothing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    """Quota, permission, a disk that turned read-only: the last good snapshot stays."""
    rename = Path.replace

    def fail(self: Path, target: Path) -> Path:
        if Path(target).name == name:
            raise OSError(number, os.strerror(number), str(target))
        return rename(self, target)

    with unchanged(engine), monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises((StoreError, OSError), match=os.strerror(number)):
            engine.sync()
    engine.sync()

    assert sorted(paths(engine, "needle")) == ["a.py", "b.py"]


@pytest.mark.parametrize("fail", [lambda data: data[:-9], lambda data: data.replace(b"1", b"2")])
def test_a_manifest_that_reads_back_otherwise_publishes_nothing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, fail: Callable[[bytes], bytes]
) -> None:
    """A disk that lies is found out before anybody is sent there."""
    with unchanged(engine), monkeypatch.context() as patch:
        spoil(patch, "manifest.json", fail)
        with pytest.raises(CorruptStore):
            engine.sync()


def test_a_wrong_image_is_not_published(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes may be lost on their way to the disk."""
    whole = segment.image_ref

    def cut(store: Path, path: Path) -> object:
        ref = whole(store, path)
        os.truncate(path, path.stat().st_size - 64)
        return ref

    with unchanged(engine), monkeypatch.context() as patch:
        patch.setattr(segment, "image_ref", cut)
        with pytest.raises(CorruptStore):
            engine.sync()
