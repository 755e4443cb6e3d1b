"""Detects a git operation in progress in a work tree, from the files in git's directory.

git has `index.lock` while it changes files. At the end of an operation, git writes the index, and
then HEAD. If at two moments no lock exists and the index is the same, the files that were read in
between belong to one state of git. During a rebase or a series of cherry-picks, git's directory
also contains a folder for this operation, from the first step to the last, even while git waits for
the user to resolve a conflict. A rebase counts as in progress only while git's files keep changing.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.clock import Clock
from ggrep.base.processes import is_held_open
from ggrep.parse.source.git_files import git_directory, state_files
from ggrep.parse.source.stamps import Stamp, stamp, stamps

ABANDONED_MS: Final = 10_000
"""Age from which on a lock that no process has open does not count.

Its git was killed, or waits for a commit message; it does not change files.
"""
MOST_MS: Final = 600_000
"""Maximum time that a caller waits for git, if the caller blocks no other work."""
STEP_MS: Final = 1_000
"""Time without a change of git's files after which an operation in several steps counts as idle."""

_LOCKS: Final = ("index.lock", "HEAD.lock")
_STEPS: Final = ("rebase-merge", "rebase-apply", "sequencer")
_HOLDER_MS: Final = 1_000
"""Interval between look-ups of the process that has a lock open."""
_NS: Final = 1_000_000


class GitLook(Struct, frozen=True):
    """The state of git's files at one moment.

    Attributes:
        index: the stamp of the index.
        files: the stamps of all files that record git's state; None if they cannot be read.
        lock: an existing lock file, and its stamp; None without a lock.
        steps: the folder of an operation in several steps, such as `rebase-merge`; empty without
            it.
        touched_ns: the time of the operation's last progress.
    """

    index: Stamp | None = None
    files: dict[str, Stamp | None] | None = None
    lock: tuple[Path, Stamp] | None = None
    steps: str = ""
    touched_ns: int = 0

    def agrees(self, other: "GitLook") -> bool:
        """Return whether git's files have the same stamps in both observations."""
        return self.files == other.files


def look(top: Path) -> GitLook:
    """Return the state of git's files of the work tree at `top`.

    Return a `GitLook` with default values if the files cannot be read.
    """
    git_dir, paths = git_directory(top), state_files(top)
    if git_dir is None or paths is None:
        return GitLook()
    try:
        # If a lock is released between these lines, the index differs; a new lock is seen at the
        # end.
        lock = _lock(git_dir)
        files = stamps(paths)
        lock = lock or _lock(git_dir)
        steps = {name: step_stamp for name in _STEPS if (step_stamp := stamp(git_dir / name))}
    except OSError:
        return GitLook()
    index, head = files.get(str(git_dir / "index")), files.get(str(git_dir / "HEAD"))
    touched = [step_stamp[1] for step_stamp in (*steps.values(), index, head) if step_stamp]
    return GitLook(index, files, lock, next(iter(steps), ""), max(touched, default=0))


def _lock(git_dir: Path) -> tuple[Path, Stamp] | None:
    for name in _LOCKS:
        if (lock_stamp := stamp(git_dir / name)) is not None:
            return git_dir / name, lock_stamp
    return None


class GitWatch:
    """Detects by repeated observation whether a git operation is in progress in one work tree.

    Not thread-safe.
    """

    def __init__(
        self,
        top: Path,
        clock: Clock,
        is_in_use: Callable[[Path], bool] = is_held_open,
        *,
        most_ms: float = MOST_MS,
    ) -> None:
        """Create the watch; the files are read by `is_at_work`.

        Args:
            top: the work tree's top level.
            clock: measures the age of a lock.
            is_in_use: returns whether a process has a file open.
            most_ms: time after which an operation no longer counts as in progress. After git was
                idle, the next operation counts again.
        """
        self._top = top
        self._clock = clock
        self._is_in_use = is_in_use
        self._most_ms = most_ms
        self._seen: object = None
        self._seen_ms = 0.0
        self._began_ms: float | None = None
        self._asked_ms = float("-inf")
        self._holder_seen = False
        self.found = GitLook()

    def is_at_work(self) -> bool:
        """Return whether git is possibly changing files or HEAD.

        The observed state of git's files is stored in `found`.
        """
        self.found = look(self._top)
        now_ms = self._clock.monotonic_ms()
        seen = (self.found.lock, self.found.steps, self.found.touched_ns)
        if seen != self._seen:
            self._seen, self._seen_ms = seen, now_ms
        if not self._moves(self.found, now_ms):
            self._began_ms = None
            return False
        self._began_ms = now_ms if self._began_ms is None else self._began_ms
        return now_ms - self._began_ms < self._most_ms

    def _moves(self, now: GitLook, now_ms: float) -> bool:
        if now.lock is not None:
            path, (_, touched_ns, _, _) = now.lock
            fresh = self._rest_ms(touched_ns, now_ms) < ABANDONED_MS
            return fresh or self._has_holder(path, now_ms)
        return bool(now.steps) and self._rest_ms(now.touched_ns, now_ms) < STEP_MS

    def _rest_ms(self, touched_ns: int, now_ms: float) -> float:
        """Return the time since the last progress.

        The longer of two times counts: since the file changed, and since the observed state of git
        changed.
        """
        age_ms = self._clock.now().timestamp() * 1000 - touched_ns / _NS
        return max(age_ms, now_ms - self._seen_ms)

    def _has_holder(self, path: Path, now_ms: float) -> bool:
        if now_ms - self._asked_ms >= _HOLDER_MS:
            self._asked_ms, self._holder_seen = now_ms, self._is_in_use(path)
        return self._holder_seen
