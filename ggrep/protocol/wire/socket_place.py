"""The socket path of a store's daemon, derived alike by daemons and clients."""

import os
from pathlib import Path
from typing import Final

from ggrep.base.modes import is_shared
from ggrep.config.home import Home
from ggrep.protocol.wire.endpoint import socket_path

FALLBACK: Final = Path("/tmp")  # noqa: S108 - daemons check whose directory it is before they bind
"""Where sockets go whose path below the home would be too long, whatever `TMPDIR` says: daemon
and client may have been started with different ones."""


def place_of_socket(home: Home, store_id: str, config_fingerprint: str) -> Path:
    """Return the socket path of a store's daemon, running or not."""
    return socket_path(home.daemon, store_id, config_fingerprint, temp=FALLBACK, uid=os.getuid())


def fallback_directory() -> Path:
    """Return the directory of sockets whose path below the home would be too long."""
    return FALLBACK / f"ggrep-{os.getuid()}"


def is_trusted(directory: Path) -> bool:
    """Return whether what lies there was put there by us, by root, or by whom the home is shared
    with: anybody may make a directory in a temporary one.
    """  # noqa: D205 - one thought
    try:
        owner = directory.stat(follow_symlinks=False).st_uid
    except OSError:
        return False
    return owner in {os.geteuid(), 0} or is_shared(directory)


def marker_path(socket: Path) -> Path:
    """Return the path of the marker that says why no daemon should be started."""
    return socket.with_suffix(".stopping")
