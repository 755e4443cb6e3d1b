"""Checks that the file system of a directory is local and has the features that stores need.

Stores rely on kernel file locks, atomic renames and mapped files. Network file systems do not
guarantee these features across machines, so they are rejected by their type. Other file systems are
tested in a temporary directory.
"""

import fcntl
import mmap
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ggrep.base import durable
from ggrep.base.durable import modes_in
from ggrep.base.errors import InvalidRequest, StoreError
from ggrep.base.linux import file_system_number
from ggrep.index.store.mounts import filesystem_type

PROBE_PREFIX: Final = ".ggrep-probe-"
ADVICE: Final = "set GGREP_HOME to a directory on a local disk"

NETWORK_TYPES: Final = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "glusterfs", "gpfs", "lustre"),
        *("ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "pvfs2", "smb2", "smb3", "smbfs"),
        *("vboxsf", "vmhgfs"),
        *("fuse.ceph", "fuse.ceph-fuse", "fuse.curlftpfs", "fuse.davfs", "fuse.gcsfuse"),
        *("fuse.glusterfs", "fuse.goofys", "fuse.juicefs", "fuse.rclone", "fuse.s3fs"),
        *("fuse.sshfs", "fuse.vmhgfs-fuse"),
    }
)
"""Types of network file systems, as in the mount table."""

NETWORK_MAGICS: Final[Mapping[int, str]] = MappingProxyType(
    {
        0x6969: "nfs",
        0xFF534D42: "cifs",
        0x517B: "smb",
        0xFE534D42: "smb2",
        0x01021997: "9p",
        0x5346414F: "afs",
        0x6B414653: "afs",
        0x00C36400: "ceph",
        0x73757245: "coda",
        0x0BD00BD0: "lustre",
        0x47504653: "gpfs",
        0x564C: "ncpfs",
        0x01161970: "gfs2",
        0x7461636F: "ocfs2",
    }
)
"""The same types by the kernel's number, for systems without a mount table."""

_SAMPLE = b"ggrep\n" * 700


def probe(directory: Path) -> str:
    """Return the type of the file system of an existing directory, after testing its features.

    Raises:
        InvalidRequest: the directory is on a network file system.
        StoreError: a feature that a publish needs does not work in the directory.
    """
    kind = refuse_network(directory)
    sweep_probes(directory)
    with _scratch(directory) as scratch:
        for name, step in _STEPS.items():
            try:
                step(scratch)
            except (OSError, ValueError) as error:
                raise _unfit(directory, name, error) from error
    return kind


def refuse_network(path: Path) -> str:
    """Return the type of the file system of `path`, which need not exist.

    Raises:
        InvalidRequest: the path is on a network file system.
        StoreError: the type cannot be read.
    """
    while not path.exists() and path != path.parent:
        path = path.parent
    try:
        kind = filesystem_type(path) or ""
        magic = file_system_number(os.fsencode(path))
    except OSError as error:
        raise _unfit(path, "the type of the file system cannot be detected", error) from error
    network = kind if kind in NETWORK_TYPES else NETWORK_MAGICS.get(magic)
    if network is not None:
        raise InvalidRequest(f"{path} is on a network file system ({network}); {ADVICE}")
    return kind or f"{magic:#x}"


def sweep_probes(directory: Path) -> None:
    """Remove the directories that probes of dead processes left in `directory`.

    A process of another container seems to be dead, because its id is unknown here, so the lock on
    the directory is also checked.
    """
    for leftover in sorted(directory.glob(f"{PROBE_PREFIX}*")):
        with suppress(OSError):
            if not _is_alive(leftover) and _is_unlocked(leftover):
                shutil.rmtree(leftover)


@contextmanager
def _scratch(directory: Path) -> Iterator[Path]:
    """Yield a new, locked directory, and remove it afterwards."""
    scratch = None
    try:
        scratch = _fresh_directory(directory)
        with durable.opened(scratch, os.O_RDONLY | os.O_DIRECTORY) as descriptor:
            _lock(descriptor)
            yield scratch
    except OSError as error:
        raise _unfit(directory, "directories cannot be created and locked", error) from error
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def _fresh_directory(directory: Path) -> Path:
    for number in count():
        scratch = directory / f"{PROBE_PREFIX}{os.getpid()}-{number}"
        with suppress(FileExistsError):
            durable.create_directory(scratch)
            return scratch
    raise AssertionError  # `count` has no end


def _create_once(scratch: Path) -> None:
    path, flags = scratch / "created", os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with durable.opened(path, flags) as descriptor:
        os.fchmod(descriptor, modes_in(scratch).file)
        durable.write_all(descriptor, _SAMPLE)
        os.fsync(descriptor)
    with suppress(FileExistsError), durable.opened(path, flags):
        raise ValueError("an exclusive creation succeeded although the file existed")


def _rename_and_read(scratch: Path) -> None:
    target = scratch / "renamed"
    durable.write_file(target, b"old")
    durable.replace_file(target, _SAMPLE)
    if target.read_bytes() != _SAMPLE:
        raise ValueError("the bytes read differ from the bytes written")


def _lock_alone(scratch: Path) -> None:
    path = scratch / "locked"
    durable.write_file(path, b"")
    with durable.opened(path, os.O_RDWR) as first, durable.opened(path, os.O_RDWR) as second:
        _lock(first)
        with suppress(BlockingIOError):
            _lock(second)
            raise ValueError("a second lock on a locked file did not fail")


def _map(scratch: Path) -> None:
    path = scratch / "mapped"
    durable.write_file(path, _SAMPLE)
    with (
        durable.opened(path, os.O_RDONLY) as descriptor,
        closing(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)) as mapped,
    ):
        if mapped[:] != _SAMPLE:
            raise ValueError("the mapped bytes differ from the bytes written")


_STEPS: Final[Mapping[str, Callable[[Path], None]]] = MappingProxyType(
    {
        "files cannot be created exclusively": _create_once,
        "files cannot be replaced by renaming": _rename_and_read,
        "files cannot be locked": _lock_alone,
        "files cannot be mapped": _map,
    }
)


def _lock(descriptor: int) -> None:
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_alive(leftover: Path) -> bool:
    number = leftover.name.removeprefix(PROBE_PREFIX).partition("-")[0]
    if not number.isdecimal() or len(number) > 9:
        return True  # not the name of a probe
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # a process of another user
    return True


def _is_unlocked(leftover: Path) -> bool:
    with durable.opened(leftover, os.O_RDONLY | os.O_DIRECTORY) as descriptor:
        try:
            _lock(descriptor)
        except BlockingIOError:
            return False
    return True


def _unfit(directory: Path, step: str, error: Exception) -> StoreError:
    why = (error.strerror if isinstance(error, OSError) else None) or error
    return StoreError(f"{directory} cannot store an index: {step}: {why}; {ADVICE}")
