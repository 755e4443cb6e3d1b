"""File system stamps of a path, which show a change without opening the file."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from ggrep.model.files import SourceFile

Stamp: TypeAlias = tuple[int, int, int, int]
"""Size, mtime and ctime in nanoseconds, inode. The ctime cannot be set. So any change of a file,
its name or its permissions changes its stamp, unless it happens within one tick of the file
system's clock."""


def stamp(path: Path | str | bytes) -> Stamp | None:
    """Return the stamp of a path itself, no link followed; None when nothing is there.

    Raises:
        OSError: the file system failed.
    """
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return _of(status)


def stamp_of_open(descriptor: int) -> Stamp:
    """Return the stamp of an open file.

    Raises:
        OSError: the file system failed.
    """
    return _of(os.fstat(descriptor))


def stamp_of(file: SourceFile) -> Stamp:
    """Return the stamp a file had when it was walked or read."""
    return file.size_bytes, file.mtime_ns, file.ctime_ns, file.inode


def is_older(last: Stamp | None, moment_ns: int) -> bool:
    """Return whether a path last changed before a moment; true for an absent path."""
    return last is None or max(last[1], last[2]) < moment_ns


def stamps(paths: Iterable[Path]) -> dict[str, Stamp | None]:
    """Return the stamps of absolute paths.

    Raises:
        OSError: the file system failed.
    """
    return {str(path): stamp(path) for path in paths}


def hold(base: bytes, expected: Mapping[str, Stamp | None]) -> bool:
    """Return whether every path still has its stamp.

    Args:
        base: put before each path; empty, or a directory with a trailing slash.
        expected: by path, spelled as `os.fsdecode` does.

    Raises:
        OSError: the file system failed.
    """
    return all(stamp(base + os.fsencode(path)) == recorded for path, recorded in expected.items())


def _of(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
