"""The stack of open directories of a walk, from the root to the current directory.

Each directory is opened by its name relative to its parent's descriptor, and no link is followed,
above or below the root. A directory that is replaced by a link during the walk is therefore not
entered, and a tree can be deeper than the longest path that the kernel accepts.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ggrep.config.confined import open_root

_MOST_OPEN = 48
"""Maximum number of open descriptors, at any depth of the tree."""
_BELOW = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class DirStack:
    """Descriptors from the root to the current directory; in deep trees, some are closed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._open: list[tuple[bytes, int]] = []

    def enter(self, prefix: bytes) -> int:
        """Return a descriptor of a directory, which is valid until the next directory is entered.

        Args:
            prefix: the directory's path below the root, with a trailing slash; empty for the root.

        Raises:
            InvalidRequest: the root was replaced by a link.
            NotADirectoryError: a part of the path is a link or a file.
            OSError: the directory cannot be opened.
        """
        if not self._open:
            self._open.append((b"", open_root(self._root)))
        while not prefix.startswith(self._open[-1][0]):
            os.close(self._open.pop()[1])
        path, descriptor = self._open[-1]
        for part in prefix[len(path) :].split(b"/")[:-1]:
            descriptor = os.open(part, _BELOW, dir_fd=descriptor)
            path += part + b"/"
            self._open.append((path, descriptor))
            if len(self._open) > _MOST_OPEN:
                # The root stays open, because closed directories are opened again from the root.
                os.close(self._open.pop(1)[1])
        return descriptor

    def close(self) -> None:
        """Close all descriptors."""
        while self._open:
            os.close(self._open.pop()[1])


@contextmanager
def open_dir_stack(root: Path) -> Iterator[DirStack]:
    """Yield a stack of open directories, and close it after the block."""
    stack = DirStack(root)
    try:
        yield stack
    finally:
        stack.close()
