"""Which file events may concern an index; the rest is dropped before anybody is woken."""

from pathlib import Path
from typing import Final

from ggrep.config.builtin import DIRECTORIES

_GIT: Final = ".git"
_GIT_FILES: Final = frozenset({"HEAD", "config", "index", "info/attributes", "packed-refs"})
"""What of git's own files decides which files there are, and how they look."""

_GIT_REFS: Final = "refs/"


class EventFilter:
    """Knows one root. Pure: nothing is looked at on disk."""

    def __init__(self, root: Path, apart: tuple[Path, ...]) -> None:
        """Prepare for a root.

        Args:
            root: canonical.
            apart: directories whose content concerns no index: ggrep's own.
        """
        self._root = str(root)
        self._prefix = _below(root)
        self._apart = tuple(_below(path) for path in apart)

    def concerns(self, path: str) -> bool:
        """Tell whether an event at an absolute path may concern the root's index.

        Files that git tracks in directories of products do, and are given up here: one build
        writes thousands of others. The next sync takes them up.
        """
        if path == self._root:
            return True
        if not path.startswith(self._prefix):
            return False
        if any(f"{path}/".startswith(own) for own in self._apart):
            return False
        *above, name = path[len(self._prefix) :].split("/")
        if _GIT in above:
            below = [*above, name][above.index(_GIT) + 1 :]
            return DIRECTORIES.isdisjoint(above[: above.index(_GIT)]) and _git_concerns(below)
        return name != _GIT and DIRECTORIES.isdisjoint(above)


def _git_concerns(parts: list[str]) -> bool:
    inside = "/".join(parts)
    if inside.endswith(".lock"):
        return False  # written first and then moved to its place
    return inside in _GIT_FILES or inside.startswith(_GIT_REFS)


def _below(path: Path) -> str:
    return f"{str(path).rstrip('/')}/"
