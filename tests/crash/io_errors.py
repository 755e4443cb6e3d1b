"""A file system that fails: at one operation of ours, at all from one on, or by short writes."""

import builtins
import errno
import fcntl
import io
import mmap
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ggrep.index.store import image

_FULL = frozenset({"create", "write", "fsync", "mkdir", "rename", "link"})
_CHANGES = frozenset({"create", "rewrite", "mkdir", "rename", "link", "remove", "chmod"})
_NAMED = _CHANGES | {"open", "list", "stat"}
KINDS: dict[int, frozenset[str]] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EROFS: _CHANGES,
    errno.EACCES: _NAMED,
    errno.EMFILE: frozenset({"create", "rewrite", "open", "list", "dup", "map"}),
    errno.EIO: _NAMED | _FULL | {"read", "lock", "map"},
    errno.ENOLCK: frozenset({"lock"}),
    errno.ENOMEM: frozenset({"map"}),
}
"""Which operations the kernel lets fail with which error."""
_readlink, _lstat = os.readlink, os.lstat


@dataclass
class Disk:
    """Counts the operations below some directories, and fails those it is told to.

    Attributes:
        below: directories whose operations count.
        number: the errno; only operations that it can befall count.
        at: the first operation that fails; None for none.
        lasting: all later ones fail as well.
        most: bytes that a write takes at most; None for all of them.
        met: the operations so far, `kind path`.
        failed: those that failed.
    """

    below: tuple[Path, ...]
    number: int = errno.EIO
    at: int | None = None
    lasting: bool = False
    most: int | None = None
    met: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def meet(self, kind: str, path: object, folder: int | None = None) -> None:
        """Count an operation; raise when it is one that fails."""
        place = _place(path, folder)
        if kind not in KINDS[self.number] or not self._is_ours(place):
            return
        turn = len(self.met)
        self.met.append(f"{kind} {place}")
        if self.at is None or turn < self.at or (turn > self.at and not self.lasting):
            return
        self.failed.append(self.met[-1])
        if isinstance(path, int):  # the kernel does not say which file a descriptor was
            raise OSError(self.number, os.strerror(self.number))
        raise OSError(self.number, os.strerror(self.number), place)

    def cut(self, data: Any) -> Any:
        return data if self.most is None else memoryview(data).cast("B")[: self.most]

    def _is_ours(self, place: str) -> bool:
        return any(place == str(top) or place.startswith(f"{top}/") for top in self.below)


@contextmanager
def failing(*below: Path, **options: Any) -> Iterator[Disk]:
    """Let this process's operations below some directories meet a `Disk` in the block."""
    disk = Disk(below, **options)
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, kind in _PLAIN:
            patch.setattr(owner, name, _watched(disk, kind, getattr(owner, name)))
        patch.setattr(image, "_READ_BYTES", 0)  # else those of small trees are not mapped
        patch.setattr(os, "open", _opening(disk, os.open))
        patch.setattr(os, "write", _writing(disk, os.write))
        patch.setattr(io, "open", _streams(disk, io.open))
        patch.setattr(builtins, "open", _streams(disk, builtins.open))
        yield disk


_PLAIN: tuple[tuple[Any, str, str], ...] = (
    *((os, name, "rename") for name in ("replace", "rename")),
    *((os, name, "remove") for name in ("unlink", "remove", "rmdir")),
    *((os, name, "link") for name in ("link", "symlink")),
    *((os, name, "chmod") for name in ("chmod", "fchmod", "utime", "truncate", "ftruncate")),
    *((os, name, "list") for name in ("scandir", "listdir")),
    *((os, name, "stat") for name in ("stat", "lstat", "fstat", "access", "readlink")),
    *((os, name, "fsync") for name in ("fsync", "fdatasync")),
    (os, "mkdir", "mkdir"),
    (os, "read", "read"),
    (os, "dup", "dup"),
    (fcntl, "flock", "lock"),
    (mmap, "mmap", "map"),
    (image, "map_file", "map"),
)


def _watched(disk: Disk, kind: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        if arguments:
            folder = options.get("dir_fd", options.get("src_dir_fd"))
            disk.meet(kind, arguments[0], folder)
        return original(*arguments, **options)

    return call


def _opening(disk: Disk, original: Callable[..., int]) -> Callable[..., int]:
    def call(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
        folder = options.get("dir_fd")
        writes = flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR)
        disk.meet(_how(path, folder) if writes else "open", path, folder)
        return original(path, flags, *arguments, **options)

    return call


def _writing(disk: Disk, original: Callable[..., int]) -> Callable[..., int]:
    def call(descriptor: int, data: Any) -> int:
        disk.meet("write", descriptor)
        return original(descriptor, disk.cut(data))

    return call


def _streams(disk: Disk, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return an `open` whose binary streams meet the disk at every read and write."""

    class Raw(io.FileIO):
        def readinto(self, buffer: Any, /) -> Any:
            disk.meet("read", self.fileno())
            return super().readinto(buffer)

        def read(self, size: int | None = -1, /) -> Any:
            disk.meet("read", self.fileno())
            return super().read(-1 if size is None else size)

        def readall(self) -> Any:
            disk.meet("read", self.fileno())
            return super().readall()

        def write(self, data: Any, /) -> Any:
            disk.meet("write", self.fileno())
            return super().write(disk.cut(data))

    def call(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        writes = set(mode) & set("wax+")
        if not isinstance(file, int):
            disk.meet(_how(file, None) if writes else "open", file)
        if mode not in {"rb", "wb"} or arguments or set(options) - {"closefd", "buffering"}:
            return original(file, mode, *arguments, **options)
        raw = Raw(file, mode, closefd=options.get("closefd", True))
        return io.BufferedWriter(raw) if writes else io.BufferedReader(raw)

    return call


def _how(path: object, folder: int | None) -> str:
    """Return whether opening a file for writing makes one."""
    try:
        _lstat(_place(path, folder))
    except OSError:
        return "create"
    return "rewrite"


def _place(path: object, folder: int | None) -> str:
    """Return the absolute path that an operation is about; empty when it is about none."""
    if isinstance(path, int):
        try:
            return _readlink(f"/proc/self/fd/{path}")
        except OSError:
            return ""
    name = os.fsdecode(path)  # type: ignore[arg-type] # whatever os.open takes
    if folder is not None and not os.path.isabs(name):  # noqa: PTH117 - no stat, no Path
        name = f"{_place(folder, None)}/{name}"
    return os.path.abspath(name)  # noqa: PTH100 - Path would resolve nothing more


def descriptors() -> dict[str, str]:
    """Return this process's open descriptors with what they are."""
    results = {}
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - names alone
        try:
            results[name] = _readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue  # the one that listed them
    return results
