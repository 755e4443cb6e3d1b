"""What is created has the modes of the directory it lies in, whatever the umask."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.durable import PRIVATE, SHARED, Modes, is_shared, modes_in


def mode(path: Path) -> int:
    """Return a path's permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set the process's umask meanwhile."""
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.fixture(params=[PRIVATE, SHARED], ids=["private", "shared"])
def modes(request: pytest.FixtureRequest) -> Modes:
    """Return either kind of modes."""
    kind: Modes = request.param
    return kind


@pytest.fixture
def place(tmp_path: Path, modes: Modes, umask: None) -> Path:
    """Return a directory of that kind."""
    path = tmp_path / "base"
    durable.make_directory(path, mode=modes.directory)
    return path


def test_files_and_directories_take_after_their_directory(place: Path, modes: Modes) -> None:
    """Nobody has to hand the choice through all layers."""
    durable.make_directory(place / "a" / "b")
    durable.create_directory(place / "c")
    durable.write_file(place / "a" / "b" / "new", b"1")
    durable.replace_file(place / "a" / "kept", b"1")
    durable.replace_file(place / "a" / "kept", b"2")
    os.close(durable.open_lock(place / "a" / "lock"))

    results = {path.name: mode(path) for path in place.rglob("*")}
    directories, files = dict.fromkeys("abc", modes.directory), ("new", "kept", "lock")
    assert results == directories | dict.fromkeys(files, modes.file)


def test_what_somebody_else_wrote_is_put_right(place: Path, modes: Modes) -> None:
    """A database knows only the umask."""
    (place / "table" / "data").mkdir(parents=True)
    (place / "table" / "data" / "x").write_bytes(b"1")
    (place / "table" / "y").write_bytes(b"1")

    durable.sync_tree(place / "table")

    assert {mode(path) for path in (place / "table", place / "table" / "data")} == {modes.directory}
    assert mode(place / "table" / "y") == mode(place / "table" / "data" / "x") == modes.file


@pytest.mark.parametrize("other", [0o770, 0o775, 0o2775, 0o2750, 0o3770, 0o777])
def test_only_the_exact_mode_shares(tmp_path: Path, other: int) -> None:
    """A directory that is open in another way was not meant to hold a shared home."""
    tmp_path.chmod(other)

    assert not is_shared(tmp_path)
    assert modes_in(tmp_path) == PRIVATE
    tmp_path.chmod(0o2770)
    assert modes_in(tmp_path) == SHARED


def test_a_lock_file_is_made_once(place: Path) -> None:
    """Whoever locks a file of its own shuts nobody out."""
    first, second = (durable.open_lock(place / "lock") for _ in range(2))

    assert os.path.samestat(os.fstat(first), os.fstat(second))
    assert [path.name for path in place.iterdir()] == ["lock"]
    os.close(first)
    os.close(second)


def test_a_lock_file_that_appears_meanwhile_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two users come at once; both must hold the same file."""
    tmp_path.chmod(0o2770)
    link = Path.hardlink_to

    def late(self: Path, target: Path) -> None:
        durable.write_file(self, b"theirs")
        link(self, target)

    monkeypatch.setattr(Path, "hardlink_to", late)
    descriptor = durable.open_lock(tmp_path / "lock")

    assert os.read(descriptor, 9) == b"theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]
    os.close(descriptor)


def test_a_mode_that_is_named_beats_the_directorys(tmp_path: Path) -> None:
    """Reports go where their readers are."""
    durable.write_file(tmp_path / "report", b"1", mode=0o644)

    assert mode(tmp_path / "report") == 0o644
