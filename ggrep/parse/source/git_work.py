"""The git operation in progress in a work tree, detected from git's own files.

git holds `index.lock` while it moves files, writes the index at the end, and moves HEAD after that.
So files that were read between two looks are of one state of git's when neither look found a lock
and the index is the same in both. A rebase or a row of picks also keeps a directory from its first
step to its last, and while it waits for somebody to solve a conflict: it is at work only while
git's files keep changing.
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
"""A lock so old that no process holds open is of a git that was killed, or that waits for the
message of a commit: no files move."""
MOST_MS: Final = 600_000
"""git is not waited for longer at a time, by those who keep nobody from anything else."""
STEP_MS: Final = 1_000
"""What is done in steps rests once git's files have not changed for so long."""

_LOCKS: Final = ("index.lock", "HEAD.lock")
_STEPS: Final = ("rebase-merge", "rebase-apply", "sequencer")
_HOLDER_MS: Final = 1_000
"""How often it is looked for who holds a lock open."""
_NS: Final = 1_000_000


class GitLook(Struct, frozen=True):
    """git's own files at one moment.

    Attributes:
        index: stamp of the index.
        files: stamps of all files that git's state depends on; None where they are not known.
        lock: a lock that is there, and its stamp.
        steps: what is done in steps, such as `rebase-merge`; empty when nothing is.
        touched_ns: when it got on last.
    """

    index: Stamp | None = None
    files: dict[str, Stamp | None] | None = None
    lock: tuple[Path, Stamp] | None = None
    steps: str = ""
    touched_ns: int = 0

    def agrees(self, other: "GitLook") -> bool:
        """Tell whether git is in the same state in both, to all that its files tell."""
        return self.files == other.files


def look(top: Path) -> GitLook:
    """Return git's own files of the work tree at `top`; nothing where there are none to be seen."""
    own, paths = git_directory(top), state_files(top)
    if own is None or paths is None:
        return GitLook()
    try:
        # A lock that goes between these lines leaves another index; one that comes is seen last.
        lock = _lock(own)
        files = stamps(paths)
        lock = lock or _lock(own)
        steps = {name: found for name in _STEPS if (found := stamp(own / name))}
    except OSError:
        return GitLook()
    index, head = files.get(str(own / "index")), files.get(str(own / "HEAD"))
    touched = [found[1] for found in (*steps.values(), index, head) if found]
    return GitLook(index, files, lock, next(iter(steps), ""), max(touched, default=0))


def _lock(own: Path) -> tuple[Path, Stamp] | None:
    for name in _LOCKS:
        if (found := stamp(own / name)) is not None:
            return own / name, found
    return None


class GitWatch:
    """Tells whether git is at work in one work tree, as far as one who looks again and again sees.

    Not safe for threads.
    """

    def __init__(
        self,
        top: Path,
        clock: Clock,
        held_open: Callable[[Path], bool] = is_held_open,
        *,
        most_ms: float = MOST_MS,
    ) -> None:
        """Look at nothing yet.

        Args:
            top: the work tree's top level.
            clock: tells how old a lock is.
            held_open: tells whether a process holds a file open.
            most_ms: git that works on for longer is at work no more, until it rests.
        """
        self._top = top
        self._clock = clock
        self._held_open = held_open
        self._most_ms = most_ms
        self._seen: object = None
        self._seen_ms = 0.0
        self._began_ms: float | None = None
        self._asked_ms = float("-inf")
        self._held = False
        self.found = GitLook()

    def is_at_work(self) -> bool:
        """Look, and tell whether git may be moving files or HEAD; `found` is what was seen."""
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

    def _moves(self, found: GitLook, now_ms: float) -> bool:
        if found.lock is not None:
            path, (_, touched_ns, _, _) = found.lock
            fresh = self._rest_ms(touched_ns, now_ms) < ABANDONED_MS
            return fresh or self._is_held_open(path, now_ms)
        return bool(found.steps) and self._rest_ms(found.touched_ns, now_ms) < STEP_MS

    def _rest_ms(self, touched_ns: int, now_ms: float) -> float:
        """Return for how long nothing got on: by our own watching at least, whatever the files'
        clock says.
        """  # noqa: D205 - one thought
        age_ms = self._clock.now().timestamp() * 1000 - touched_ns / _NS
        return max(age_ms, now_ms - self._seen_ms)

    def _is_held_open(self, path: Path, now_ms: float) -> bool:
        if now_ms - self._asked_ms >= _HOLDER_MS:
            self._asked_ms, self._held = now_ms, self._held_open(path)
        return self._held
