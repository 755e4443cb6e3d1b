"""Durable writes: after a crash a file holds its old bytes or its new ones.

LanceDB syncs nothing by itself, so every barrier between staging and the pointer stands here.
"""

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path


def sync_file(path: Path) -> None:
    """Make the bytes of one file survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_directory(path: Path) -> None:
    """Make the entries of one directory (names, renames) survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(root: Path) -> None:
    """Sync every file below `root`, then its directories bottom-up, `root` last."""
    for directory, _, names in os.walk(root, topdown=False):
        for name in sorted(names):
            sync_file(Path(directory, name))
        sync_directory(Path(directory))


def write_file(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a new file and sync its bytes; the caller syncs the directory.

    The mode is set explicitly because the umask is not ours to rely on.
    """
    write_file_with(path, lambda descriptor: _write_all(descriptor, data), mode=mode)


def write_file_with(path: Path, fill: Callable[[int], None], *, mode: int = 0o600) -> None:
    """Write a new file through `fill(descriptor)` and sync its bytes."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        os.fchmod(descriptor, mode)
        fill(descriptor)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Replace `path` with `data`, atomically and durably.

    The temporary file lies in the same directory because rename is atomic only within one file
    system. The directory is synced last: without that a power cut may undo the rename after we
    said it happened. Concurrent callers do not share a temporary file, in whatever thread,
    process or container they run.
    """
    temporary = _fresh_file(path)
    try:
        write_file(temporary, data, mode=mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def sweep_leftovers(path: Path) -> None:
    """Remove the temporary files that dead callers of `replace_file` left beside `path`.

    Requires: nobody who may not fail is replacing `path` now.
    """
    for leftover in path.parent.glob(f".{path.name}.*.tmp"):
        leftover.unlink(missing_ok=True)


def make_directory(path: Path, *, mode: int = 0o700, lasting: bool = False) -> None:
    """Create `path` and its parents with `mode`, whatever the umask; existing ones stay.

    Args:
        path: the directory.
        mode: of each directory that is created.
        lasting: sync the entry of each: a power cut must not take it away with all it holds.
    """
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir(mode=mode, exist_ok=True)
        directory.chmod(mode)
        if lasting:
            sync_directory(directory.parent)


def _fresh_file(path: Path) -> Path:
    """Create and return an empty temporary file that nobody else has."""
    for number in count():
        temporary = path.with_name(f".{path.name}.{os.getpid()}.{number}.tmp")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            os.close(os.open(temporary, flags, 0o600))
        except FileExistsError:
            continue
        return temporary
    raise AssertionError  # counting does not end


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
