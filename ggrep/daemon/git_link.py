"""Git directories outside of their work tree, which no watch below the root covers.

A linked work tree has a file `.git` that names its git directory.
"""

from pathlib import Path
from typing import Final

from ggrep.parse.source.git_files import git_directory

_FILES: Final = ("HEAD", "index")

Stamp = tuple[int, int, int]
"""Inode, size and time of change, in nanoseconds."""


def linked_git_dir(root: Path) -> Path | None:
    """Return the git directory that `root` links to; None if it has none or contains it."""
    found = git_directory(root)
    return None if found == root / ".git" else found


def git_stamps(directory: Path) -> tuple[Stamp | None, ...]:
    """Return stamps that change when git moves to another commit or stages something."""
    return tuple(_stamp(directory / name) for name in _FILES)


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)
