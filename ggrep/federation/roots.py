"""Caches which root a directory belongs to, until a file that decides it changes.

Whether a work tree takes a directory below it for its own is git's to say, and asking it costs a
process. A server loads a workspace for each request; it looks at a few files instead.
"""

import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Final, TypeAlias

from ggrep.config.files import REPO_FILE
from ggrep.federation.overlaps import git_dir_of

MAX_REMEMBERED: Final = 4096
"""Most directories that are remembered; the one asked for longest ago goes first."""

_Mark: TypeAlias = tuple[int, ...] | None
_Signature: TypeAlias = tuple[_Mark, ...]


class RememberedRoots:
    """Finds roots as the function it is given does, and asks that once for each state of things."""

    def __init__(self, resolve: Callable[[Path], Path], *, most: int = MAX_REMEMBERED) -> None:
        self._resolve = resolve
        self._most = most
        self._known: OrderedDict[Path, tuple[_Signature, Path]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, directory: Path) -> Path:
        """Return the root that `directory` belongs to.

        Raises:
            GgrepError: whatever the function raises; nothing is remembered then.
        """
        try:
            real = Path(os.path.realpath(directory, strict=True))
        except (OSError, ValueError):
            return self._resolve(directory)
        # Before asking: a change meanwhile makes the next look differ, and asks again.
        signature = tuple(_signature(real))
        with self._lock:
            known = self._known.get(real)
            if known is not None and known[0] == signature:
                self._known.move_to_end(real)
                return known[1]
        root = self._resolve(real)
        with self._lock:
            self._known[real] = (signature, root)
            self._known.move_to_end(real)
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return root


def _signature(real: Path) -> Iterator[_Mark]:
    """Yield marks of all that decides which root is meant, from `real` upwards."""
    for directory in (real, *real.parents):
        yield _kind(directory / REPO_FILE)
        yield _state(directory / ".gitignore")
        git_dir = git_dir_of(directory)
        if git_dir is not None:
            yield _kind(git_dir / "HEAD")
            # Tracked files keep a directory inside even where a pattern matches.
            yield _state(git_dir / "index")


def _kind(path: Path) -> _Mark:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return (stat.S_IFMT(found.st_mode),)


def _state(path: Path) -> _Mark:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
