"""Reads standard input line by line; a signal can interrupt the wait for the next line.

A thread that is blocked in a read cannot be called off, and a process waits for its threads:
read by one, standard input would keep a server alive that was told to end.
"""

import os
from collections.abc import AsyncIterator, Callable

import anyio
from anyio import lowlevel

_BLOCK_BYTES = 1 << 16
MAX_LINE_BYTES = 4 << 20
"""Of one message, as over HTTP."""


async def lines_of(
    descriptor: int, told: Callable[[str], None], most: int = MAX_LINE_BYTES
) -> AsyncIterator[str]:
    """Yield the lines that come from a descriptor, what is no UTF-8 replaced, until its end.

    Args:
        descriptor: of a pipe, a socket, a terminal or a file.
        told: called with what ended the lines early: a line with too many bytes, or a failure.
        most: bytes of a line.
    """
    held = bytearray()
    while True:
        await _readable(descriptor)
        try:
            block = os.read(descriptor, _BLOCK_BYTES)
        except OSError as error:
            told(f"standard input: {error.strerror}")
            return
        held += block
        if b"\n" in block:
            *whole, rest = held.split(b"\n")
            for line in whole:
                yield line.decode(errors="replace")
            held = rest
        if len(held) > most:
            told(f"standard input: a message of more than {most} bytes; the server ends")
            return
        if not block:
            if held.strip():
                yield held.decode(errors="replace")
            return


async def _readable(descriptor: int) -> None:
    """Return once a read would not wait."""
    try:
        await anyio.wait_readable(descriptor)
    except PermissionError:
        # The system's word for what is always ready: a file, or the empty device.
        await lowlevel.checkpoint()
