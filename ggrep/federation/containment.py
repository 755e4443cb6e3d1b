"""Resolves paths and tells whether one lies below another, before any file is touched."""

import os
from collections.abc import Iterable
from pathlib import Path


def canonical_path(path: Path) -> Path:
    """Return `path` absolute and free of symbolic links, whether or not it is there.

    If the path does not exist, its longest existing part is resolved and the rest appended: a link
    on the way to a file not yet made cannot lead outside unseen.

    Raises:
        OSError: the links go round in a circle, or cannot be followed.
        ValueError: it holds a NUL.
    """
    try:
        real = os.path.realpath(path, strict=True)
    except (FileNotFoundError, NotADirectoryError):
        real = os.path.realpath(path)
    # POSIX lets two slashes at the start mean something else; here they never do.
    return Path("/" + real.lstrip("/"))


def lexical_path(path: Path) -> Path:
    """Return `path` absolute and without `..`, links left as they are.

    Two slashes in front become one: POSIX lets them mean something else, and one directory must
    not have two names.
    """
    return Path("/" + os.path.abspath(path).lstrip("/"))  # noqa: PTH100 - resolve() follows links


def is_canonical(path: Path) -> bool:
    """Tell whether `path` is still free of symbolic links.

    A root that was canonical when it was checked may have become a link since: then it means a
    directory that was not checked.
    """
    try:
        return canonical_path(path) == path
    except (OSError, ValueError):
        return False


def canonical_paths(paths: Iterable[Path]) -> frozenset[Path]:
    """Return the paths that are still free of symbolic links, as `is_canonical` tells.

    The directory of several paths is checked once.
    """
    parents: dict[str, bool] = {}
    canonical = set()
    for path in paths:
        parent = os.path.dirname(path)  # noqa: PTH120 - of each, every time
        if parent not in parents:
            parents[parent] = is_canonical(Path(parent))
        if parents[parent] and not os.path.islink(path):  # noqa: PTH114 - of each, every time
            canonical.add(path)
    return frozenset(canonical)


def is_inside(path: Path, root: Path) -> bool:
    """Tell whether `path` is `root` or below it; both canonical.

    A child that is called `..cache` is inside, and everything is inside `/`.
    """
    return path.is_relative_to(root)
