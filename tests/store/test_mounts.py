"""The table of mounts is read as the kernel means it."""

import os
from pathlib import Path

import pytest

from ggrep.index.store.mounts import choose, filesystem_type, parse

LOCAL, REMOTE, OTHER = os.makedev(8, 1), os.makedev(0, 50), os.makedev(0, 60)
TABLE = b"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 27 0:50 / /home rw,relatime shared:2 master:1 - nfs4 host:/home rw,addr=192.0.2.1
31 30 0:60 / /home/a\\040b\\134c rw - fuse.sshfs me@host:/x rw
nonsense
32 27 nonsense / /x rw - ext4 /dev/sda2 rw
33 27 8:2 / /y rw
"""


@pytest.mark.parametrize(
    ("path", "device", "kind"),
    [
        (b"/home/user/.ggrep", REMOTE, "nfs4"),
        (b"/home", REMOTE, "nfs4"),
        (b"/homely", LOCAL, "ext4"),
        (b"/", LOCAL, "ext4"),
        (b"/home/a b\\c/d", OTHER, "fuse.sshfs"),
    ],
)
def test_the_deepest_mount_above_a_path_is_its_own(path: bytes, device: int, kind: str) -> None:
    """A home on a network lies below a root that is local; names begin alike and mean nothing."""
    found = choose(TABLE, path, device)

    assert found is not None
    assert found.kind == kind


def test_the_device_decides_where_mounts_hide_each_other() -> None:
    """The parts of a btrfs have devices that are in no table: the deepest and last mount counts."""
    hidden = TABLE + b"40 27 8:3 / /home rw - xfs /dev/sdb rw\n"

    over = choose(hidden, b"/home/a b\\c/d", os.makedev(8, 3))
    last = choose(hidden, b"/home/user", os.makedev(8, 3))

    assert (over and over.kind, last and last.kind) == ("xfs", "xfs")

    twice = TABLE + b"41 30 0:70 / /home rw - btrfs /dev/sdc rw\n"

    found = choose(twice, b"/home/user", os.makedev(0, 99))

    assert found is not None
    assert found.kind == "btrfs"


def test_the_kernels_own_table_is_understood(tmp_path: Path) -> None:
    """It may have more fields and kinds of lines; a home may be a link to another disk."""
    assert filesystem_type(Path("/proc")) == "proc"
    assert filesystem_type(tmp_path)

    assert [mount.kind for mount in parse(TABLE)] == ["proc", "ext4", "nfs4", "fuse.sshfs"]

    (tmp_path / "link").symlink_to("/proc")

    assert filesystem_type(tmp_path / "link") == "proc"
