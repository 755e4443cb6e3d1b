"""Drops file events that cannot concern an index, before anything is woken."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from ggrep.config.builtin import DIRECTORIES

_GIT: Final = ".git"
_GIT_FILES: Final = frozenset({"HEAD", "config", "index", "info/attributes", "packed-refs"})
"""What of git's own files decides which files there are, and how they look."""

_GIT_REFS: Final = "refs/"


class EventFilter:
    """Filters the events of one root. Pure: does not touch the disk."""

    def __init__(self, root: Path, apart: tuple[Path, ...]) -> None:
        """Prepare for a root.

        Args:
            root: canonical.
            apart: directories whose content concerns no index: ggrep's own.
        """
        self._root = str(root)
        self._prefix = _below(root)
        self._apart = tuple(_below(path) for path in apart)
        self._products: frozenset[str] | None = None

    def expect(self, products: Collection[str] | None) -> bool:
        """Let events of these files pass even inside build output directories.

        One build writes thousands of others there.

        Args:
            products: paths below the root; None, as at first, when they are not known: all pass.

        Returns:
            Whether something of theirs may have been dropped before.
        """
        before = self._products
        self._products = None if products is None else _with_directories(products)
        return before is not None and (self._products is None or not self._products <= before)

    def concerns(self, path: str) -> bool:
        """Tell whether an event at an absolute path may concern the root's index."""
        if path == self._root:
            return True
        if not path.startswith(self._prefix) or f"{path}/".startswith(self._apart):
            return False
        inside = path[len(self._prefix) :]
        *above, name = inside.split("/")
        if _GIT in above:
            below = [*above, name][above.index(_GIT) + 1 :]
            return DIRECTORIES.isdisjoint(above[: above.index(_GIT)]) and _git_concerns(below)
        if DIRECTORIES.isdisjoint(above):
            return name != _GIT
        return self._products is None or inside in self._products


def _git_concerns(parts: list[str]) -> bool:
    inside = "/".join(parts)
    if inside.endswith(".lock"):
        return False  # written first and then moved to its place
    return inside in _GIT_FILES or inside.startswith(_GIT_REFS)


def _with_directories(paths: Collection[str]) -> frozenset[str]:
    found = set(paths)
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return frozenset(found)


def _below(path: Path) -> str:
    return f"{str(path).rstrip('/')}/"
