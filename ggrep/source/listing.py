"""What git says belongs to a work tree: tracked paths, and untracked ones it does not ignore."""

from dataclasses import dataclass
from pathlib import Path

from ggrep.identity.git import run_git
from ggrep.source.ignore_rules import GIT_FILE

OTHERS = ("ls-files", "-z", "--others", f"--exclude-per-directory={GIT_FILE}")
"""How git is asked for untracked files."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths below the root, as bytes with `/` separators.

    Attributes:
        tracked: paths in git's index, whether or not they still exist.
        untracked: other files that no `.gitignore` hides.
        tracked_directories: directories above a tracked path, without a trailing slash.
        directories: directories above a path of either kind.
        others: what git printed of untracked files; None when it was not asked.
    """

    tracked: frozenset[bytes]
    untracked: frozenset[bytes]
    tracked_directories: frozenset[bytes]
    directories: frozenset[bytes]
    others: bytes | None = None


def list_work_tree(root: Path, *, include_untracked: bool) -> Listing:
    """Return git's listing of the work tree whose top level is `root`.

    Only the tree's own `.gitignore` files count: a user's global excludes and a clone's
    `info/exclude` would give two people two indexes of the same files.

    Raises:
        GitFailed: git is absent or cannot read the repository.
    """
    tracked = _paths(run_git(root, "ls-files", "-z", "--cached")[1])
    output = run_git(root, *OTHERS)[1] if include_untracked else None
    # A nested repository is listed as one directory; it is left alone.
    others = frozenset(path for path in _paths(output or b"") if not path.endswith(b"/"))
    above_tracked = _directories_above(tracked)
    directories = above_tracked | _directories_above(others)
    return Listing(tracked, others, above_tracked, directories, output)


def _paths(output: bytes) -> frozenset[bytes]:
    return frozenset(output.split(b"\0")) - {b""}


def _directories_above(paths: frozenset[bytes]) -> frozenset[bytes]:
    found: set[bytes] = set()
    for path in paths:
        directory = path.rpartition(b"/")[0]
        while directory and directory not in found:
            found.add(directory)
            directory = directory.rpartition(b"/")[0]
    return frozenset(found)
