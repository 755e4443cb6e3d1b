"""Finds the file system of a path in the kernel's mount table."""

import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from ggrep.base.linux import mount_table

_ESCAPED = re.compile(rb"\\([0-7]{3})")
_FIELDS_BEFORE = 6


class Mount(Struct, frozen=True):
    """One line of the mount table.

    Attributes:
        device: as `stat` returns it.
        point: the directory where it is mounted.
        kind: for example `ext4` or `fuse.sshfs`.
    """

    device: int
    point: bytes
    kind: str

    def holds(self, path: bytes) -> bool:
        """Return whether an absolute path is the mount point or below it."""
        return path == self.point or path.startswith(self.point.rstrip(b"/") + b"/")


def filesystem_type(path: Path, table: bytes | None = None) -> str | None:
    """Return the type of the file system of an existing path; None if it is unknown.

    Args:
        path: the path; symbolic links in it are resolved.
        table: the mount table's bytes; None to read it.

    Raises:
        OSError: the path cannot be read.
    """
    real, device = os.fsencode(path.resolve()), path.stat().st_dev
    known = mount_table() if table is None else table
    mount = None if known is None else choose(known, real, device)
    return mount.kind if mount else None


def choose(table: bytes, path: bytes, device: int) -> Mount | None:
    """Return the mount of a path: the deepest and last mount above it with its device.

    The devices of some file systems (btrfs) are not in the table. For such a device, return the
    deepest and last mount above the path with any device.
    """
    above = [mount for mount in parse(table) if mount.holds(path)]
    same = [mount for mount in above if mount.device == device]
    best: Mount | None = None
    for mount in same or above:
        if best is None or len(mount.point) >= len(best.point):
            best = mount
    return best


@lru_cache(1)
def parse(table: bytes) -> tuple[Mount, ...]:
    """Return the mounts of a table in order, without malformed lines."""
    return tuple(_parsed(table))


def _parsed(table: bytes) -> Iterator[Mount]:
    for line in table.splitlines():
        before, separator, after = line.partition(b" - ")
        fields, rest = before.split(b" "), after.split(b" ")
        if not separator or len(fields) < _FIELDS_BEFORE or not rest[0]:
            continue
        major, _, minor = fields[2].partition(b":")
        if major.isdigit() and minor.isdigit():
            device = os.makedev(int(major), int(minor))
            yield Mount(device, _unescape(fields[4]), rest[0].decode("ascii", "replace"))


def _unescape(text: bytes) -> bytes:
    """Undo the kernel's octal escapes of blanks, tabs, line feeds and backslashes."""
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), text)
