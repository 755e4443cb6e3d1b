"""A file beside a socket that says why no daemon should be started for now.

Whoever deletes or replaces an index stops its daemon first. Clients that lose their daemon would
start another one in the middle of it; the note tells them to wait, and why. It is of no effect
any more once the process that wrote it has ended, however that came about.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import Struct

from ggrep.base import durable, stable_json
from ggrep.base.decode import DecodeError, decode
from ggrep.base.processes import is_running, own_start_ticks
from ggrep.protocol.wire.socket_place import marker_path


class Marker(Struct, frozen=True):
    """The content of the marker file."""

    reason: str
    pid: int
    pid_started: int


def standing_reason(socket: Path) -> str | None:
    """Return why no daemon should be started now; None if one may be."""
    try:
        found = decode(Marker, stable_json.loads(marker_path(socket).read_bytes()))
    except (OSError, ValueError, DecodeError):
        return None
    own = found.pid == os.getpid()
    return found.reason if not own and is_running(found.pid, found.pid_started) else None


@contextmanager
def marked(socket: Path, reason: str) -> Iterator[None]:
    """Keep other clients from starting a daemon for the length of the block."""
    path = marker_path(socket)
    note: dict[str, stable_json.Json] = {
        "reason": reason,
        "pid": os.getpid(),
        "pid_started": own_start_ticks(),
    }
    durable.make_directory(path.parent)
    durable.replace_file(path, stable_json.dumps(note))
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()
