"""The locator file, with which a plain search finds the daemon of a repository's root.

The directory of the sockets contains a locator for each root and each profile of a daemon. The name
of a locator, `locator_name(root, profile)`, starts with eight hexadecimal digits: the CRC-32 of the
root's bytes, followed by NUL and the profile's name if the daemon has a profile. Readers must be
fast and import only the standard library, so the file has exactly six lines, each with a newline at
the end:

    ggrep-locator-1
    root of the repository, in the bytes of the file system
    store id
    config fingerprint
    path of the socket, likewise bytes
    build of the daemon

A reader compares the first line, and compares the second line with its root, because two roots can
have the same file name. The usual handshake then checks the daemon. Any other file is ignored. A
root or socket with a newline in its path has no locator.
"""

import os
import zlib
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import InvalidRequest

MAGIC: Final = b"ggrep-locator-1"
MAX_LOCATOR_BYTES: Final = 16 * 1024
"""Largest file that is read as a locator."""


class Locator(Struct, frozen=True):
    """The content of a locator file.

    Attributes:
        root: bytes of the path, from `os.fsencode`.
    """

    root: bytes
    store_id: str
    config_fingerprint: str
    socket: Path
    build: str


def locator_name(root: bytes, profile: str = "") -> str:
    """Return the name of the locator file for a root and a daemon's profile."""
    named = root + b"\0" + os.fsencode(profile) if profile else root
    return f"{zlib.crc32(named):08x}.locator"


def locator_bytes(locator: Locator) -> bytes:
    """Return the bytes of a locator file."""
    lines = (
        MAGIC,
        locator.root,
        os.fsencode(locator.store_id),
        os.fsencode(locator.config_fingerprint),
        os.fsencode(locator.socket),
        os.fsencode(locator.build),
    )
    data = b"".join(line + b"\n" for line in lines)
    if data.count(b"\n") != len(lines) or b"\0" in data or len(data) > MAX_LOCATOR_BYTES:
        raise InvalidRequest(f"locator: {locator.root!r} cannot be written on one line")
    return data


def parse_locator(data: bytes) -> Locator | None:
    """Return the content of a locator file; None if the file is invalid."""
    lines = data.split(b"\n")
    whole = len(lines) == 7 and lines[0] == MAGIC and lines[6] == b""
    if not whole or b"\0" in data or len(data) > MAX_LOCATOR_BYTES:
        return None
    return Locator(
        root=lines[1],
        store_id=os.fsdecode(lines[2]),
        config_fingerprint=os.fsdecode(lines[3]),
        socket=Path(os.fsdecode(lines[4])),
        build=os.fsdecode(lines[5]),
    )
