"""Ensures that each snapshot has the files of a single git state.

A checkout replaces files one after another. No tree is walked while a git command runs. Before a
publication, git's index file is compared with its state before the walk. If git's index file has
changed, the tree is walked again: if no file has changed, as after a commit or a `git status`, the
sync continues; otherwise, as after a checkout, the sync begins again with the new walk.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.ids import PathKey
from ggrep.index.sync.sync_report import Progress, SyncProgress
from ggrep.index.sync.target import SyncTarget
from ggrep.model.daemons import WAITS_FOR_GIT
from ggrep.model.files import SourceFile
from ggrep.model.limits import Notice
from ggrep.model.response import GitState
from ggrep.model.sync import DegradedFile
from ggrep.parse.source.git_work import GitLook, GitWatch
from ggrep.parse.source.walk import Walk

GIT_AT_WORK: Final = "git_at_work"
_LOOK_S: Final = 0.05
_LOOK_MS: Final = 250.0
"""Interval of the checks of git while files are read."""
_RESTARTS: Final = 3
_MOST_MS: Final = 60_000.0
"""Maximum time of one wait for git; syncs of other repositories may wait for this sync."""


class WalkedTree(Struct, frozen=True):
    """A walk of the tree, and the stats of git's files before the walk.

    Attributes:
        left_out: warnings about files that a profile's budget excludes.
        git: git's state, such as the commit; None without git.
        read_at_ns: when the walk began.
    """

    look: GitLook
    tree: Walk
    left_out: tuple[DegradedFile, ...]
    git: GitState | None
    read_at_ns: int


WalkTree = Callable[[], tuple[Walk, tuple[DegradedFile, ...], GitState | None]]
Read = Callable[[], Mapping[PathKey, SourceFile]]


class TreeMoved(Exception):
    """Files have changed since the walk because of git; `walked` is a newer walk."""

    def __init__(self, walked: WalkedTree) -> None:
        super().__init__("git moved files while they were read")
        self.walked = walked


class GitConsistency:
    """Compares git's files before and after files are read, in all attempts of one sync."""

    def __init__(self, target: SyncTarget, progress: Progress) -> None:
        self._target = target
        self._progress = progress
        self._git = GitWatch(target.root, target.clock, most_ms=_MOST_MS)
        self._restarts = 0
        self._next_ms = 0.0
        self.mixed = False

    def begin(self, walk_tree: WalkTree) -> WalkedTree:
        """Wait until git is idle, then walk the tree."""
        look = self._rested()
        read_at_ns = int(self._target.clock.now().timestamp() * 1e9)
        return WalkedTree(look, *walk_tree(), read_at_ns)

    def is_time(self) -> bool:
        """Return whether it is time to check git's files again."""
        return self._target.clock.monotonic_ms() >= self._next_ms

    def confirm(self, walked: WalkedTree, read: Read, walk_tree: WalkTree) -> WalkedTree:
        """Wait until git is idle; return the walk, with the current stats of git's files.

        Args:
            walked: the walk whose files were read, or are being read.
            read: returns the files that were read since the walk, with their stats when read.
            walk_tree: walks the tree again.

        Raises:
            TreeMoved: files have changed since the walk.
        """
        began_ms = self._target.clock.monotonic_ms()
        look = self._rested()
        # If a lock was not released in time, git's index file does not show whether files changed.
        if look.lock is not None or not look.agrees(walked.look):
            walked = self._compared(walked, look, read, walk_tree)
        now_ms = self._target.clock.monotonic_ms()
        # During constant commits, walks take at most a twentieth of the time.
        self._next_ms = now_ms + max(_LOOK_MS, 20 * (now_ms - began_ms))
        return walked

    def problems(self) -> Sequence[DegradedFile]:
        """Return a problem if the snapshot may contain files of several commits; else nothing."""
        if not self.mixed:
            return ()
        message = "git kept changing files; the index may mix files of different commits"
        return (DegradedFile(GIT_AT_WORK, message, ".git"),)

    def notices(self) -> Sequence[Notice]:
        """Return a warning about a lock of git that was not released in time."""
        lock = self._git.found.lock
        if lock is None:
            return ()
        message = (
            f"the lock file {lock[0]} is old and was ignored;"
            " if no git command is running there, delete it"
        )
        return (Notice(GIT_AT_WORK, message, ".git"),)

    def _compared(
        self, walked: WalkedTree, look: GitLook, read: Read, walk_tree: WalkTree
    ) -> WalkedTree:
        if look.lock is None and look.index == walked.look.index:
            return replace(walked, look=look)  # HEAD or the configuration changed, but no file
        again = self.begin(walk_tree)
        if _files(walked.tree) | {**read()} == _files(again.tree) and (
            walked.tree.ignore_files == again.tree.ignore_files
        ):
            return replace(walked, look=again.look)
        if self._restarts == _RESTARTS:
            self.mixed = True
            return replace(walked, look=again.look)
        self._restarts += 1
        raise TreeMoved(again)

    def _rested(self) -> GitLook:
        """Wait until git is idle, or for the maximum time; return the stats of git's files."""
        while self._git.is_at_work():
            self._progress(SyncProgress(WAITS_FOR_GIT, 0, 0))
            self._target.wait(_LOOK_S)
        return self._git.found


def _files(tree: Walk) -> dict[PathKey, SourceFile]:
    return {file.path_key: file for file in tree.files}
