"""Writes to the process's output streams, as `ggrep.interfaces.cli.terminal` does."""

import os
import sys

from ggrep.base.terminal import paged

_BAD = "\x1b[1;31m"
_END = "\x1b[0m"


def are_our_own() -> bool:
    """Return whether both streams are the process's own: nobody put others in their place."""
    ours = sys.stdout is not None and sys.stderr is not None
    return ours and sys.stdout is sys.__stdout__ and sys.stderr is sys.__stderr__


def deliver(
    out: str,
    err: str,
    *,
    json: bool,
    colour: bool,
    environ: dict[str, str],
    before: str = "",
) -> int | None:
    """Write both texts; return the exit status that a failure to do so makes.

    JSON is UTF-8; text is what the streams say, characters they lack replaced. A reader that
    has gone away has seen enough.

    Args:
        out: for standard output.
        err: for standard error.
        json: `out` is JSON.
        colour: paint the word that tells of a failure.
        environ: names a pager for long text on a terminal.
        before: for standard error, ahead of the rest.
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
        return _complain(line)
    return None


def failure_mark(*, colour: bool) -> str:
    """Return what a line that tells of a failure begins with."""
    return f"{_BAD}error: {_END}" if colour else "error: "


def _complain(line: str) -> int:
    try:
        _write(2, line.encode(sys.stderr.encoding, "replace"))
    except OSError:
        # Nobody can be told; the exit status says it.
        return 1
    return 1


def _write(descriptor: int, data: bytes) -> None:
    """Write all of `data`, however little is taken at a time."""
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:
            # A pipe whose maker set it so; its reader has not kept up.
            from select import select

            select([], [descriptor], [])
