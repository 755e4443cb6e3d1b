"""A first-come queue of waiting writers, so that none of them starves.

Who is next holds a kernel lock while it waits for the lease and writes down, at each try, that it
is awake. One that was stopped would keep the others waiting for no reason: once nothing was heard
of it for the lease's time to live, the others pass.
"""

import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.clock import Clock
from ggrep.base.locks import Patience

_AWAKE = struct.Struct("<q")
"""When the one in front was awake last, in milliseconds of the machine's monotonic clock."""


@contextmanager
def in_line(file: Path, patience: Patience, clock: Clock, *, ttl_ms: int) -> Iterator[Patience]:
    """Wait until we are next; yield the patience to go on waiting with.

    Raises:
        Busy: somebody who is awake was before us until the deadline.
        OSError: the file cannot be opened.
    """
    descriptor = durable.open_lock(file)
    try:
        while not (next_in_line := _take(descriptor)) and not _sleeps(descriptor, clock, ttl_ms):
            patience.pause()
        if not next_in_line:
            yield patience  # who passes says nothing: it would be taken for the sleeper's word
            return

        def wait(seconds: float) -> None:
            _note_awake(descriptor, clock)
            patience.wait(seconds)

        _note_awake(descriptor, clock)
        yield replace(patience, wait=wait)
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sleeps(descriptor: int, clock: Clock, ttl_ms: int) -> bool:
    """Tell whether nothing was heard of who stands in front; a date ahead is no word either."""
    data = os.pread(descriptor, _AWAKE.size, 0)
    if len(data) < _AWAKE.size:
        return False  # it came this very moment
    (awake_ms,) = _AWAKE.unpack(data)
    age_ms = clock.monotonic_ms() - float(awake_ms)
    return age_ms > ttl_ms or age_ms < -1.0


def _note_awake(descriptor: int, clock: Clock) -> None:
    try:
        os.pwrite(descriptor, _AWAKE.pack(round(clock.monotonic_ms())), 0)
    except OSError:
        return  # the disk is full, say: we are passed early, which is only unfair
