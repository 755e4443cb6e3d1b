"""Moves a process to the background once it is ready."""

import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress

from ggrep.base.errors import Cancelled, GgrepError

_READY = b"ready"


Ready = Callable[[str], None]
"""Says that the work is ready, and what is to be told of that."""


def in_background(work: Callable[[Ready], object]) -> str:
    """Run `work` in a process of its own session; return its message once it is ready.

    Args:
        work: called there with what it is to call once it is ready; when it returns or raises,
            that process ends.

    Raises:
        Cancelled: it was killed before it was ready.
        GgrepError: it ended instead of getting ready; the message says why.

    Requires: this process has one thread.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        _detach(work, write)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read, "rb") as answer:
        said = answer.read()
    if not said:
        raise Cancelled("it ended before it was ready")
    if not said.startswith(_READY):
        raise GgrepError(said.decode(errors="replace"))
    return said.removeprefix(_READY).decode(errors="replace")


def _detach(work: Callable[[Ready], object], write: int) -> None:
    """Continue as a grandchild of the caller, which nobody has to reap."""
    status = 1
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.chdir("/")
        _without_streams(write)
        work(lambda told: _say(write, _READY + told.encode(errors="replace")))
        status = 0
    except GgrepError as error:
        _say(write, str(error).encode())
    except BaseException as error:  # noqa: BLE001 - the end of a process; who waits is told
        _say(write, f"a bug in ggrep: {type(error).__name__}: {error}".encode())
    finally:
        os._exit(status)


def _without_streams(kept: int) -> None:
    """Close all that the caller has open, such as locks and pipes, but one descriptor."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.closerange(3, kept)
    os.closerange(kept + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _say(write: int, text: bytes) -> None:
    """Send a message to the waiting process and close the pipe; later calls do nothing."""
    with suppress(OSError):
        os.write(write, text)
        os.close(write)
