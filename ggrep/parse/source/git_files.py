"""Git's own files on which a work tree's state depends."""

import os
import stat
from pathlib import Path

_MOST_BYTES = 4096
_GIT_FILE = b"gitdir: "
_SYMBOLIC = b"ref: "


def index_file(top: Path) -> Path | None:
    """Return git's index of the work tree at `top`; None when that cannot be told."""
    directory = git_directory(top)
    return directory / "index" if directory else None


def state_files(top: Path) -> tuple[Path, ...] | None:
    """Return the files of which one changes whenever the index, HEAD's commit or the config does.

    Some of them need not exist. A file that the configuration includes is not among them.

    Args:
        top: a work tree's top level; a linked work tree will do.

    Returns:
        None when git's directory is laid out in a way that is not known here.
    """
    own = git_directory(top)
    if own is None:
        return None
    try:
        common = _common_directory(own)
        reference = _reference(own / "HEAD")
        found = [own / name for name in ("HEAD", "index", "commondir", "config.worktree")]
        found += [common / "config", common / "packed-refs", common / "info" / "attributes"]
        found += [directory / "reftable" / "tables.list" for directory in (own, common)]
        if (top / ".git").is_symlink() or (top / ".git").is_file():
            found.append(top / ".git")
        if reference is not None:
            loose = [own / reference, common / reference]
            if any(_reference(path) is not None for path in loose if path.is_file()):
                return None  # a reference that is itself symbolic
            found += loose
    except (OSError, ValueError):
        return None
    return tuple(dict.fromkeys(found))


def git_directory(top: Path) -> Path | None:
    """Return git's own directory of the work tree at `top`; None when that cannot be told."""
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


def _common_directory(own: Path) -> Path:
    file = own / "commondir"
    return own / os.fsdecode(_read(file)).rstrip("\n") if file.exists() else own


def _reference(path: Path) -> str | None:
    """Return the reference that a file points to; None when it holds a commit.

    Raises:
        ValueError: the file is longer than any reference, or leads out of git's directory.
    """
    line = _read(path)
    if not line.startswith(_SYMBOLIC):
        return None
    name = os.fsdecode(line.removeprefix(_SYMBOLIC).strip())
    if name.startswith("/") or ".." in name.split("/"):
        raise ValueError(name)
    return name


def _read(path: Path) -> bytes:
    """Return what a small regular file holds; a FIFO in its place must not make us wait.

    Raises:
        ValueError: it is no regular file, too long, or holds a NUL, which no path does.
        OSError: it cannot be read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(path.name)
        found = file.read(_MOST_BYTES + 1)
    if len(found) > _MOST_BYTES or b"\0" in found:
        raise ValueError(path.name)
    return found
