"""A directory that cannot hold stores is refused before anything is written to it."""

import errno
import fcntl
import mmap
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import GgrepError, InvalidRequest, StoreError
from ggrep.base.linux import file_system_number
from ggrep.index.store import filesystem
from ggrep.index.store.filesystem import NETWORK_MAGICS, NETWORK_TYPES, probe, sweep_probes


@pytest.fixture
def dead() -> int:
    """Return the number of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid


def test_a_local_directory_will_do_and_nothing_stays(tmp_path: Path) -> None:
    """Two engines of one process may create their stores at once."""
    assert probe(tmp_path)
    assert list(tmp_path.iterdir()) == []

    with pytest.raises(GgrepError):
        probe(tmp_path / "nowhere")

    taken = tmp_path / f"{filesystem.PROBE_PREFIX}{os.getpid()}-0"
    taken.mkdir()

    probe(tmp_path)

    assert list(tmp_path.iterdir()) == [taken]


@pytest.mark.parametrize("kind", sorted(NETWORK_TYPES))
def test_network_file_systems_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Their locks and mapped files do not hold between machines."""
    monkeypatch.setattr(filesystem, "filesystem_type", lambda _: kind)

    with pytest.raises(InvalidRequest, match="network file system") as caught:
        probe(tmp_path / "not" / "yet")
    assert kind in str(caught.value)
    assert "GGREP_HOME" in str(caught.value)


@pytest.mark.parametrize("magic", [0x6969, 0xFF534D42, 0x517B, 0xFE534D42])
def test_the_kernels_number_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, magic: int
) -> None:
    """Where /proc is not mounted there is no table."""
    monkeypatch.setattr(filesystem, "filesystem_type", lambda _: None)
    monkeypatch.setattr(filesystem, "file_system_number", lambda _: magic)

    with pytest.raises(InvalidRequest, match=NETWORK_MAGICS[magic]):
        probe(tmp_path)


def test_the_number_is_the_kernels_own() -> None:
    """The layout of its answer is not declared anywhere in here."""
    proc_super_magic = 0x9FA0

    assert file_system_number(b"/proc") == proc_super_magic
    with pytest.raises(FileNotFoundError):
        file_system_number(b"/proc/nowhere")


def fail(number: int) -> Callable[..., Any]:
    """Return a function that fails as a system call does."""

    def call(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    return call


@pytest.mark.parametrize(
    ("owner", "name", "number", "step"),
    [
        (os, "mkdir", errno.EROFS, "creation and locking of a directory"),
        (os, "mkdir", errno.EACCES, "creation and locking of a directory"),
        (os, "write", errno.ENOSPC, "creating a file once"),
        (os, "fsync", errno.EIO, "creating a file once"),
        (Path, "replace", errno.EXDEV, "renaming a file"),
        (fcntl, "flock", errno.ENOLCK, "creation and locking of a directory"),
        (mmap, "mmap", errno.ENODEV, "mapping a file"),
    ],
)
def test_what_fails_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    name: str,
    number: int,
    step: str,
) -> None:
    """An operator has to know what the disk cannot do."""
    monkeypatch.setattr(owner, name, fail(number))

    with pytest.raises(StoreError) as caught:
        probe(tmp_path)
    said = str(caught.value)
    assert step in said
    assert os.strerror(number) in said
    assert "GGREP_HOME" in said
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("owner", "name", "lie", "message"),
    [
        (fcntl, "flock", lambda *_: None, "second lock"),
        (Path, "read_bytes", lambda _: b"old", "bytes read differ"),
    ],
)
def test_a_file_system_that_lies_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, lie: Any, message: str
) -> None:
    """Some take every lock and hold none; a cache may show an old snapshot for the new."""
    monkeypatch.setattr(owner, name, lie)

    with pytest.raises(StoreError, match=message):
        probe(tmp_path)


def test_what_dead_processes_left_is_swept(tmp_path: Path, dead: int) -> None:
    """A probe that was killed leaves its directory."""
    for name in (f"{dead}-0", f"{dead}-1", f"{os.getpid()}-0", "1-0", "else", "²-0"):
        (tmp_path / f"{filesystem.PROBE_PREFIX}{name}").mkdir()
    (tmp_path / f"{filesystem.PROBE_PREFIX}{dead}-0" / "created").write_bytes(b"x")

    sweep_probes(tmp_path)

    left = {path.name.removeprefix(filesystem.PROBE_PREFIX) for path in tmp_path.iterdir()}
    assert left == {f"{os.getpid()}-0", "1-0", "else", "²-0"}


def test_what_a_process_of_another_container_holds_stays(tmp_path: Path, dead: int) -> None:
    """Its number means nothing here, or another process."""
    held = tmp_path / f"{filesystem.PROBE_PREFIX}{dead}-0"
    held.mkdir()
    descriptor = os.open(held, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)

    sweep_probes(tmp_path)
    stays = held.is_dir()
    os.close(descriptor)
    sweep_probes(tmp_path)

    assert stays
    assert not held.exists()
