"""Processes as the kernel identifies them, and limits of this one."""

import gc
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ggrep.base import linux
from ggrep.base.errors import StoreError

_DESCRIPTORS = 64
"""Open files of a command over one store with its parsers, and a reserve."""

_START_FIELD = 19
"""Place of the start time among the fields that the kernel tells of a process."""


def start_ticks(pid: int) -> int | None:
    """Return when a process began, in clock ticks since the machine did; None without it."""
    fields = linux.stat_fields(pid)
    return None if fields is None or fields[0] in {b"Z", b"X"} else int(fields[_START_FIELD])


def is_running(pid: int, started: int) -> bool:
    """Return whether the process of that number is the one that began then."""
    return pid > 0 and start_ticks(pid) == started


def own_start_ticks() -> int:
    """Return when this process began."""
    return start_ticks(os.getpid()) or 0


def raise_descriptors() -> None:
    """Allow this process as many open files as it may have.

    Each store, daemon and client takes some, and the usual 1,024 are fewer than large workspaces
    have repositories.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def require_descriptors() -> None:
    """Raise a limit of open files that is too low for any work on a store.

    A library without a descriptor may even panic.
    """
    if _allowed() < _DESCRIPTORS:
        raise_descriptors()
        if (allowed := _allowed()) < _DESCRIPTORS:
            raise StoreError(
                f"Too many open files: this process may have {allowed} open, ggrep needs"
                f" {_DESCRIPTORS}; allow more (ulimit -n) and try again"
            )


def _allowed() -> int:
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def is_held_open(path: Path) -> bool:
    """Return whether a process holds a file open, as far as we may look into others."""
    try:
        wanted = path.stat()
    except OSError:
        return False
    for table in Path("/proc").glob("[0-9]*/fd"):
        with suppress(OSError):  # it is another user's, or ended just now
            for entry in table.iterdir():
                with suppress(OSError):
                    # Only what bears its name is looked at: another file may lie on a dead server.
                    named = entry.readlink().name == path.name
                    if named and os.path.samestat(entry.stat(), wanted):
                        return True
    return False


@contextmanager
def without_collecting() -> Iterator[None]:
    """Look for no garbage while modules are loaded, which takes a sixth of that time.

    Threads may do so at once: the first of them has it looked for again.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
