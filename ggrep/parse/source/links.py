"""Problems of a symbolic link found on a walk."""

import errno
import os
from pathlib import Path

from ggrep.parse.source.path_keys import is_below


def link_problem(root: Path, path: str, *, is_text: bool) -> tuple[str, str] | None:
    """Return reason and detail of a link that leaves something out; None for other links.

    A link to a file or directory inside the root leaves nothing out: the target is judged under
    its own name, so no file is indexed twice or bypasses an ignore rule.

    Args:
        root: canonical.
        path: of the link.
        is_text: the link's own name is that of an eligible file; a link of another name matters
            only if it leads to a directory.
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
