"""Files whose names no list contains: text files are recognised by their beginning."""

import os
import re
from typing import Final

from ggrep.config import builtin

MAX_TEXT_BYTES: Final = 64 * 1024
"""Largest unlisted text; in a dozen trees nearly all larger ones were logs, tables or drawings."""

MAX_SCRIPT_BYTES: Final = 256 * 1024
"""Largest script; larger ones are generated configuration."""

_SCRIPT: Final = b"#!"
_CORPUS: Final = b"go test fuzz v1"
"""First bytes of inputs that Go's fuzzing generated."""

_HEAD_BYTES: Final = 1024
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DIGEST_NAME: Final = re.compile(r"[0-9a-f]{12,}|\d{5,}")
"""Names that programs generate: digests and numbers."""

_SECRET: Final = re.compile(r"passw|htpass|secret|credential|private|token|vault")
_KEYS: Final = re.compile(r"(?:^|[/._-])(?:ssh|gpg|pgp|ssl|tls|keys?|certs?|pki)(?:[/._-]|$)")
"""Words in an unlisted name, or in its folder's, because of which the file is not opened."""

_ARMOUR: Final = b"-----BEGIN "
"""First bytes of keys and certificates."""

_CONTROLS: Final = bytes({*range(32), 127} - set(b"\t\n\f\r\x1b"))
_LEAST_KNOWN: Final = 0.7
"""Minimum share of a text's beginning that is UTF-8; for an older encoding, the ASCII part."""


def may_be_text(path: str) -> bool:
    """Return whether only the content of the file at a path shows whether it is text."""
    folder, _, name = path.lower().rpartition("/")
    stem, dot, ending = name.rpartition(".")
    if ending in builtin.NO_TEXTS or _DIGEST_NAME.fullmatch(stem or ending) or _SECRET.search(name):
        return False
    return bool(dot) or _KEYS.search(f"{folder.rpartition('/')[2]}/{name}") is None


def is_text(name: str, size_bytes: int, directory: int) -> bool:
    """Return whether a regular file begins as scripts and other texts do. A kilobyte is read.

    Args:
        name: in its directory.
        size_bytes: its size.
        directory: descriptor of the directory.

    Raises:
        OSError: the file cannot be read, for another reason than its permissions.
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
