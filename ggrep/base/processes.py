"""Identifies processes by id and start time, and raises limits of this process."""

import gc
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ggrep.base import linux
from ggrep.base.errors import StoreError

_DESCRIPTORS = 64
"""Open files of a command over one store with its parsers, and a reserve."""

_START_FIELD = 19
"""Index of the start time in the fields of `linux.stat_fields`."""


def start_ticks(pid: int) -> int | None:
    """Return the start time of a process in clock ticks since boot; None if it does not exist."""
    fields = linux.stat_fields(pid)
    return None if fields is None or fields[0] in {b"Z", b"X"} else int(fields[_START_FIELD])


def is_running(pid: int, started: int) -> bool:
    """Return whether the process with this id runs and has this start time."""
    return pid > 0 and start_ticks(pid) == started


def own_start_ticks() -> int:
    """Return the start time of this process."""
    return start_ticks(os.getpid()) or 0


def raise_descriptors() -> None:
    """Raise this process's limit of open files to its maximum.

    Each store, daemon and client needs open files, and large workspaces have more repositories than
    the usual limit of 1,024 files.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def require_descriptors() -> None:
    """Increase a low limit of open files; raise an error if it is still too low for a store.

    A library that gets no descriptor may even crash.
    """
    if _allowed() < _DESCRIPTORS:
        raise_descriptors()
        if (allowed := _allowed()) < _DESCRIPTORS:
            raise StoreError(
                f"too many open files: the limit is {allowed}, but ggrep needs"
                f" {_DESCRIPTORS}; raise the limit (ulimit -n) and try again"
            )


def _allowed() -> int:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def is_held_open(path: Path) -> bool:
    """Return whether any process has a file open; unreadable processes are skipped."""
    try:
        wanted = path.stat()
    except OSError:
        return False
    for table in Path("/proc").glob("[0-9]*/fd"):
        with suppress(OSError):  # the process belongs to another user or has ended
            for entry in table.iterdir():
                with suppress(OSError):
                    # Only open files with this name are examined: others may be on a hanging
                    # server.
                    named = entry.readlink().name == path.name
                    if named and os.path.samestat(entry.stat(), wanted):
                        return True
    return False


def take_standard_output() -> BinaryIO:
    """Return the current standard output; from now on, prints go to standard error."""
    taken = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(taken, "wb")


@contextmanager
def without_collecting() -> Iterator[None]:
    """Disable garbage collection in the block; collections take a sixth of imports' time.

    If several threads run such blocks at the same time, the end of the first block enables
    collection again.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
