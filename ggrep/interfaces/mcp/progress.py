"""Progress notifications: what is told of repositories that are done, and of indexing."""

import math
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias, TypeVar

import anyio

from ggrep.federation.fanout_session import RepoDone
from ggrep.protocol.client.daemon_client import IndexingProgress

Tell: TypeAlias = Callable[[float, float | None, str], Awaitable[None]]
"""Sends one notification: done, total, message; no total where it is not known."""

T = TypeVar("T")
Said = TypeVar("Said")

_A_LITTLE: Final = 0.001


async def telling(
    ask: Callable[[Callable[[Said], None]], Awaitable[T]],
    tell: Tell,
    reading: Callable[[Said], tuple[float, float | None, str]],
) -> T:
    """Return what `ask` returns; everything that it reports was told by then."""
    send, receive = anyio.create_memory_object_stream[Said](math.inf)

    async def relay() -> None:
        async with receive:
            async for report in receive:
                await tell(*reading(report))

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


def read_arrival(arrival: RepoDone) -> tuple[float, float, str]:
    """Return the notification for a repository that is done."""
    hits = "1 hit" if arrival.count == 1 else f"{arrival.count} hits"
    line = f"{arrival.alias or arrival.repo_id}: {arrival.status}, {hits}"
    return arrival.done, arrival.total, line


class RisingProgress:
    """Reads progress of indexing; a stage may begin anew, and what clients are told must rise."""

    def __init__(self) -> None:
        """Begin below the first file."""
        self._told = 0.0

    def __call__(self, found: IndexingProgress) -> tuple[float, float | None, str]:
        """Return what is told: how far, of how much, in words."""
        self._told = max(round(self._told + _A_LITTLE, 3), float(found.done_files))
        of = f" of {found.total_files}" if found.total_files else ""
        files = f", {found.done_files}{of} files" if found.total_files else ""
        whole = float(found.total_files) if found.total_files >= self._told else None
        return self._told, whole, f"{found.stage}{files}"
