"""Resolves paths and checks whether a path is inside a directory, before any file is opened."""

import os
from collections.abc import Iterable
from pathlib import Path


def canonical_path(path: Path) -> Path:
    """Return `path` as an absolute path without symbolic links, even if it does not exist.

    If the path does not exist, its longest existing part is resolved and the rest appended. A link
    in the directories of a missing file is therefore always resolved.

    Raises:
        OSError: the links form a cycle or cannot be followed.
        ValueError: the path contains a NUL.
    """
    try:
        real = os.path.realpath(path, strict=True)
    except (FileNotFoundError, NotADirectoryError):
        real = os.path.realpath(path)
    # POSIX allows a special meaning for two leading slashes, which is not used here.
    return Path("/" + real.lstrip("/"))


def lexical_path(path: Path) -> Path:
    """Return `path` as an absolute path without `..`; symbolic links are not resolved.

    Two leading slashes become one slash: POSIX allows another meaning for two slashes, and a
    directory must not have two names.
    """
    return Path("/" + os.path.abspath(path).lstrip("/"))  # noqa: PTH100 - resolve() follows links


def is_canonical(path: Path) -> bool:
    """Return whether `path` is still free of symbolic links.

    A root that was canonical when it was checked can become a link later. The link would then point
    to an unchecked directory.
    """
    try:
        return canonical_path(path) == path
    except (OSError, ValueError):
        return False


def canonical_paths(paths: Iterable[Path]) -> frozenset[Path]:
    """Return the paths that are still free of symbolic links (`is_canonical`).

    A directory that contains several paths is checked once.
    """
    parents: dict[str, bool] = {}
    canonical = set()
    for path in paths:
        parent = os.path.dirname(path)  # noqa: PTH120 - called often
        if parent not in parents:
            parents[parent] = is_canonical(Path(parent))
        if parents[parent] and not os.path.islink(path):  # noqa: PTH114 - called often
            canonical.add(path)
    return frozenset(canonical)


def is_inside(path: Path, root: Path) -> bool:
    """Return whether `path` is `root` or inside it; both paths are canonical.

    A child named `..cache` is inside, and every path is inside `/`.
    """
    return path.is_relative_to(root)
