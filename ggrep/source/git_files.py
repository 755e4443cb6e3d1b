"""The files in which git keeps what a work tree's state depends on beside the tree itself."""

from pathlib import Path

_MOST_BYTES = 4096
_GIT_FILE = b"gitdir: "
_SYMBOLIC = b"ref: "


def index_file(top: Path) -> Path | None:
    """Return git's index of the work tree at `top`; None when that cannot be told."""
    directory = _git_directory(top)
    return directory / "index" if directory else None


def state_files(top: Path) -> tuple[Path, ...] | None:
    """Return the files of which one changes whenever the index, HEAD's commit or the config does.

    Some of them need not exist. A file that the configuration includes is not among them.

    Args:
        top: a work tree's top level; a linked work tree will do.

    Returns:
        None when git's directory is laid out in a way that is not known here.
    """
    own = _git_directory(top)
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


def _git_directory(top: Path) -> Path | None:
    marker = top / ".git"
    try:
        if marker.is_dir():
            return marker
        line = _read(marker)
    except (OSError, ValueError):
        return None
    if not line.startswith(_GIT_FILE):
        return None
    return top / line.removeprefix(_GIT_FILE).decode().rstrip("\n")


def _common_directory(own: Path) -> Path:
    file = own / "commondir"
    return own / _read(file).decode().rstrip("\n") if file.exists() else own


def _reference(path: Path) -> str | None:
    """Return the reference that a file points to; None when it holds a commit.

    Raises:
        ValueError: the file is longer than any reference, or leads out of git's directory.
    """
    line = _read(path)
    if not line.startswith(_SYMBOLIC):
        return None
    name = line.removeprefix(_SYMBOLIC).strip().decode()
    if name.startswith("/") or ".." in name.split("/"):
        raise ValueError(name)
    return name


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        found = file.read(_MOST_BYTES + 1)
    if len(found) > _MOST_BYTES:
        raise ValueError(path.name)
    return found
