"""Limits the size of all vector files of a home: evicts vectors when the files exceed the limit."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.index.embedding.vector_database import (
    SUFFIX,
    Damaged,
    InUse,
    VectorDatabase,
    last_use,
)

_KEPT_SHARE: Final = 0.9
"""An eviction reduces files to this share of the limit, so not every write causes one."""


def keep_bound(current: VectorDatabase, max_bytes: int, *, wait: Callable[[float], None]) -> int:
    """Evict the least recently used vectors if the files of the directory exceed `max_bytes`.

    The least recently opened file is reduced first, `current` last. A file that must be emptied is
    removed if no process has it open; from other files, the oldest rows are deleted.

    Returns:
        The number of evicted rows, without those of removed files.

    Raises:
        InUse: another process is writing `current`.
        Damaged: `current` is damaged.
        OSError: the directory or `current` cannot be read or written.
    """
    sizes = file_sizes(current.path.parent) | {current.path: current.size_bytes()}
    excess = sum(sizes.values()) - max_bytes
    if excess <= 0:
        return 0
    excess += max_bytes - int(max_bytes * _KEPT_SHARE)
    durable.reach("cache.before_evict")
    evicted = 0
    others = sorted(sizes.keys() - {current.path}, key=lambda path: (last_use(path), path.name))
    for path in others:
        if excess > 0:
            rows, freed = _shrink(VectorDatabase(path, wait=wait), sizes[path], excess)
            evicted += rows
            excess -= freed
    if excess > 0:
        evicted += current.evict(max(sizes[current.path] - excess, 0))
    durable.reach("cache.after_evict")
    return evicted


def file_sizes(directory: Path) -> dict[Path, int]:
    """Return the size of each vector file in a directory, including its log.

    Raises:
        OSError: the directory exists and cannot be read.
    """
    sizes: dict[Path, int] = {}
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                stem, suffix, _ = entry.name.partition(SUFFIX)
                if suffix:
                    path = directory / f"{stem}{suffix}"
                    sizes[path] = sizes.get(path, 0) + _size_of(entry)
    except FileNotFoundError:
        return {}
    return sizes


def _shrink(other: VectorDatabase, size: int, excess: int) -> tuple[int, int]:
    """Free up to `excess` bytes of another file; return evicted rows and freed bytes."""
    try:
        if size <= excess:
            return (0, size) if other.remove() else (0, 0)
        try:
            other.open()
            rows = other.evict(size - excess)
            return rows, size - other.size_bytes()
        finally:
            other.close()
    except (InUse, Damaged, OSError):
        return 0, 0  # the current file is reduced instead


def _size_of(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        return 0  # the last process that closes a file removes its log
