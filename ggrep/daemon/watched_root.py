"""A watched root: its events, the state of git, and its settings files."""

import os
import stat
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from ggrep.base.errors import InvalidRequest
from ggrep.config.builtin import DIRECTORIES
from ggrep.config.confined import read_descriptor
from ggrep.config.home import Home
from ggrep.config.profiles import Profile
from ggrep.config.settings import Settings, load_settings
from ggrep.config.settings_files import REPO_FILE
from ggrep.parse.source.git_files import git_directory

_GIT: Final = ".git"
_GIT_FILES: Final = frozenset({"HEAD", "config", "index", "info/attributes", "packed-refs"})
"""Files in `.git` whose changes can affect the files of the work tree."""

_GIT_REFS: Final = "refs/"


class EventFilter:
    """Filters the events of a root without disk access."""

    def __init__(self, root: Path, apart: tuple[Path, ...]) -> None:
        """Create the filter of a root.

        Events in ggrep's directories, `apart`, are dropped.
        """
        self._root = str(root)
        self._prefix = _below(root)
        self._apart = tuple(_below(path) for path in apart)
        self._products: frozenset[str] | None = None

    def expect(self, products: Collection[str] | None) -> bool:
        """Set the indexed files in build output directories; events of these files pass the filter.

        A build writes thousands of other files in these directories.

        Args:
            products: paths below the root; initially None (unknown), so that all events pass.

        Returns:
            True if earlier events of these files may have been dropped.
        """
        before = self._products
        self._products = None if products is None else _with_directories(products)
        return before is not None and (self._products is None or not self._products <= before)

    def concerns(self, path: str) -> bool:
        """Return whether an event at an absolute path can affect the root's index."""
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
        return False  # git renames it to its final name afterwards
    return inside in _GIT_FILES or inside.startswith(_GIT_REFS)


def _with_directories(paths: Collection[str]) -> frozenset[str]:
    names = set(paths)
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in names:
            names.add(path)
    return frozenset(names)


def _below(path: Path) -> str:
    return f"{str(path).rstrip('/')}/"


OnChange = Callable[[int], None]

Stamp = tuple[int, int, int]
"""Inode, size, and time of change in nanoseconds."""


class WatchedRoot:
    """The events of a root. Not thread-safe: the watcher's lock guards it.

    Attributes:
        watched: whether events are delivered; otherwise the root is polled every few seconds.
        events_total: number of events that can affect the index.
        last_event_ms: time of the last such event.
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
        self._glance = self._glanced()

    def open(self, problem: str) -> None:
        """Record the start of watching, or the problem that prevents it; request a full check.

        Events before the start were missed.
        """
        self.watched, self.opened, self.problem = not problem, True, problem
        self._identity = directory_identity(self.root)
        self._git = linked_git_dir(self.root)
        self._stamps = self._git and git_stamps(self._git)
        self._on_change(0)

    def fail(self, problem: str) -> None:
        """Record that the root is no longer watched."""
        self.watched, self.problem = False, problem

    def expect(self, products: Collection[str] | None) -> bool:
        """Set the indexed files in build output directories, see `EventFilter.expect`."""
        return self._filter.expect(products)

    def take(self, paths: list[str], now_ms: float) -> None:
        """Process events; drop those that cannot affect the index."""
        self._count(sum(self._filter.concerns(path) for path in paths), now_ms)

    def look(self, now_ms: float) -> bool:
        """Return False if another directory has the root's path now.

        Also detects changes of a git directory outside of the root, which cause no events.
        """
        if directory_identity(self.root) != self._identity:
            return False
        if self._git is not None and (stamps := git_stamps(self._git)) != self._stamps:
            self._stamps = stamps
            self._count(1, now_ms)
        return True

    def suspect(self) -> None:
        """Request a full check."""
        self._glance = self._glanced()
        self._on_change(0)

    def seems_changed(self) -> bool:
        """Return whether git's HEAD or index, or the root directory, changed since the last check.

        A change of a file in place is not detected.
        """
        return self._glanced() != self._glance

    def _glanced(self) -> tuple[Stamp | None, ...]:
        return (_stamp(self.root), *git_stamps(self._git or self.root / _GIT))

    def _count(self, number: int, now_ms: float) -> None:
        if number:
            self.events_total += number
            self.last_event_ms = now_ms
            self._on_change(number)


def directory_identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode of a directory; None if it is missing."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)


_FILES: Final = ("HEAD", "index")


def linked_git_dir(root: Path) -> Path | None:
    """Return the git directory if it is not `root/.git`; None if there is no git directory."""
    directory = git_directory(root)
    return None if directory == root / ".git" else directory


def git_stamps(directory: Path) -> tuple[Stamp | None, ...]:
    """Return stamps that change when git checks out another commit or stages a file."""
    return tuple(_stamp(directory / name) for name in _FILES)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_ino, status.st_size, status.st_mtime_ns)


_TRIES = 5
_MOST_BYTES = 1 << 20


class LoadedConfig(Struct, frozen=True):
    """Settings, with the content of their files.

    Attributes:
        files: path and bytes of each file; None for a missing file.
    """

    settings: Settings
    files: tuple[tuple[Path, bytes | None], ...]
    profile: Profile = field(default_factory=lambda: Profile(""))

    def present(self) -> tuple[tuple[Path, bytes | None], ...]:
        """Return the current content of the files."""
        return tuple((path, _bytes_of(path)) for path, _ in self.files)

    def is_current(self) -> bool:
        """Return whether every file still contains the same bytes."""
        return self.present() == self.files


def load_config(
    root: Path, home: Home, environ: Mapping[str, str], flags: Mapping[str, object]
) -> LoadedConfig:
    """Return the settings of a root, with the content of their files."""
    paths = (root / REPO_FILE, home.config_file)
    for _ in range(_TRIES):
        before = tuple((path, _bytes_of(path)) for path in paths)
        sourced = load_settings(home, root, environ=environ, flags=flags)
        loaded = LoadedConfig(sourced.settings, before, sourced.profile)
        # Equal bytes before and after mean that the settings were read from these bytes.
        if loaded.is_current():
            return loaded
    raise InvalidRequest(f"{REPO_FILE} changes while ggrep reads it")


def _bytes_of(path: Path) -> bytes | None:
    try:
        # Opening a FIFO that replaced the file must not wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return read_descriptor(descriptor, most_bytes=_MOST_BYTES) if regular else None
    except OSError:
        return None
    finally:
        os.close(descriptor)
