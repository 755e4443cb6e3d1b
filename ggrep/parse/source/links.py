"""Classifies the symbolic links that a walk finds."""

import errno
import os
from pathlib import Path

from ggrep.parse.source.path_keys import is_below


def link_problem(root: Path, path: str, *, is_text: bool) -> tuple[str, str] | None:
    """Return reason and detail if files are missing because of a link; None for other links.

    No file is missing because of a link to a file or directory inside the root: the target is
    visited under its own name. A file is thus not indexed twice, and no link circumvents an ignore
    rule.

    Args:
        root: the canonical path of the root.
        path: the path of the link.
        is_text: whether the link's name is that of an eligible file; a link with another name
            matters only if its target is a directory.
    """
    try:
        target = os.path.realpath(path, strict=True)
    except FileNotFoundError:
        return _dangling(root, path) if is_text else None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "symlink_loop", "a symbolic link that leads back to itself"
        return "unreadable", error.strerror or "the link's target cannot be read"
    leaves = not is_below(root, Path(target)) and (is_text or Path(target).is_dir())
    return ("out_of_root", "a symbolic link to outside the root") if leaves else None


def _dangling(root: Path, path: str) -> tuple[str, str]:
    if is_below(root, Path(os.path.realpath(path))):
        return "vanished", "the target of the symbolic link does not exist"
    return "out_of_root", "a symbolic link to outside the root"
