"""Waits for a daemon's sync and reports its progress."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeAlias

import anyio

from ggrep.base.errors import GgrepError
from ggrep.protocol.client.daemon_client import IndexingProgress
from ggrep.protocol.wire.replies import Reply

Hear: TypeAlias = Callable[[IndexingProgress], None]
"""Receives the progress of indexing."""

_POLL_S: Final = 0.5


async def wait_for_sync(
    ask: Callable[[], Awaitable[Reply]],
    look: Callable[[], Awaitable[IndexingProgress]],
    hear: Hear,
    poll_s: float = _POLL_S,
) -> Reply:
    """Return the reply of `ask`; until then, repeatedly call `hear` with the result of `look`.

    Errors of `look` are ignored: the reply of `ask` contains the outcome of the sync.
    """

    async def watch() -> None:
        while True:
            await anyio.sleep(poll_s)
            with suppress(GgrepError):
                progress = await look()
                if progress.stage:
                    hear(progress)

    failed: GgrepError | None = None
    replies: list[Reply] = []
    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        try:
            replies.append(await ask())
        except GgrepError as error:
            failed = error  # raised below, as a task group would wrap the error
        group.cancel_scope.cancel()
    if failed is not None:
        raise failed
    return replies[0]
