"""Durable writes: after a crash a file holds its old bytes or its new ones.

LanceDB syncs nothing by itself, so every barrier between staging and the pointer stands here.
"""

import os
from collections.abc import Callable
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
    said it happened. Concurrent callers do not share a temporary file.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    write_file(temporary, data, mode=mode)
    temporary.replace(path)
    sync_directory(path.parent)


def make_directory(path: Path, *, mode: int = 0o700) -> None:
    """Create `path` and its parents with `mode`, whatever the umask; existing ones stay."""
    missing = []
    while not path.exists():
        missing.append(path)
        path = path.parent
    for directory in reversed(missing):
        directory.mkdir(mode=mode, exist_ok=True)
        directory.chmod(mode)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
