"""Files next to the sockets of a home: records of daemons, and markers that prevent a start."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct, to_builtins

from ggrep.base import durable, stable_json
from ggrep.base.locks import is_held
from ggrep.base.processes import is_running, own_start_ticks
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config.home import Home
from ggrep.protocol.wire.endpoint import (
    MAX_RECORD_BYTES,
    DaemonRecord,
    fallback_directory,
    is_trusted,
    marker_path,
    parse_record,
    place_of_socket,
    record_path,
)


def running(home: Home) -> list[DaemonRecord]:
    """Return the daemons with a running process, sorted by root and store."""
    records = []
    for directory in (home.daemon, fallback_directory()):
        if not is_trusted(directory):
            continue
        for path in sorted(directory.glob("*.json")):
            record = _read(path)
            if record is None or not is_running(record.pid, record.pid_started):
                continue
            place = place_of_socket(home, record.store_id, record.config_fingerprint)
            if directory == home.daemon or str(place) == record.socket:
                records.append(record)
    return sorted(records, key=lambda record: (record.root, record.store_id))


def is_starting(home: Home) -> bool:
    """Return whether some process is starting daemons of this home."""
    return any(is_held(path) for path in home.daemon.glob("*.starting"))


def host_in_record(socket: Path) -> str:
    """Return the host id in the record of a socket; empty without a record.

    Other fields are not decoded, which is ten times faster for a thousand records.
    """
    try:
        with record_path(socket).open("rb") as file:
            record = stable_json.loads(file.read(MAX_RECORD_BYTES))
    except (OSError, ValueError):
        return ""
    host = record.get("host_id") if isinstance(record, dict) else None
    return host if isinstance(host, str) else ""


def read_record(socket: Path) -> DaemonRecord | None:
    """Return the record of a socket; None if there is no readable record."""
    return _read(record_path(socket))


def _read(path: Path) -> DaemonRecord | None:
    try:
        with path.open("rb") as file:
            return parse_record(file.read(MAX_RECORD_BYTES + 1))
    except OSError:
        return None


class Marker(Struct, frozen=True):
    """The content of the marker file."""

    reason: str
    pid: int
    pid_started: int


def standing_reason(socket: Path) -> str | None:
    """Return the reason not to start a daemon now; None if a start is allowed."""
    try:
        marker = decode(Marker, stable_json.loads(marker_path(socket).read_bytes()))
    except (OSError, ValueError, DecodeError):
        return None
    is_own = marker.pid == os.getpid()
    return marker.reason if not is_own and is_running(marker.pid, marker.pid_started) else None


@contextmanager
def marked(socket: Path, reason: str) -> Iterator[None]:
    """Prevent other clients from starting a daemon during the block."""
    path = marker_path(socket)
    durable.make_directory(path.parent)
    marker = Marker(reason, os.getpid(), own_start_ticks())
    durable.replace_file(path, stable_json.dumps(to_builtins(marker)))
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()
