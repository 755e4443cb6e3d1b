"""Reads files below an untrusted root without following symbolic links.

A path is opened part by part, from `/` to the root and further, and no part may be a symbolic link.
No byte outside the root is read, even if a part is replaced between a check and an open.
"""

import os
import stat
from pathlib import Path

from ggrep.base.errors import InvalidRequest
from ggrep.base.linux import PASSED_DIRECTORY

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: if the file was replaced by a FIFO, opening it must not wait for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class NotRegular(OSError):
    """The path is not a regular file."""


class Linked(OSError):
    """A part of the path is a symbolic link."""


class TooLarge(OSError):
    """The file is larger than the limit of the caller."""


def open_root(root: Path) -> int:
    """Return a descriptor of a canonical root; the caller closes it.

    No part of the path may have become a link, because a user who can rename directories above a
    root could make ggrep read another tree instead of the root.

    Raises:
        InvalidRequest: a part of the path is a link.
        OSError: the root cannot be opened.
    """
    slash, *parts = root.parts
    directory = os.open(slash, PASSED_DIRECTORY if parts else _DIRECTORY)
    for number, part in enumerate(parts, start=1):
        try:
            # A directory can be accessible without permission to list it.
            flags = _DIRECTORY if number == len(parts) else PASSED_DIRECTORY
            below = _open_directory(part, directory, flags)
        except Linked as error:
            raise InvalidRequest(
                f"root {root}: the directory {part!r} was replaced by a symbolic link"
            ) from error
        finally:
            os.close(directory)
        directory = below
    return directory


def open_below(root: Path, path_key: str, *, anchored: bool = True) -> int:
    """Return a descriptor of the regular file at `path_key` below `root`; the caller closes it.

    Raises:
        InvalidRequest: the root was replaced by a link.
        Linked: the file or a directory above it is a symbolic link.
        NotRegular: the path is a directory, FIFO, socket or device.
        OSError: the file cannot be opened.
    """
    *parents, name = path_key.split("/")
    directory = open_root(root) if anchored else os.open(root, _DIRECTORY & ~os.O_NOFOLLOW)
    try:
        for part in parents:
            below = _open_directory(part, directory)
            os.close(directory)
            directory = below
        # Opening a device can have side effects, so its type is checked before the open, and again
        # after it because the file may be replaced in between.
        _require_regular(os.stat(name, dir_fd=directory, follow_symlinks=False))
        descriptor = os.open(name, _FILE, dir_fd=directory)
    finally:
        os.close(directory)
    try:
        _require_regular(os.fstat(descriptor))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def read_descriptor(descriptor: int, *, most_bytes: int) -> bytes:
    """Return the remaining bytes of a file, at most `most_bytes`."""
    pieces = []
    while most_bytes > 0:
        piece = os.read(descriptor, min(most_bytes, 1 << 20))
        if not piece:
            break
        pieces.append(piece)
        most_bytes -= len(piece)
    return b"".join(pieces)


def read_small(root: Path, path_key: str, *, cap_bytes: int, anchored: bool = True) -> bytes:
    """Return all bytes of a small file.

    Raises:
        TooLarge: the file has more than `cap_bytes`.
        InvalidRequest, Linked, NotRegular, OSError: see `open_below`.
    """
    descriptor = open_below(root, path_key, anchored=anchored)
    try:
        data = read_descriptor(descriptor, most_bytes=cap_bytes + 1)
    finally:
        os.close(descriptor)
    if len(data) > cap_bytes:
        raise TooLarge(f"larger than {cap_bytes} bytes")
    return data


def _open_directory(name: str, parent: int, flags: int = _DIRECTORY) -> int:
    try:
        return os.open(name, flags, dir_fd=parent)
    except NotADirectoryError:
        # The kernel returns the same error for a link and for a file; only a link can lead outside
        # of the root.
        if stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
            raise Linked("a symbolic link") from None
        raise


def _require_regular(status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise Linked("a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular("not a regular file")
