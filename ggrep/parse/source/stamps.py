"""File system stamps of a path, which show a change without opening the file."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from ggrep.model.files import SourceFile

Stamp: TypeAlias = tuple[int, int, int, int]
"""Size, mtime and ctime in nanoseconds, inode.

The ctime cannot be set by programs. Any change of a file, its name or its permissions therefore
changes its stamp, unless it happens within one tick of the file system's clock.
"""


def stamp(path: Path | str | bytes) -> Stamp | None:
    """Return the stamp of a path, without following a link; None if the path does not exist.

    Raises:
        OSError: a stamp cannot be read.
    """
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return _of(status)


def stamp_of_open(descriptor: int) -> Stamp:
    """Return the stamp of an open file.

    Raises:
        OSError: a stamp cannot be read.
    """
    return _of(os.fstat(descriptor))


def stamp_of(file: SourceFile) -> Stamp:
    """Return the stamp that a file had when it was listed or read."""
    return file.size_bytes, file.mtime_ns, file.ctime_ns, file.inode


def is_older(last: Stamp | None, moment_ns: int) -> bool:
    """Return whether a path last changed before a moment; True for a missing path."""
    return last is None or max(last[1], last[2]) < moment_ns


def stamps(paths: Iterable[Path]) -> dict[str, Stamp | None]:
    """Return the stamps of absolute paths.

    Raises:
        OSError: a stamp cannot be read.
    """
    return {str(path): stamp(path) for path in paths}


def hold(base: bytes, expected: Mapping[str, Stamp | None]) -> bool:
    """Return whether every path still has its expected stamp.

    Args:
        base: prefix of each path; empty, or a directory with a trailing slash.
        expected: the stamps by path, spelled as by `os.fsdecode`.

    Raises:
        OSError: a stamp cannot be read.
    """
    return all(stamp(base + os.fsencode(path)) == recorded for path, recorded in expected.items())


def _of(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
