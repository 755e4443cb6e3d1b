"""Files whose names no list knows: those that hold text somebody wrote, told by their beginning."""

import os
import re
from typing import Final

from ggrep.config import builtin

MAX_TEXT_BYTES: Final = 64 * 1024
"""Of the unlisted texts of a dozen trees, nearly all larger ones were logs, tables and drawings."""

MAX_SCRIPT_BYTES: Final = 256 * 1024
"""Nobody writes a larger one; what configures a build is larger, and made."""

_SCRIPT: Final = b"#!"
_CORPUS: Final = b"go test fuzz v1"
"""Begins inputs that Go's fuzzing found."""

_HEAD_BYTES: Final = 1024
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DRAWN: Final = re.compile(r"[0-9a-f]{12,}|\d{5,}")
"""Names that programs give: digests and numbers of what they put aside."""

_SECRET: Final = re.compile(r"passw|htpass|secret|credential|private|token|vault")
_KEYS: Final = re.compile(r"(?:^|[/._-])(?:ssh|gpg|pgp|ssl|tls|keys?|certs?|pki)(?:[/._-]|$)")
"""Words in a name that no list has, or in its folder's, are enough to leave the file closed."""

_ARMOUR: Final = b"-----BEGIN "
"""Begins keys and certificates."""

_CONTROLS: Final = bytes({*range(32), 127} - set(b"\t\n\f\r\x1b"))
_LEAST_KNOWN: Final = 0.7
"""Share of a text's beginning that is UTF-8; of one in an older encoding the ASCII."""


def may_be_text(path: str) -> bool:
    """Tell whether only the content of the file at a path says what it is."""
    folder, _, name = path.lower().rpartition("/")
    stem, dot, ending = name.rpartition(".")
    if ending in builtin.NO_TEXTS or _DRAWN.fullmatch(stem or ending) or _SECRET.search(name):
        return False
    return bool(dot) or _KEYS.search(f"{folder.rpartition('/')[2]}/{name}") is None


def is_text(name: str, size_bytes: int, directory: int) -> bool:
    """Tell whether a regular file begins as scripts and other texts do. A kilobyte is read.

    Args:
        name: in its directory.
        size_bytes: its size.
        directory: descriptor of the directory.

    Raises:
        OSError: it cannot be told; that it may not be read is no such reason.
    """
    if not len(_SCRIPT) < size_bytes <= MAX_SCRIPT_BYTES:
        return False
    try:
        descriptor = os.open(name, _FILE, dir_fd=directory)
    except PermissionError:
        return False
    try:
        head = os.read(descriptor, _HEAD_BYTES)
    finally:
        os.close(descriptor)
    return head.startswith(_SCRIPT) or (size_bytes <= MAX_TEXT_BYTES and _reads_as_text(head))


def _reads_as_text(head: bytes) -> bool:
    if not head.strip() or head.startswith(_CORPUS) or _ARMOUR in head:
        return False
    if head.translate(None, _CONTROLS) != head:
        return False
    known = head.decode("utf-8", "ignore")
    return len(known.encode()) >= _LEAST_KNOWN * len(head)
