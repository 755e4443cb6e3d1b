"""Git's listing of a work tree: tracked paths, and untracked paths that are not ignored."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ggrep.config.git import GitFailed, has_git_marker, run_git
from ggrep.parse.source.ignore_rules import GIT_FILE

_OTHERS = ("ls-files", "-z", "--others", f"--exclude-per-directory={GIT_FILE}")
"""The git command that lists untracked files."""
MODULES = b".gitmodules"
"""A work tree without this file has no submodules."""
MOST_NESTED = 8
_LINK = b"160000 "


class Listing(Struct, frozen=True):
    """Paths below the root, as bytes with `/` separators.

    Attributes:
        tracked: paths in git's index, whether or not they still exist.
        untracked: other files that no `.gitignore` excludes.
        tracked_directories: directories above a tracked path, without a trailing slash.
        directories: directories above a tracked or untracked path.
        submodules: directories of checked-out submodules; their files are in `tracked` and
            `untracked`.
        absent: directories of submodules that are not checked out, or that git cannot read.
    """

    tracked: frozenset[bytes]
    untracked: frozenset[bytes]
    tracked_directories: frozenset[bytes]
    directories: frozenset[bytes]
    submodules: frozenset[bytes] = frozenset()
    absent: frozenset[bytes] = frozenset()


def list_work_tree(root: Path, *, include_untracked: bool, depth: int = MOST_NESTED) -> Listing:
    """Return git's listing of the work tree whose top level is `root`.

    Only the tree's `.gitignore` files apply: with a user's global excludes and a clone's
    `info/exclude`, two users would index the same files differently.

    Args:
        root: the work tree's top level.
        include_untracked: whether to list untracked files in addition to tracked files.
        depth: maximum depth of nested submodules.

    Raises:
        GitFailed: git is absent or cannot read the repository.
    """
    with ThreadPoolExecutor(1) as beside:
        untracked = beside.submit(run_git, root, *_OTHERS) if include_untracked else None
        tracked = _paths(run_git(root, "ls-files", "-z", "--cached")[1])
    output = untracked.result()[1] if untracked else b""
    # git lists a nested repository as one directory; such directories are left out.
    others = frozenset(path for path in _paths(output) if not path.endswith(b"/"))
    above_tracked = _directories_above(tracked)
    directories = above_tracked | _directories_above(others)
    listing = Listing(tracked, others, above_tracked, directories)
    for path in _links(root) if MODULES in tracked and depth else ():
        listing = _with_submodule(
            listing, root, path, depth=depth - 1, include_untracked=include_untracked
        )
    return listing


def _links(root: Path) -> list[bytes]:
    """Return the paths at which git's index records the commit of another repository."""
    entries = run_git(root, "ls-files", "-z", "--stage")[1].split(b"\0")
    return [entry.partition(b"\t")[2] for entry in entries if entry.startswith(_LINK)]


def _with_submodule(
    listing: Listing, root: Path, path: bytes, *, depth: int, include_untracked: bool
) -> Listing:
    """Return a listing to which the files of a submodule are added.

    Only ignore files inside the submodule apply to these files.
    """
    top = root / os.fsdecode(path)
    try:
        # No part of the path may be a link, because files behind a link are not in this tree.
        if os.path.realpath(top) != str(top) or not has_git_marker(top / ".git"):
            return replace(listing, absent=listing.absent | {path})
        inner = list_work_tree(top, include_untracked=include_untracked, depth=depth)
    except (OSError, GitFailed):
        return replace(listing, absent=listing.absent | {path})

    def below(paths: frozenset[bytes]) -> frozenset[bytes]:
        return frozenset(path + b"/" + each for each in paths)

    tracked = listing.tracked | below(inner.tracked)
    itself = _directories_above(frozenset({path + b"/"}))
    above = listing.tracked_directories | below(inner.tracked_directories) | itself
    return Listing(
        tracked=tracked,
        untracked=listing.untracked | below(inner.untracked),
        tracked_directories=above,
        directories=above | listing.directories | below(inner.directories),
        submodules=listing.submodules | below(inner.submodules) | {path},
        absent=listing.absent | below(inner.absent),
    )


def _paths(output: bytes) -> frozenset[bytes]:
    return frozenset(output.split(b"\0")) - {b""}


def _directories_above(paths: frozenset[bytes]) -> frozenset[bytes]:
    above: set[bytes] = set()
    for path in paths:
        directory = path.rpartition(b"/")[0]
        while directory and directory not in above:
            above.add(directory)
            directory = directory.rpartition(b"/")[0]
    return frozenset(above)
