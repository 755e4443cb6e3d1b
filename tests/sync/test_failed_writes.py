"""A publish that the file system fails publishes nothing, whatever fails and wherever."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.errors import CorruptStore, StoreError
from ggrep.config import store_files
from ggrep.index.store import segment
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import indexed, open_engine, paths, write_tree

CLASSES = [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.EMFILE, errno.EIO]


@pytest.fixture
def engine(root: Path, home: Path) -> Engine:
    """Return an engine whose next sync has something to publish."""
    made = indexed(root, home, {"a.py": "def needle():\n    return 1\n"})
    write_tree(root, {"b.py": "def needle():\n    return 2\n"})
    return made


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


def test_an_image_that_reads_back_otherwise_publishes_nothing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
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
