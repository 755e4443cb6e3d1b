"""Reads the kernel's mount table: the file system that a path lies on."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from ggrep.base.linux import mount_table

_ESCAPED = re.compile(rb"\\([0-7]{3})")
_FIELDS_BEFORE = 6


class Mount(Struct, frozen=True):
    """One line of the table.

    Attributes:
        device: as `stat` tells it.
        point: the directory that it is mounted on.
        kind: for example `ext4` or `fuse.sshfs`.
    """

    device: int
    point: bytes
    kind: str

    def holds(self, path: bytes) -> bool:
        """Return whether an absolute path lies at the mount point or below it."""
        return path == self.point or path.startswith(self.point.rstrip(b"/") + b"/")


def filesystem_type(path: Path, table: bytes | None = None) -> str | None:
    """Return the type of the file system that an existing path lies on; None when unknown.

    Args:
        path: it is looked up as it really is, without links.
        table: the table's bytes; None to read it.

    Raises:
        OSError: the path cannot be looked at.
    """
    real, device = os.fsencode(path.resolve()), path.stat().st_dev
    held = mount_table() if table is None else table
    found = None if held is None else choose(held, real, device)
    return found.kind if found else None


def choose(table: bytes, path: bytes, device: int) -> Mount | None:
    """Return the mount that a path lies on: of its device, deepest, mounted last.

    Some file systems give their parts devices that the table does not know (btrfs); then the
    deepest and last mount above the path is it, whatever its device.
    """
    above = [mount for mount in parse(table) if mount.holds(path)]
    same = [mount for mount in above if mount.device == device]
    best: Mount | None = None
    for mount in same or above:
        if best is None or len(mount.point) >= len(best.point):
            best = mount
    return best


def parse(table: bytes) -> Iterator[Mount]:
    """Yield the mounts of a table in its order; lines that are none of it are left out."""
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
    """Undo the kernel's escapes: blanks, tabs, line feeds and backslashes come in octal."""
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), text)
