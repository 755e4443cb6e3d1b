"""Git directories outside of the work tree they belong to: no watch below a root sees them.

A linked work tree has a file `.git` that names its git directory.
"""

from pathlib import Path
from typing import Final

_MARK: Final = b"gitdir: "
_MOST_BYTES: Final = 8_192
_FILES: Final = ("HEAD", "index")

Stamp = tuple[int, int, int]
"""Inode, size and time of change, in nanoseconds."""


def linked_git_dir(root: Path) -> Path | None:
    """Return the git directory that `root` names; None where it has none or holds it itself."""
    try:
        with (root / ".git").open("rb") as file:
            said = file.read(_MOST_BYTES)
    except OSError:
        return None
    if not said.startswith(_MARK):
        return None
    named = said[len(_MARK) :].strip().decode("utf-8", "surrogateescape")
    return None if "\0" in named else root / named


def git_stamps(directory: Path) -> tuple[Stamp | None, ...]:
    """Return what changes when git moves to another commit or stages something."""
    return tuple(_stamp(directory / name) for name in _FILES)


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)
