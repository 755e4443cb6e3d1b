"""The size limit on all vector files of a home, and the eviction when they exceed it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.index.embedding.vector_database import Damaged, InUse
from ggrep.index.embedding.vector_file import SUFFIX, VectorFile, last_use

_KEPT_SHARE: Final = 0.9
"""What eviction leaves of the bound, so that it happens once for every tenth written."""


def keep_bound(own: VectorFile, max_bytes: int, *, wait: Callable[[float], None]) -> int:
    """Evict what was used longest ago if the files beside `own` and it exceed the bound.

    The files that were not opened for longest come first, `own` last. One that must go
    altogether is removed if nobody has it open; of the others the oldest rows go.

    Returns:
        The rows that went; a removed file counts none.

    Raises:
        InUse: another process writes `own`.
        Damaged: `own` is not sound.
        OSError: the directory or `own` cannot be read or written.
    """
    sizes = file_sizes(own.path.parent) | {own.path: own.database.size_bytes()}
    excess = sum(sizes.values()) - max_bytes
    if excess <= 0:
        return 0
    excess += max_bytes - int(max_bytes * _KEPT_SHARE)
    durable.reach("cache.before_evict")
    evicted = 0
    others = sorted(sizes.keys() - {own.path}, key=lambda path: (last_use(path), path.name))
    for path in others:
        if excess > 0:
            rows, freed = _shrink(VectorFile(path, wait=wait), sizes[path], excess)
            evicted += rows
            excess -= freed
    if excess > 0:
        evicted += own.database.evict(max(sizes[own.path] - excess, 0))
    durable.reach("cache.after_evict")
    return evicted


def file_sizes(directory: Path) -> dict[Path, int]:
    """Return the size of each vector file in a directory, its log included.

    Raises:
        OSError: it is there and cannot be read.
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


def _shrink(other: VectorFile, size: int, excess: int) -> tuple[int, int]:
    """Take up to `excess` bytes from another one's file; return rows evicted and bytes freed."""
    try:
        if size <= excess:
            return (0, size) if other.remove() else (0, 0)
        try:
            other.open()
            rows = other.database.evict(size - excess)
            return rows, size - other.database.size_bytes()
        finally:
            other.close()
    except (InUse, Damaged, OSError):
        return 0, 0  # the own file makes up for it


def _size_of(entry: "os.DirEntry[str]") -> int:
    try:
        return entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        return 0  # a log goes when the last one closes the file
