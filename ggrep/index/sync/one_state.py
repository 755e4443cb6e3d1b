"""Ensures that one sync reads, and each snapshot holds, a single git state.

A checkout moves files one by one. So nothing is walked while git is at work, and before a publish
git's index is compared with the one from before the walk. Where it is another, the tree is walked
once more: after a commit or a `git status` the files are as they were read, and the sync goes on;
after a checkout it begins again with what that walk found.
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
from ggrep.model.sync import DegradedFile
from ggrep.parse.source.git_work import GitLook, GitWatch
from ggrep.parse.source.walk import Walk

GIT_AT_WORK: Final = "git_at_work"
_LOOK_S: Final = 0.05
_LOOK_MS: Final = 250.0
"""How often it is looked at git while files are read."""
_RESTARTS: Final = 3
_MOST_MS: Final = 60_000.0
"""How long git is waited for at a time; syncs of other repositories may wait behind this one."""


class Found(Struct, frozen=True):
    """What a walk found, and what git's files were before it.

    Attributes:
        left_out: what a profile's budget left out.
        read_at_ns: when it began.
    """

    look: GitLook
    tree: Walk
    left_out: tuple[DegradedFile, ...]
    read_at_ns: int


WalkTree = Callable[[], tuple[Walk, tuple[DegradedFile, ...]]]
Read = Callable[[], Mapping[PathKey, SourceFile]]


class TreeMoved(Exception):
    """git moved files since the walk; what was found afterwards is to be read."""

    def __init__(self, found: Found) -> None:
        super().__init__("git changed files while they were read")
        self.found = found


class OneState:
    """See the module. One sync has one, for all its attempts."""

    def __init__(self, target: SyncTarget, walk_tree: WalkTree, progress: Progress) -> None:
        self._target = target
        self._walk_tree = walk_tree
        self._progress = progress
        self._git = GitWatch(target.root, target.clock, most_ms=_MOST_MS)
        self._restarts = 0
        self._next_ms = 0.0
        self.mixed = False

    def begin(self) -> Found:
        """Return what there is to read, walked while git rests."""
        look = self._rested()
        read_at_ns = int(self._target.clock.now().timestamp() * 1e9)
        return Found(look, *self._walk_tree(), read_at_ns)

    def is_time(self) -> bool:
        """Tell whether it is time to look at git again; looking costs next to nothing."""
        return self._target.clock.monotonic_ms() >= self._next_ms

    def confirm(self, found: Found, read: Read) -> Found:
        """Return `found`, with git's files as they are now, once git rests.

        Args:
            found: what was read, or is being read.
            read: returns files as they were when they were read, which was after the walk.

        Raises:
            TreeMoved: files have moved since.
        """
        began_ms = self._target.clock.monotonic_ms()
        look = self._rested()
        # Beside a lock that was waited for in vain the index says nothing of the files.
        if look.lock is not None or not look.agrees(found.look):
            found = self._compared(found, look, read)
        now_ms = self._target.clock.monotonic_ms()
        # Whoever commits all the time makes us walk a twentieth of it at most.
        self._next_ms = now_ms + max(_LOOK_MS, 20 * (now_ms - began_ms))
        return found

    def problems(self) -> Sequence[DegradedFile]:
        """Return why a snapshot may be of more than one state."""
        if not self.mixed:
            return ()
        message = "git kept changing files; the index may mix files of different commits"
        return (DegradedFile(GIT_AT_WORK, message, ".git"),)

    def notices(self) -> Sequence[Notice]:
        """Return what is to be said of git at the end."""
        lock = self._git.found.lock
        if lock is None:
            return ()
        message = (
            f"the lock file {lock[0]} is old and was ignored;"
            " if no git command is running there, delete it"
        )
        return (Notice(GIT_AT_WORK, message, ".git"),)

    def _compared(self, found: Found, look: GitLook, read: Read) -> Found:
        if look.lock is None and look.index == found.look.index:
            return replace(found, look=look)  # HEAD moved, or the configuration, but no file
        again = self.begin()
        if _files(found.tree) | {**read()} == _files(again.tree) and (
            found.tree.ignore_files == again.tree.ignore_files
        ):
            return replace(found, look=again.look)
        if self._restarts == _RESTARTS:
            self.mixed = True
            return replace(found, look=again.look)
        self._restarts += 1
        raise TreeMoved(again)

    def _rested(self) -> GitLook:
        """Return git's files once it rests, or has been waited for long enough."""
        while self._git.is_at_work():
            self._progress(SyncProgress(WAITS_FOR_GIT, 0, 0))
            self._target.wait(_LOOK_S)
        return self._git.found


def _files(tree: Walk) -> dict[PathKey, SourceFile]:
    return {file.path_key: file for file in tree.files}
