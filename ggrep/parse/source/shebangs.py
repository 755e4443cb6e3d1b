"""Files without an extension that are scripts, by their first line."""

import os
from typing import Final

MAX_SCRIPT_BYTES: Final = 256 * 1024
"""Nobody writes a larger one; what configures a build is larger, and made."""

_MARK: Final = b"#!"
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def may_be_script(name: str) -> bool:
    """Tell whether only the content of a file of this name says what it is."""
    return "." not in name


def is_script(name: str, size_bytes: int, directory: int) -> bool:
    """Tell whether a regular file begins as scripts do. Two bytes of it are read.

    Args:
        name: in its directory.
        size_bytes: its size.
        directory: descriptor of the directory.

    Raises:
        OSError: it cannot be told; that it may not be read is no such reason.
    """
    if not len(_MARK) < size_bytes <= MAX_SCRIPT_BYTES:
        return False
    try:
        descriptor = os.open(name, _FILE, dir_fd=directory)
    except PermissionError:
        return False
    try:
        return os.read(descriptor, len(_MARK)) == _MARK
    finally:
        os.close(descriptor)
