"""Waiting for a sync of a daemon, and telling how far it is meanwhile."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeAlias

import anyio

from ggrep.base.errors import GgrepError
from ggrep.protocol.client.daemon_client import IndexingProgress
from ggrep.protocol.wire.replies import Reply

Hear: TypeAlias = Callable[[IndexingProgress], None]
"""Told how far indexing is."""

_POLL_S: Final = 0.5


async def wait_for_sync(
    ask: Callable[[], Awaitable[Reply]],
    look: Callable[[], Awaitable[IndexingProgress]],
    hear: Hear,
    poll_s: float = _POLL_S,
) -> Reply:
    """Return what `ask` returns; until then tell what a look returns, again and again.

    A look that fails is passed over: what the sync comes to, the answer says.
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
            failed = error  # raised below: out of the group it would be wrapped
        group.cancel_scope.cancel()
    if failed is not None:
        raise failed
    return replies[0]
