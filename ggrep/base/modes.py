"""File modes of a home: access for its user alone, or for all users of a group.

A directory's own mode says which: what is created in a directory of the group is the group's,
and all else is private. So the choice is made once, for the home, and everything below follows.
"""

import stat
from pathlib import Path
from typing import Final

from msgspec import Struct


class Modes(Struct, frozen=True):
    """The permission bits of directories and files."""

    directory: int
    file: int


PRIVATE: Final = Modes(0o700, 0o600)
SHARED: Final = Modes(0o2770, 0o660)
"""The set-group-id bit hands the directory's group on to what is created in it."""


def modes_in(directory: Path) -> Modes:
    """Return the modes of what is created in a directory.

    Only the exact mode of a shared directory counts: many are open to a group in some way, and
    nothing may become the group's that was not meant to.
    """
    return SHARED if is_shared(directory) else PRIVATE


def is_shared(directory: Path) -> bool:
    """Return whether a directory is one that a group shares."""
    return stat.S_IMODE(directory.stat().st_mode) == SHARED.directory
