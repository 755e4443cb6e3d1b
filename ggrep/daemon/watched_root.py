"""The watcher's record of one root."""

from collections.abc import Callable, Collection
from pathlib import Path

from ggrep.daemon.event_filter import EventFilter
from ggrep.daemon.git_link import git_stamps, linked_git_dir

OnChange = Callable[[int], None]


class WatchedRoot:
    """The events seen of a root. Not thread-safe: the watcher guards it.

    Attributes:
        watched: events are delivered; else it is looked at every few seconds.
        opened: it was tried to watch it.
        problem: why it is not watched.
        events_total: events that may concern its index.
        last_event_ms: when the last of them came.
    """

    def __init__(self, root: Path, apart: tuple[Path, ...], on_change: OnChange) -> None:
        self.root = root
        self.watched = self.opened = False
        self.problem = ""
        self.events_total = 0
        self.last_event_ms: float | None = None
        self._filter = EventFilter(root, apart)
        self._on_change = on_change
        self._identity = directory_identity(root)
        self._git = linked_git_dir(root)
        self._stamps = self._git and git_stamps(self._git)

    def open(self, problem: str) -> None:
        """Record how watching began and request a full check: earlier changes were not seen."""
        self.watched, self.opened, self.problem = not problem, True, problem
        self._identity = directory_identity(self.root)
        self._git = linked_git_dir(self.root)
        self._stamps = self._git and git_stamps(self._git)
        self._on_change(0)

    def fail(self, problem: str) -> None:
        """Record that it is no longer watched."""
        self.watched, self.problem = False, problem

    def expect(self, products: Collection[str] | None) -> bool:
        """Set which files in build output directories count, see `EventFilter.expect`."""
        return self._filter.expect(products)

    def take(self, paths: list[str], now_ms: float) -> None:
        """Process events; those that concern no index are dropped."""
        self._count(sum(self._filter.concerns(path) for path in paths), now_ms)

    def look(self, now_ms: float) -> bool:
        """Check for changes without events; return False if the path is another directory now."""
        if directory_identity(self.root) != self._identity:
            return False
        if self._git is not None and (found := git_stamps(self._git)) != self._stamps:
            self._stamps = found
            self._count(1, now_ms)
        return True

    def suspect(self) -> None:
        """Request a full check."""
        self._on_change(0)

    def _count(self, number: int, now_ms: float) -> None:
        if number:
            self.events_total += number
            self.last_event_ms = now_ms
            self._on_change(number)


def directory_identity(path: Path) -> tuple[int, int] | None:
    """Return an identity that tells a directory from its successor; None without one."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino)
