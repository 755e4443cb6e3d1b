"""Writes to the process's output streams, as `ggrep.interfaces.cli.terminal` does."""

import os
import sys

from ggrep.base.terminal import paged

_BAD = "\x1b[1;31m"
_END = "\x1b[0m"


def are_our_own() -> bool:
    """Return whether `sys.stdout` and `sys.stderr` are open and have not been replaced."""
    ours = sys.stdout is not None and sys.stderr is not None
    return ours and sys.stdout is sys.__stdout__ and sys.stderr is sys.__stderr__


def deliver(
    out: str, err: str, *, json: bool, colour: bool, environ: dict[str, str], before: str = ""
) -> int | None:
    """Write `before` and both texts; return an exit status if writing fails, else None.

    JSON is UTF-8. Text has the stream's encoding; characters outside this encoding are replaced.
    """
    try:
        if before:
            _write(2, before.encode(sys.stderr.encoding, "replace"))
        if json or not paged(out, environ):
            _write(1, out.encode("utf-8" if json else sys.stdout.encoding, "replace"))
        _write(2, err.encode(sys.stderr.encoding, "replace"))
    except BrokenPipeError:
        return 0
    except OSError as error:
        line = f"{failure_mark(colour=colour)}standard output: {error.strerror}\n"
        try:
            _write(2, line.encode(sys.stderr.encoding, "replace"))
        except OSError:
            return 1  # the stream cannot be written
        return 1
    return None


def failure_mark(*, colour: bool) -> str:
    """Return the beginning of a line that reports a failure."""
    return f"{_BAD}error: {_END}" if colour else "error: "


def _write(descriptor: int, data: bytes) -> None:
    """Write all of `data`, in several calls if necessary."""
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:
            # A non-blocking pipe is full.
            from select import select

            select([], [descriptor], [])
