"""An event that any thread sets and one task of an event loop waits for.

It holds no descriptor of its own: the loop has one, by which threads wake it, and a process that
carries a thousand daemons has a thousand of these events.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Protocol, cast

import anyio
from anyio.lowlevel import current_token


class _Loop(Protocol):
    """What is used of the event loop."""

    def call_soon_threadsafe(self, callback: Callable[[], None]) -> object:
        """Have the loop call back soon, without waiting for it."""
        ...


class ThreadEvent:
    """Set from any thread without blocking, whether or not anybody waits.

    A thread must not call into the event loop and wait for its answer: the loop may be waiting
    for that very thread to end.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._set = False
        self._loop: _Loop | None = None
        self._told = anyio.Event()

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Let threads wake this event loop for the length of the block."""
        with self._lock:
            self._loop = cast(_Loop, current_token().native_token)
            self._told = anyio.Event()
            if self._set:
                self._told.set()
        try:
            yield
        finally:
            with self._lock:
                self._loop = None

    def set(self) -> None:
        """Wake the waiting task, or the next one that waits."""
        with self._lock:
            if not self._set and self._loop is not None:
                self._loop.call_soon_threadsafe(self._told.set)
            self._set = True

    def clear(self) -> None:
        """Make the next `wait` wait for a later `set`; of the event loop's thread."""
        with self._lock:
            self._set = False
            # A new one: the loop may still be about to set the one before.
            self._told = anyio.Event()

    async def wait(self) -> None:
        """Wait until it is set.

        Requires: `opened`.
        """
        if self._loop is None:
            raise RuntimeError("wait outside of `opened`")
        await self._told.wait()
