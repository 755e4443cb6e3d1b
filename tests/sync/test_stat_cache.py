"""Unchanged files are not read again, and changed ones are never mistaken for them."""

from pathlib import Path

import pytest

from ggrep.base.ids import PathKey
from ggrep.index.sync.changes import detect
from ggrep.index.sync.stat_cache import RACY_NS, KnownFile, KnownSkip, load, save
from ggrep.model.files import SkippedFile, SourceFile

NOW_NS = 2_000_000_000_000


def file(name: str, mtime_ns: int, ctime_ns: int | None = None, size: int = 3) -> SourceFile:
    changed = mtime_ns if ctime_ns is None else ctime_ns
    return SourceFile(PathKey(name), size, mtime_ns, changed, 7)


def known(*files: SourceFile) -> dict[PathKey, KnownFile]:
    return {item.path_key: KnownFile(item, "d") for item in files}


def test_a_file_that_was_just_written_is_not_remembered(tmp_path: Path) -> None:
    """It may change again within the same tick of the file system's clock, unseen."""
    settled = NOW_NS - RACY_NS - 1
    files = known(
        file("old", settled),
        file("young", NOW_NS - RACY_NS),
        file("future", NOW_NS + 1),
        file("backdated", 0, ctime_ns=NOW_NS),
    )
    save(tmp_path / "cache" / "files.json", files, read_at_ns=NOW_NS)

    assert load(tmp_path / "cache" / "files.json") == known(file("old", settled))


def test_a_file_that_was_no_text_is_remembered_with_its_reason(tmp_path: Path) -> None:
    """A tree of images would be read from end to end by each sync, for nothing."""
    item = file("a.bin", 5)
    memory = KnownSkip(item, SkippedFile("a.bin", "binary", "a NUL byte"))
    save(tmp_path / "files.json", {item.path_key: memory}, read_at_ns=NOW_NS)

    assert load(tmp_path / "files.json") == {item.path_key: memory}
    changes = detect([item, file("b", 1)], {}, load(tmp_path / "files.json"))
    assert changes.skipped == (memory,)
    assert [found.path_key for found in changes.suspects] == ["b"]
    assert detect([file("a.bin", 6)], {}, {item.path_key: memory}).skipped == ()


def test_an_unchanged_memory_is_not_written_again(tmp_path: Path) -> None:
    """A sync of an unchanged tree must not wear out the disk."""
    path = tmp_path / "files.json"
    save(path, known(file("a", 5)), read_at_ns=NOW_NS)
    before = path.stat()
    save(path, known(file("a", 5)), read_at_ns=NOW_NS)
    assert path.stat().st_ino == before.st_ino
    save(path, known(file("a", 6)), read_at_ns=NOW_NS)

    assert load(path) == known(file("a", 6))


@pytest.mark.parametrize("data", [b"", b"[]", b'{"a":1}', b'{"a":[]}', b"\xff", b'{"a":[1,2]}'])
def test_a_damaged_memory_is_no_memory(tmp_path: Path, data: bytes) -> None:
    """It costs reading, not correctness."""
    path = tmp_path / "files.json"
    path.write_bytes(data)

    assert load(path) == {}
    assert load(tmp_path / "none") == {}


def test_only_an_equal_stat_and_a_visible_digest_count_as_unchanged() -> None:
    """The memory is never an authority: the snapshot may have fallen back meanwhile."""
    files = [file(name, 5) for name in ("same", "moved", "hidden", "new")]
    memory = known(file("same", 5), file("moved", 4), file("hidden", 5))
    live = {
        PathKey("same"): "d",
        PathKey("moved"): "d",
        PathKey("hidden"): "e",
        PathKey("gone"): "d",
    }
    changes = detect(files, live, memory)

    assert [item.path_key for item in changes.suspects] == ["moved", "hidden", "new"]
    assert [item.file.path_key for item in changes.same] == ["same"]
    assert changes.deleted == ("gone",)
