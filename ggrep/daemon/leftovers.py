"""What daemons that were killed left behind: removed by those who come after."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from ggrep.home import Home
from ggrep.wire.endpoint import record_path
from ggrep.wire.locator import parse_locator


def sweep(home: Home) -> None:
    """Remove sockets, records and locators whose daemon has died.

    A lock that can be had is that of a dead daemon. It is held while its names are removed, so
    that nobody binds one of them meanwhile; who waited for it finds the file gone and starts over.
    """
    with suppress(OSError):
        for lock in sorted(home.daemon.glob("*.lock")):
            _sweep_one(lock)
        for locator in sorted(home.daemon.glob("*.locator")):
            found = parse_locator(locator.read_bytes())
            if found is None or not found.socket.exists():
                locator.unlink(missing_ok=True)


def _sweep_one(lock: Path) -> None:
    descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        socket = lock.with_suffix(".sock")
        for path in (socket, record_path(socket), lock):
            path.unlink(missing_ok=True)
    except BlockingIOError:
        return
    finally:
        os.close(descriptor)
