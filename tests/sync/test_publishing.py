"""A sync publishes what it can: what cannot be had costs itself, never the repository."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.base.errors import SyncRefused
from ggrep.base.ids import PathKey
from ggrep.config import confined, store_files
from ggrep.parse.source import read
from ggrep.parse.source.dir_stack import DirStack
from tests.fakes.repos import open_engine, paths, write_tree
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


def test_each_bad_file_costs_itself_and_heals(
    root: Path, home: Path, trouble: pytest.MonkeyPatch
) -> None:
    """A first index, and every one after it; a strict one names each and publishes nothing."""
    engine = open_engine(root, home)
    with pytest.raises(SyncRefused) as refused:
        engine.sync(strict=True)
    write_tree(root, {"gone.py": TREE["gone.py"]})
    first, second = engine.sync(), engine.sync()
    found = paths(engine, "retry")
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
    assert [(one.path_key, one.code) for one in first.degraded] == [
        ("moving.py", "stable_read_failed")
    ]
    assert second.degraded == first.degraded
    assert found == ["bytes.py", "good.py"]
    healed = engine.sync()
    assert healed.degraded == ()
    assert sorted(engine.view().live_files()) == [
        *("bytes.py", "closed.py", "good.py", "moving.py", "shut/in.py")
    ]


def test_what_was_indexed_before_is_kept_or_goes_as_is_known(
    root: Path, home: Path, trouble: pytest.MonkeyPatch
) -> None:
    """What we may not read any more goes; of what we cannot look at the last state stays."""
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
    assert [one.path_key for one in report.degraded] == ["moving.py", "shut/in.py"]


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
    monkeypatch.setattr("ggrep.index.store.lean_import.leave_out_remote_client", lambda: None)
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
