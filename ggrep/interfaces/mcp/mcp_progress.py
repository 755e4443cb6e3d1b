"""Reports a search's progress to the client, in order and before its answer."""

import math
from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

import anyio

from ggrep.federation.repo_requests import Arrival

Tell: TypeAlias = Callable[[float, float, str], Awaitable[None]]
"""Sends one notification: done, total, message."""

T = TypeVar("T")


async def telling(ask: Callable[[Callable[[Arrival], None]], Awaitable[T]], tell: Tell) -> T:
    """Return what `ask` returns; every arrival that it reports was told by then.

    Raises:
        Exception: whatever `ask` raises.
    """
    send, receive = anyio.create_memory_object_stream[Arrival](math.inf)

    async def relay() -> None:
        async with receive:
            async for arrival in receive:
                await tell(arrival.done, arrival.total, line_of(arrival))

    failed: Exception | None = None
    answers: list[T] = []
    async with anyio.create_task_group() as group:
        group.start_soon(relay)
        with send:
            try:
                answers.append(await ask(send.send_nowait))
            except Exception as error:  # noqa: BLE001 - raised again below, out of the group
                failed = error
    if failed is not None:
        raise failed
    return answers[0]


def line_of(arrival: Arrival) -> str:
    """Return what a person reads of one repository that is done."""
    hits = "1 hit" if arrival.count == 1 else f"{arrival.count} hits"
    return f"{arrival.alias or arrival.repo_id}: {arrival.status}, {hits}"
