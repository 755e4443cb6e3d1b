"""Walks a root once; determines for every file whether it is eligible, and if not, why."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.config.git import GitFailed, has_git_marker
from ggrep.config.settings import Settings
from ggrep.model.files import SkippedFile, SourceFile
from ggrep.model.limits import Notice
from ggrep.parse.source.git_listing import Listing, list_work_tree
from ggrep.parse.source.path_keys import is_below, printable
from ggrep.parse.source.stamps import Stamp
from ggrep.parse.source.walker import Walker

WITHOUT_GIT: Final = ".gitignore files were applied without git, also to tracked files"
"""Ends the notice about a walk that could not use git."""


class Walk(Struct, frozen=True):
    """The result of a walk.

    Attributes:
        files: the eligible files, in the byte order of path keys.
        skipped: files that were not read and are possibly eligible, in the byte order of path keys.
            Includes directories that cannot be read, because the files below them are unknown.
        excluded: each rule with the number of entries that it excluded, sorted by rule; a directory
            that is not entered counts once. Rules: `alias`, `builtin`, `dotfile`, `extension`,
            `ignored`, `nested_repo`, `own_home`.
        left_out: the first excluded entries, each with its rule, in the order of the walk.
        ignore_files: the ignore files that included or excluded an entry, in the byte order of path
            keys.
        git: whether the list of files is from git.
        root: device and inode of the root directory, see `root_identity`.
        notices: notices to the user about the listing.
        unknown: files and directories whose state the file system did not return, by their raw
            names. They, and everything below them, possibly still exist.
        directories: the listed directories, with their stamps from directly before the listing. A
            path has a trailing slash; the root's path is empty.
        inner: the listed directories that contain an entry called `.git`.
        included: eligible files that the profile names, including tracked files.
        beside: ineligible files whose edits matter: a file that becomes a text can become eligible,
            and an edited tracked file makes the tree dirty.
        unlisted: directories that no rule excludes, but in which git lists nothing.
    """

    files: tuple[SourceFile, ...]
    skipped: tuple[SkippedFile, ...]
    excluded: tuple[tuple[str, int], ...]
    ignore_files: tuple[tuple[PathKey, bytes], ...]
    git: bool
    root: tuple[int, int]
    left_out: tuple[tuple[str, str], ...] = ()
    notices: tuple[Notice, ...] = ()
    unknown: frozenset[PathKey] = frozenset()
    directories: tuple[tuple[bytes, Stamp | None], ...] = ()
    inner: tuple[bytes, ...] = ()
    included: frozenset[PathKey] = frozenset()
    beside: tuple[SourceFile, ...] = ()
    unlisted: tuple[bytes, ...] = ()

    def knows(self, key: PathKey) -> bool:
        """Return whether a path that is missing from `files` is certainly not eligible."""
        if not self.unknown:
            return True
        parts = key.split("/")
        above = {PathKey("/".join(parts[: end + 1])) for end in range(len(parts))}
        return above.isdisjoint(self.unknown)


def walk(root: Path, settings: Settings, *, apart: Sequence[Path] = ()) -> Walk:
    """Return the files below a root that are eligible under some settings.

    Args:
        root: the canonical path of the root.
        settings: the settings by which files are eligible.
        apart: directories that are never entered: ggrep's directories, which change with each sync.

    Raises:
        InvalidRequest: the root itself cannot be read. (An empty result would mean that all its
            files were deleted.)
    """
    try:
        identity = _identity(root)
    except OSError as error:
        raise InvalidRequest(f"{root}: cannot be read: {error.strerror}") from error
    listing, notices = listing_of(root, settings)
    walker = Walker(root, settings, listing, apart_below(root, apart))
    walker.run()
    return Walk(
        files=tuple(sorted(walker.files, key=lambda file: file.path_key.encode())),
        skipped=tuple(
            sorted((*walker.skipped, *_absent(listing)), key=lambda skip: skip.path_key.encode())
        ),
        excluded=tuple(sorted(walker.excluded.items())),
        left_out=tuple(walker.left_out),
        ignore_files=tuple(sorted(walker.ignore_files, key=lambda file: file[0].encode())),
        git=listing is not None,
        root=identity,
        notices=notices,
        unknown=frozenset(walker.unknown),
        directories=tuple(walker.directories.items()),
        inner=tuple(walker.inner),
        included=frozenset(walker.included),
        beside=tuple(walker.beside),
        unlisted=tuple(walker.unlisted),
    )


def root_identity(root: Path) -> tuple[int, int] | None:
    """Return a value that changes if another directory replaces the directory at this path.

    Returns:
        None if the directory does not exist or cannot be read.
    """
    try:
        return _identity(root)
    except OSError:
        return None


def _identity(root: Path) -> tuple[int, int]:
    status = root.stat()
    return status.st_dev, status.st_ino


def listing_of(root: Path, settings: Settings) -> tuple[Listing | None, tuple[Notice, ...]]:
    """Return git's listing of a root, or None and a notice if git failed."""
    try:
        if not has_git_marker(root / ".git"):
            return None, ()
        return list_work_tree(root, include_untracked=settings.include_untracked), ()
    except OSError as error:
        reason = f".git cannot be read: {error.strerror}"
    except GitFailed as error:
        reason = str(error)
    return None, (Notice("git_unavailable", f"{reason}: {WITHOUT_GIT}"),)


def _absent(listing: Listing | None) -> list[SkippedFile]:
    detail = "a submodule that is not checked out; git submodule update --init fetches it"
    paths = sorted(listing.absent) if listing else []
    return [SkippedFile(printable(os.fsdecode(path)), "submodule", detail) for path in paths]


def apart_below(root: Path, apart: Sequence[Path]) -> frozenset[bytes]:
    """Return the directories of `apart` inside the root as byte paths relative to the root."""
    real = [Path(os.path.realpath(path)) for path in apart]
    return frozenset(
        os.fsencode(path.relative_to(root))
        for path in real
        if path != root and is_below(root, path)
    )
