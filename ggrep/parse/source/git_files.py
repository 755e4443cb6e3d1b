"""Finds the files in git's directory that record the state of a work tree."""

import os
import stat
from pathlib import Path

_MOST_BYTES = 4096
_GIT_FILE = b"gitdir: "
_SYMBOLIC = b"ref: "


def index_file(top: Path) -> Path | None:
    """Return git's index file of the work tree at `top`; None if git's directory is unknown."""
    directory = git_directory(top)
    return directory / "index" if directory else None


def state_files(top: Path) -> tuple[Path, ...] | None:
    """Return files that show a change of the index, of HEAD's commit or of the configuration.

    Some of these files need not exist. Files that the configuration includes are not returned.

    Args:
        top: a work tree's top level; the work tree can be a linked one.

    Returns:
        None when git's directory has an unknown layout.
    """
    git_dir = git_directory(top)
    if git_dir is None:
        return None
    try:
        common = _common_directory(git_dir)
        reference = _reference(git_dir / "HEAD")
        files = [git_dir / name for name in ("HEAD", "index", "commondir", "config.worktree")]
        files += [common / "config", common / "packed-refs", common / "info" / "attributes"]
        files += [directory / "reftable" / "tables.list" for directory in (git_dir, common)]
        if (top / ".git").is_symlink() or (top / ".git").is_file():
            files.append(top / ".git")
        if reference is not None:
            loose = [git_dir / reference, common / reference]
            if any(_reference(path) is not None for path in loose if path.is_file()):
                return None  # the reference is itself symbolic
            files += loose
    except (OSError, ValueError):
        return None
    return tuple(dict.fromkeys(files))


def git_directory(top: Path) -> Path | None:
    """Return git's directory of the work tree at `top`; None if it is unknown."""
    marker = top / ".git"
    try:
        if marker.is_dir():
            return marker
        line = _read(marker)
    except (OSError, ValueError):
        return None
    if not line.startswith(_GIT_FILE):
        return None
    return top / os.fsdecode(line.removeprefix(_GIT_FILE)).rstrip("\n")


def _common_directory(git_dir: Path) -> Path:
    file = git_dir / "commondir"
    return git_dir / os.fsdecode(_read(file)).rstrip("\n") if file.exists() else git_dir


def _reference(path: Path) -> str | None:
    """Return the reference to which a file points; None if the file contains a commit.

    Raises:
        ValueError: the file is longer than any reference, or its reference is outside git's
            directory.
    """
    line = _read(path)
    if not line.startswith(_SYMBOLIC):
        return None
    name = os.fsdecode(line.removeprefix(_SYMBOLIC).strip())
    if name.startswith("/") or ".." in name.split("/"):
        raise ValueError(name)
    return name


def _read(path: Path) -> bytes:
    """Return the content of a small regular file; a FIFO in its place does not block.

    Raises:
        ValueError: the file is not regular, too long, or contains a NUL, which no path does.
        OSError: the file cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(path.name)
        content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES or b"\0" in content:
        raise ValueError(path.name)
    return content
