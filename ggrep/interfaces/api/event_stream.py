"""A search as server-sent events: partial results first, then the answer.

    event: repo      one repository is done; provisional
    event: answer    the document that the plain search would have returned
    event: error     the document of its failure
    : wait           nothing happened for a while; tells proxies and us that both ends live

Exactly one `answer` or `error` comes, last. Only it is contractual.
"""

import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import anyio
from anyio import create_memory_object_stream, create_task_group, fail_after, move_on_after
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from starlette.types import Receive, Scope, Send

from ggrep.base import stable_json
from ggrep.base.stable_json import Document, Json
from ggrep.federation.repo_requests import Arrival, Arrived
from ggrep.interfaces.api.http_messages import ALWAYS
from ggrep.interfaces.api.http_requests import cancel_when_gone

BEAT_S: Final = 15.0
SEND_TIMEOUT_S: Final = 30.0
"""How long a client may leave what it was sent unread."""

Ending = tuple[str, Document]
"""Name and document of the last event."""


def event_bytes(name: str, document: Document) -> bytes:
    """Return one event; a document holds no line breaks, so it is one line of data."""
    return b"event: " + name.encode() + b"\ndata: " + stable_json.dumps(document) + b"\n\n"


def arrival_json(arrival: Arrival) -> dict[str, Json]:
    """Return what is told of a repository that is done."""
    return {
        "repoId": arrival.repo_id,
        "alias": arrival.alias,
        "status": arrival.status,
        "count": arrival.count,
        "done": arrival.done,
        "total": arrival.total,
    }


class EventStream:
    """The response of a search that is still to be made.

    Requires: the request's body was read to its end.
    """

    def __init__(self, work: Callable[[Arrived], Awaitable[Ending]]) -> None:
        """Take the search.

        Args:
            work: makes it, tells of arrivals, and never fails.
        """
        self._work = work

    async def __call__(
        self,
        scope: Scope,  # noqa: ARG002 - the signature of every ASGI application
        receive: Receive,
        send: Send,
    ) -> None:
        """Send the events; stop everything once the client leaves or no longer reads."""
        # One entry for each repository at most, so nothing is gained by a bound.
        sender, events = create_memory_object_stream[bytes](math.inf)
        async with create_task_group() as group, sender, events:
            group.start_soon(cancel_when_gone, receive, group.cancel_scope)
            group.start_soon(self._search, sender.clone())
            sender.close()
            # Whoever does not read is as good as gone.
            with suppress(TimeoutError, OSError):
                await _send_all(events, send)
            group.cancel_scope.cancel()

    async def _search(self, events: MemoryObjectSendStream[bytes]) -> None:
        with events:
            name, document = await self._work(
                lambda arrival: events.send_nowait(event_bytes("repo", arrival_json(arrival)))
            )
            events.send_nowait(event_bytes(name, document))


async def _send_all(events: MemoryObjectReceiveStream[bytes], send: Send) -> None:
    headers = {**ALWAYS, "content-type": "text/event-stream; charset=utf-8"}
    start = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 200, "headers": start})
    while (data := await _next(events)) is not None:
        with fail_after(SEND_TIMEOUT_S):
            await send({"type": "http.response.body", "body": data, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _next(events: MemoryObjectReceiveStream[bytes]) -> bytes | None:
    """Return the next event, a sign of life when there is none for a while, None at the end."""
    with move_on_after(BEAT_S):
        try:
            return await events.receive()
        except anyio.EndOfStream:
            return None
    return b": wait\n\n"
