"""The path of a daemon's socket, and the record next to it that describes the daemon."""

import hashlib
import os
import re
from pathlib import Path
from typing import Final, cast

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.durable import is_shared
from ggrep.base.stable_json import DecodeError, Json, decode
from ggrep.config.home import Home

MAX_SOCKET_PATH_BYTES: Final = 100
"""Longest path of a socket: less than the kernel's 107 bytes, as files next to it have suffixes."""

MAX_RECORD_BYTES: Final = 64 * 1024
"""Largest record that is parsed."""

_STEM: Final = 16
_UNDECODED: Final = re.compile("[\udc80-\udcff]")
_SPELT: Final = re.compile("\0([89a-f][0-9a-f])")


class DaemonRecord(Struct, frozen=True):
    """The daemon that listens on a socket.

    Attributes:
        root: canonical root of the repository; `os.fsdecode` of its bytes, like `socket`.
        pid_started: start time of the process in clock ticks since boot, from field 22 of
            `/proc/<pid>/stat`. It distinguishes the process from a later one with the same pid.
        started_at: start time in UTC, such as `2026-01-01T12:00:00Z`.
        host_id: the same for all daemons of a host process.
    """

    store_id: str
    config_fingerprint: str
    root: str
    socket: str
    pid: int
    pid_started: int
    started_at: str
    binary_version: str
    build: str
    protocol_versions: tuple[int, ...]
    host_id: str
    encoder: str


def socket_path(
    daemon_dir: Path, store_id: str, config_fingerprint: str, *, temp: Path, uid: int
) -> Path:
    """Return the socket path of the daemon for a store and a configuration.

    The path is in `daemon_dir`. If this path would be too long for a socket, the socket is in a
    directory of this user in `temp`, and its name also depends on the home.
    """
    inputs = f"{store_id}\0{config_fingerprint}".encode()
    path = daemon_dir / f"{_stem(inputs)}.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        return path
    apart = inputs + b"\0" + os.fsencode(daemon_dir)
    return temp / f"ggrep-{uid}" / f"{_stem(apart)}.sock"


def record_path(socket: Path) -> Path:
    """Return the path of the record of the daemon on `socket`."""
    return socket.with_suffix(".json")


def record_json(record: DaemonRecord) -> dict[str, Json]:
    """Return a record as JSON; a non-UTF-8 byte of a path becomes NUL and two hexadecimal digits.

    Paths contain no NUL, so `parse_record` can decode the bytes.
    """
    spelt = replace(record, root=_spelt(record.root), socket=_spelt(record.socket))
    return {"schema_version": 1, **cast(dict[str, Json], to_builtins(spelt))}


def record_bytes(record: DaemonRecord) -> bytes:
    """Return the content of the record file, for `parse_record`."""
    return stable_json.dumps_pretty(record_json(record))


def parse_record(data: bytes) -> DaemonRecord | None:
    """Return a record; None if it is damaged."""
    if len(data) > MAX_RECORD_BYTES:
        return None
    try:
        value = stable_json.loads(data)
        record = decode(DaemonRecord, value)
    except (ValueError, DecodeError):
        return None
    if record.pid <= 0 or record.pid_started < 0:
        return None
    return replace(record, root=_read(record.root), socket=_read(record.socket))


def _stem(inputs: bytes) -> str:
    return hashlib.sha256(inputs).hexdigest()[:_STEM]


def _spelt(path: str) -> str:
    return _UNDECODED.sub(lambda match: f"\0{ord(match[0]) - 0xDC00:02x}", path)


def _read(path: str) -> str:
    return _SPELT.sub(lambda match: chr(0xDC00 + int(match[1], 16)), path)


FALLBACK: Final = Path("/tmp")  # noqa: S108 - daemons check the directory's owner before they bind
"""Parent of the directory for sockets whose path in the home would be too long. `TMPDIR` is not
used, because daemon and client may have different values."""


def place_of_socket(home: Home, store_id: str, config_fingerprint: str) -> Path:
    """Return the socket path of a store's daemon, whether it runs or not."""
    return socket_path(home.daemon, store_id, config_fingerprint, temp=FALLBACK, uid=os.getuid())


def fallback_directory() -> Path:
    """Return the directory for sockets whose path in the home would be too long."""
    return FALLBACK / f"ggrep-{os.getuid()}"


def is_trusted(directory: Path) -> bool:
    """Return whether a directory belongs to this user, to root, or to a shared home.

    Any user can create a directory in the directory for temporary files.
    """
    try:
        owner = directory.stat(follow_symlinks=False).st_uid
    except OSError:
        return False
    return owner in {os.geteuid(), 0} or is_shared(directory)


def marker_path(socket: Path) -> Path:
    """Return the path of the marker file, which prevents starts of a daemon."""
    return socket.with_suffix(".stopping")
