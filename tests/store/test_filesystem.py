"""A directory that cannot hold stores is refused before anything is written to it."""

import errno
import fcntl
import mmap
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import GgrepError, InvalidRequest, StoreError
from ggrep.base.linux import file_system_number
from ggrep.index.store import filesystem
from ggrep.index.store import store_opening as admission
from ggrep.index.store.filesystem import NETWORK_MAGICS, NETWORK_TYPES, probe, sweep_probes
from ggrep.index.store.mounts import choose, filesystem_type, parse
from ggrep.index.store.store_opening import admit_writer, require_mode


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
def test_a_network_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Their locks and mapped files do not hold between machines."""
    monkeypatch.setattr(filesystem, "filesystem_type", lambda _: kind)

    with pytest.raises(InvalidRequest, match="network file system") as caught:
        probe(tmp_path / "not" / "yet")
    assert kind in str(caught.value)
    assert "GGREP_HOME" in str(caught.value)


@pytest.mark.parametrize("magic", [0x6969, 0xFF534D42, 0x517B, 0xFE534D42])
def test_a_magic_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, magic: int) -> None:
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
        (os, "mkdir", errno.EROFS, "directories cannot be created and locked"),
        (os, "mkdir", errno.EACCES, "directories cannot be created and locked"),
        (os, "write", errno.ENOSPC, "files cannot be created exclusively"),
        (os, "fsync", errno.EIO, "files cannot be created exclusively"),
        (Path, "replace", errno.EXDEV, "files cannot be replaced by renaming"),
        (fcntl, "flock", errno.ENOLCK, "directories cannot be created and locked"),
        (mmap, "mmap", errno.ENODEV, "files cannot be mapped"),
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
    output = str(caught.value)
    assert step in output
    assert os.strerror(number) in output
    assert "GGREP_HOME" in output
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
    kept = tmp_path / f"{filesystem.PROBE_PREFIX}{dead}-0"
    kept.mkdir()
    descriptor = os.open(kept, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)

    sweep_probes(tmp_path)
    stays = kept.is_dir()
    os.close(descriptor)
    sweep_probes(tmp_path)

    assert stays
    assert not kept.exists()


LOCAL, REMOTE, OTHER = os.makedev(8, 1), os.makedev(0, 50), os.makedev(0, 60)
TABLE = b"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 27 0:50 / /home rw,relatime shared:2 master:1 - nfs4 host:/home rw,addr=192.0.2.1
31 30 0:60 / /home/a\\040b\\134c rw - fuse.sshfs me@host:/x rw
nonsense
32 27 nonsense / /x rw - ext4 /dev/sda2 rw
33 27 8:2 / /y rw
"""


@pytest.mark.parametrize(
    ("path", "device", "kind"),
    [
        (b"/home/user/.ggrep", REMOTE, "nfs4"),
        (b"/home", REMOTE, "nfs4"),
        (b"/homely", LOCAL, "ext4"),
        (b"/", LOCAL, "ext4"),
        (b"/home/a b\\c/d", OTHER, "fuse.sshfs"),
    ],
)
def test_the_deepest_mount_above_a_path_is_its_own(path: bytes, device: int, kind: str) -> None:
    """A home on a network lies below a root that is local; names begin alike and mean nothing."""
    result = choose(TABLE, path, device)

    assert result is not None
    assert result.kind == kind


def test_the_device_decides_where_mounts_hide_each_other() -> None:
    """The parts of a btrfs have devices that are in no table: the deepest and last mount counts."""
    hidden = TABLE + b"40 27 8:3 / /home rw - xfs /dev/sdb rw\n"

    over = choose(hidden, b"/home/a b\\c/d", os.makedev(8, 3))
    last = choose(hidden, b"/home/user", os.makedev(8, 3))

    assert (over and over.kind, last and last.kind) == ("xfs", "xfs")

    twice = TABLE + b"41 30 0:70 / /home rw - btrfs /dev/sdc rw\n"

    result = choose(twice, b"/home/user", os.makedev(0, 99))

    assert result is not None
    assert result.kind == "btrfs"


def test_the_kernels_own_table_is_understood(tmp_path: Path) -> None:
    """It may have more fields and kinds of lines; a home may be a link to another disk."""
    assert filesystem_type(Path("/proc")) == "proc"
    assert filesystem_type(tmp_path)

    assert [mount.kind for mount in parse(TABLE)] == ["proc", "ext4", "nfs4", "fuse.sshfs"]

    (tmp_path / "link").symlink_to("/proc")

    assert filesystem_type(tmp_path / "link") == "proc"


@pytest.fixture
def store(home: Path) -> Path:
    """Return where a store is going to be."""
    return home / "data" / "demo-1"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(("shared", "expected"), [(False, 0o700), (True, 0o2770)])
def test_a_home_has_the_mode_it_needs(home: Path, store: Path, shared: bool, expected: int) -> None:
    """It is the one place where they are asked."""
    admit_writer(store, shared=shared)

    assert [mode(path) for path in (home, home / "data")] == [expected, expected]
    assert sorted(path.name for path in home.rglob("*")) == ["data"]


def test_a_home_in_a_shared_directory_is_private_all_the_same(home: Path, store: Path) -> None:
    """Only the setting opens it to a group."""
    home.parent.chmod(0o2770)

    admit_writer(store, shared=False)

    assert mode(home) == 0o700


def test_a_home_that_its_user_made_is_left_alone(home: Path, store: Path) -> None:
    home.mkdir()
    home.chmod(0o755)

    admit_writer(store, shared=False)

    assert (mode(home), mode(home / "data")) == (0o755, 0o700)


@pytest.mark.parametrize("part", [".", "data", "locks", "cache", "data/demo-1"])
@pytest.mark.parametrize("shared", [False, True])
def test_modes_are_never_mixed(home: Path, store: Path, part: str, shared: bool) -> None:
    """A file that one user cannot replace would stop all others."""
    ours, other = (0o2770, 0o700) if shared else (0o700, 0o2770)
    for path in (home, home / "data", store, home / "locks", home / "cache"):
        path.mkdir()
        path.chmod(ours)
    admit_writer(store, shared=shared)
    (home / part).chmod(other)

    with pytest.raises(InvalidRequest) as caught:
        admit_writer(store, shared=shared)
    output = str(caught.value)
    assert str((home / part).resolve()) in output
    assert f"mode {other:04o}" in output
    assert f"shared_store is {'on' if shared else 'off'}" in output
    with pytest.raises(InvalidRequest):
        require_mode(store, shared=shared)


def test_the_file_system_is_tried_once(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later syncs must not pay for it."""
    tried: list[Path] = []
    monkeypatch.setattr(admission, "probe", tried.append)

    for _ in range(2):
        admit_writer(store, shared=False)
        store.mkdir(exist_ok=True)

    assert tried == [store.parent]


def test_nothing_is_made_there(home: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock file on a network may hang whoever takes it."""
    monkeypatch.setattr("ggrep.index.store.filesystem.filesystem_type", lambda _: "nfs4")

    with pytest.raises(InvalidRequest, match="nfs4"):
        admit_writer(store, shared=False)
    assert not home.exists()


def test_a_home_that_is_a_file_is_an_error_of_ours(home: Path, store: Path) -> None:
    home.write_bytes(b"")

    with pytest.raises(StoreError, match="GGREP_HOME"):
        admit_writer(store, shared=False)
