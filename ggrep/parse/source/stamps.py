"""File system stamps of a path, which show a change without opening the file."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from ggrep.model.files import SourceFile

Stamp: TypeAlias = tuple[int, int, int, int]
"""Size, mtime and ctime in nanoseconds, inode. The ctime cannot be set, so whatever changes a
file, its name or its permissions gives it another stamp, unless that happens within one tick of
the file system's clock."""


def stamp(path: Path | str | bytes) -> Stamp | None:
    """Return the stamp of a path itself, no link followed; None when nothing is there.

    Raises:
        OSError: the file system would not tell.
    """
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return _of(status)


def stamp_of_open(descriptor: int) -> Stamp:
    """Return the stamp of what is open.

    Raises:
        OSError: the file system would not tell.
    """
    return _of(os.fstat(descriptor))


def stamp_of(file: SourceFile) -> Stamp:
    """Return the stamp a file had when it was walked or read."""
    return file.size_bytes, file.mtime_ns, file.ctime_ns, file.inode


def is_older(found: Stamp | None, moment_ns: int) -> bool:
    """Tell whether a path was last touched before a moment; what is absent was."""
    return found is None or max(found[1], found[2]) < moment_ns


def stamps(paths: Iterable[Path]) -> dict[str, Stamp | None]:
    """Return the stamps of absolute paths.

    Raises:
        OSError: the file system would not tell.
    """
    return {str(path): stamp(path) for path in paths}


def hold(base: bytes, expected: Mapping[str, Stamp | None]) -> bool:
    """Tell whether every path still has its stamp.

    Args:
        base: put before each path; empty, or a directory with a trailing slash.
        expected: by path, spelled as `os.fsdecode` does.

    Raises:
        OSError: the file system would not tell.
    """
    return all(stamp(base + os.fsencode(path)) == held for path, held in expected.items())


def _of(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
