"""An event that any thread sets and one task of an event loop waits for."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

import anyio


class ThreadEvent:
    """Set from any thread without blocking, whether or not anybody waits.

    A thread must not call into the event loop and wait for its answer: the loop may be waiting
    for that very thread to end.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._set = False
        self._descriptor: int | None = None

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Hold what `wait` needs for the length of the block."""
        descriptor = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        with self._lock:
            self._descriptor = descriptor
            if self._set:
                os.eventfd_write(descriptor, 1)
        try:
            yield
        finally:
            with self._lock:
                self._descriptor = None
            os.close(descriptor)

    def set(self) -> None:
        """Wake the waiting task, or the next one that waits."""
        with self._lock:
            if not self._set and self._descriptor is not None:
                os.eventfd_write(self._descriptor, 1)
            self._set = True

    def clear(self) -> None:
        """Make the next `wait` wait for a later `set`."""
        with self._lock:
            if self._set and self._descriptor is not None:
                os.eventfd_read(self._descriptor)
            self._set = False

    async def wait(self) -> None:
        """Wait until it is set.

        Requires: `opened`.
        """
        if self._descriptor is None:
            raise RuntimeError("wait outside of `opened`")
        await anyio.wait_readable(self._descriptor)
