"""Cancels running work when the process is told to stop."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio


@asynccontextmanager
async def until_signalled(*signals: signal.Signals) -> AsyncIterator[None]:
    """Cancel the block when one of the signals comes; the first one ends it without an error."""
    async with anyio.create_task_group() as group:

        async def watch() -> None:
            with anyio.open_signal_receiver(*signals) as received:
                async for _ in received:
                    group.cancel_scope.cancel()
                    return

        group.start_soon(watch)
        yield
        group.cancel_scope.cancel()
