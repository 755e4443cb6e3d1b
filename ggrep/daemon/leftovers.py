"""Removes what killed daemons left behind."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ggrep.config.home import Home
from ggrep.protocol.wire.endpoint import record_path
from ggrep.protocol.wire.locator import parse_locator
from ggrep.protocol.wire.socket_place import fallback_directory


def sweep(home: Home) -> None:
    """Remove the files of dead daemons, and locks that no process holds.

    A lock that can be had is that of a dead daemon. It is held while its names are removed, so
    that nobody binds one of them meanwhile; who waited for it finds the file gone and starts over.
    """
    for directory in (home.daemon, fallback_directory()):
        for lock in sorted(directory.glob("*.lock")):
            with suppress(OSError), _held(lock):
                socket = lock.with_suffix(".sock")
                for path in (socket, record_path(socket), lock):
                    path.unlink(missing_ok=True)
        for lock in sorted(directory.glob("*.starting")):
            with suppress(OSError), _held(lock):
                lock.unlink(missing_ok=True)
    for locator in sorted(home.daemon.glob("*.locator")):
        with suppress(OSError):
            found = parse_locator(locator.read_bytes())
            if found is None or not found.socket.exists():
                locator.unlink(missing_ok=True)


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    """Hold a lock file for the length of the block.

    Raises:
        OSError: somebody holds it.
    """
    descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
