"""Kernel locks: shared, alone, a byte of a file; and what becomes of a removed lock file."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, StoreError
from ggrep.base.locks import Patience, alone, byte_is_held, shared, take_byte
from tests.fakes.clocks import ManualClock


@pytest.fixture
def impatient() -> Patience:
    clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
    return Patience(Deadline.after(clock, 0), lambda _: None)


def test_readers_share_and_keep_a_lone_one_out(tmp_path: Path, impatient: Patience) -> None:
    """Two queries run side by side; what removes the store waits for both."""
    file = tmp_path / "locks" / "readers"
    with (
        shared(file, impatient),
        shared(file, impatient),
        pytest.raises(Busy),
        alone(file, impatient),
    ):
        pass
    with alone(file, impatient), pytest.raises(Busy), shared(file, impatient):
        pass


def test_a_lock_file_that_was_removed_guards_nothing(tmp_path: Path, impatient: Patience) -> None:
    """Whoever comes later locks the file that stands there now."""
    file = tmp_path / "guard"
    with alone(file, impatient):
        file.unlink()
        with alone(file, impatient), pytest.raises(Busy), alone(file, impatient):
            pass


def test_a_byte_that_cannot_be_locked_leaves_no_descriptor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that tries for days would run out of them."""

    def refuse(_: int, __: int) -> bool:
        raise OSError(errno.ENOLCK, "no locks available")

    before = len(list(Path("/proc/self/fd").iterdir()))
    monkeypatch.setattr("ggrep.base.linux.take_byte", refuse)
    with pytest.raises(OSError, match="no locks"):
        take_byte(tmp_path / "alive", 1)

    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_bytes_of_one_file_are_held_apart(tmp_path: Path) -> None:
    """A writer that was taken over still holds its own, and the next is in nobody's way."""
    file = tmp_path / "alive"

    assert not byte_is_held(file, 1)
    first, second = take_byte(file, 1), take_byte(file, 2)
    assert first is not None
    assert second is not None
    assert take_byte(file, 1) is None
    assert byte_is_held(file, 1)
    assert not byte_is_held(file, 3)
    first.release()
    assert not byte_is_held(file, 1)
    assert byte_is_held(file, 2)
    second.release()


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    code = (
        "import sys, pathlib; from ggrep.base.locks import take_byte\n"
        "held = take_byte(pathlib.Path(sys.argv[1]), 7); print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "alive")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[1],
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


@pytest.mark.slow
def test_a_killed_holder_holds_nothing(tmp_path: Path, holder: "subprocess.Popen[bytes]") -> None:
    """The kernel lets go of what a dead process held, however it died."""
    assert byte_is_held(tmp_path / "alive", 7)
    holder.kill()
    holder.wait()

    assert not byte_is_held(tmp_path / "alive", 7)


def test_what_cannot_be_locked_is_an_error_of_ours(tmp_path: Path, impatient: Patience) -> None:
    """A directory in the lock's place, say."""
    (tmp_path / "guard").mkdir()

    with (
        pytest.raises(StoreError, match="guard cannot be locked"),
        alone(tmp_path / "guard", impatient),
    ):
        pass


def test_lock_files_are_private_whatever_the_umask(tmp_path: Path, impatient: Patience) -> None:
    """Who may lock a store may stop its owner from writing."""
    before = os.umask(0)
    try:
        with alone(tmp_path / "guard", impatient):
            pass
    finally:
        os.umask(before)

    assert (tmp_path / "guard").stat().st_mode & 0o777 == 0o600


def test_who_may_only_read_still_shares_the_lock(
    tmp_path: Path, impatient: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another container may look at a home that this one writes."""
    file = tmp_path / "readers"
    with alone(file, impatient):
        pass

    def refuse(path: Path) -> int:
        raise PermissionError(30, "Read-only file system", str(path))

    monkeypatch.setattr("ggrep.base.durable.open_lock", refuse)
    with shared(file, impatient):
        monkeypatch.undo()
        with pytest.raises(Busy), alone(file, impatient):
            pass


def test_where_there_is_no_lock_file_to_read_none_is_needed(
    tmp_path: Path, impatient: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that was never written by this build, on a read-only disk."""

    def refuse(path: Path) -> int:
        raise PermissionError(30, "Read-only file system", str(path))

    monkeypatch.setattr("ggrep.base.durable.open_lock", refuse)
    with shared(tmp_path / "none", impatient):
        assert not (tmp_path / "none").exists()
